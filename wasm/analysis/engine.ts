/** The analysis module as a JavaScript object; see wasm/analysis/bindings.cpp. */
import type { CoreSource } from '../runtime/core-bytes.js';
import { CORE_FILES } from '../runtime/core-files.js';
import { floatIndex, instantiate, type Instance } from '../runtime/core.js';
import { errorFromStatus, NormscopeError } from '../runtime/errors.js';
import { readableNames } from '../runtime/spec.js';
import type { AnalysedModel } from '../worker/protocol.js';

interface BoundAnalysis {
  status(): string;
  parameters(): string;
  describe(): string;
  reserve(n: number): number;
  write(name: string): void;
  run(piece: string, options: string): string;
  delete(): void;
}
interface BoundModule {
  Analysis: new (spec: string, data: string, step: number) => BoundAnalysis;
}

/** One model under analysis. Must be freed. */
export class AnalysisCore {
  constructor(
    private readonly engine: AnalysisEngine,
    private readonly bound: BoundAnalysis,
  ) {}

  /** Replaces the initial parameters; all of them must be there. `tokens` and `targets` may be. */
  load(tensors: Record<string, Float32Array>): void {
    const parameters = JSON.parse(this.bound.parameters()) as { name: string; size: number }[];
    for (const { name, size } of parameters) {
      const given = tensors[name];
      if (given?.length === size) this.#write(name, given);
      else
        throw new NormscopeError(
          'bad-snapshot',
          given
            ? `the snapshot has ${given.length} numbers in '${name}', this model ${size}`
            : `the snapshot lacks '${name}': it comes from another model`,
        );
    }
    for (const name of ['tokens', 'targets']) if (tensors[name]) this.#write(name, tensors[name]);
  }

  describe(): string {
    return this.engine.guard(() => this.bound.describe());
  }

  run(piece: string, options: string): string {
    const text = this.engine.guard(() => this.bound.run(piece, options));
    this.#check();
    return text;
  }

  free(): void {
    this.bound.delete();
  }

  #write(name: string, data: Float32Array): void {
    const address = this.engine.guard(() => this.bound.reserve(data.length));
    this.engine.floats().set(data, floatIndex(address));
    this.bound.write(name);
    this.#check();
  }

  #check(): void {
    const status = this.bound.status();
    if (status) throw errorFromStatus(status, readableNames);
  }
}

export class AnalysisEngine {
  constructor(private readonly instance: Instance<BoundModule>) {}

  create({ spec, data, step, tensors }: AnalysedModel): AnalysisCore {
    const bound = this.guard(() => new this.instance.bound.Analysis(spec, data, step));
    const core = new AnalysisCore(this, bound);
    const status = bound.status();
    try {
      if (status) throw errorFromStatus(status, readableNames);
      if (tensors) core.load(tensors);
      return core;
    } catch (error) {
      core.free();
      throw error;
    }
  }

  floats(): Float32Array {
    return new Float32Array(this.instance.memory.buffer);
  }

  /** After a trap the instance is given up; the next start makes a fresh one. */
  guard<T>(call: () => T): T {
    try {
      return call();
    } catch (cause) {
      if (!(cause instanceof WebAssembly.RuntimeError)) throw cause;
      started = null;
      throw new NormscopeError(
        'core-broken',
        `the analysis stopped: ${cause.message}; the next call starts a new one`,
        {
          cause,
        },
      );
    }
  }
}

let started: Promise<AnalysisEngine> | null = null;

/** Starts the module once on this thread; a failed start may be tried again. */
export function startAnalysis(source: CoreSource = CORE_FILES.analysis.wasm()): Promise<AnalysisEngine> {
  started ??= instantiate<BoundModule>('analysis', source).then((instance) => new AnalysisEngine(instance));
  started.catch(() => (started = null));
  return started;
}
