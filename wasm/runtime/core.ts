/**
 * The C++ core as a JavaScript object. The only file that touches the Emscripten output: everything else sees `Engine`
 * and `Core`.
 */
import { compileCore, type CoreSource } from './core-bytes.js';
import { CORE_FILES, type CoreBuild } from './core-files.js';
import { hasRelaxedSimd, hasSimd } from './core-probe.js';
import { abortable, errorFromStatus, NormscopeError } from './errors.js';
import { parsePlan } from './plan.js';
import { readableNames } from './spec.js';
import type { LoadOptions, Phase, PlanInfo } from './types.js';

/** The embind class; see wasm/bindings.cpp. */
interface BoundCore {
  status(): string;
  describe(): string;
  allocate(): number;
  run(phase: number): void;
  begin_step(split: number): void;
  delete(): void;
}
interface BoundModule {
  Core: {
    new (kind: string, spec: string, data: string): BoundCore;
    version(): string;
    simd(): boolean;
    scheduled_rate(step: number, most: number, least: number, nWarmup: number, nTotal: number): number;
  };
}

const PHASE_NUMBER: Record<Phase, number> = { forward: 0, backward: 1, update: 2, observe: 3, evaluate: 4 };

/** Index of the float at a byte address; addresses reach 4 GiB, so no signed shift. */
export const floatIndex = (address: number, elementBytes = 4): number => Math.floor(address / elementBytes);

/** One plan and, once allocated, its arena in WASM memory. Must be freed. */
export class Core {
  #bound: BoundCore | null;
  #address = 0;

  constructor(
    private readonly engine: Engine,
    bound: BoundCore,
  ) {
    this.#bound = bound;
  }

  describe(): PlanInfo {
    return parsePlan(this.engine.guard(() => this.#live().describe()));
  }

  /** Index of the arena's first float in `engine.floats()`. */
  allocate(): number {
    const bound = this.#live();
    if (this.#address === 0) {
      this.#address = this.engine.guard(() => bound.allocate());
      if (this.#address === 0)
        throw errorFromStatus(bound.status() || 'out-of-memory: the arena could not be allocated', readableNames);
    }
    return floatIndex(this.#address);
  }

  run(phase: Phase): void {
    this.engine.guard(() => this.#live().run(PHASE_NUMBER[phase]));
  }

  /** Fills tokens, targets and hyper for the step in `control`. */
  beginStep(split: 'train' | 'held-out'): void {
    this.engine.guard(() => this.#live().begin_step(split === 'train' ? 0 : 1));
  }

  free(): void {
    this.#bound?.delete();
    this.#bound = null;
  }

  #live(): BoundCore {
    if (this.#bound) return this.#bound;
    throw new NormscopeError('freed', 'this object was freed; make a new one');
  }
}

/** One instance of the core: its module and its memory. */
export class Engine {
  readonly version: string;
  readonly simd: boolean;
  #floats = new Float32Array(0);

  constructor(
    readonly build: CoreBuild,
    readonly module: WebAssembly.Module,
    private readonly bound: BoundModule,
    private readonly memory: WebAssembly.Memory,
  ) {
    this.version = bound.Core.version();
    this.simd = bound.Core.simd();
  }

  /** Plans. `kind` is "model", "block" or "op:<name>"; `spec` and `data` are the lines that the core reads. */
  create(kind: string, spec: string, data = ''): Core {
    const bound = this.guard(() => new this.bound.Core(kind, spec, data));
    const status = bound.status();
    if (status === '') return new Core(this, bound);
    bound.delete();
    throw errorFromStatus(status, readableNames);
  }

  /** Learning rate of update `step` (from 0): linear warm-up to `most`, then with nTotal > 0 a cosine down to `least`. */
  scheduledRate(step: number, most: number, least: number, nWarmup: number, nTotal: number): number {
    return this.bound.Core.scheduled_rate(step, most, least, nWarmup, nTotal);
  }

  /** The whole memory as floats. Never keep it across a call that may allocate, never hand it out. */
  floats(): Float32Array {
    if (this.#floats.buffer !== this.memory.buffer) this.#floats = new Float32Array(this.memory.buffer);
    return this.#floats;
  }

  get memoryBytes(): number {
    return this.memory.buffer.byteLength;
  }

  /** Runs `call`; after a trap the instance is given up, so that the next start makes a fresh one. */
  guard<T>(call: () => T): T {
    try {
      return call();
    } catch (cause) {
      if (!(cause instanceof WebAssembly.RuntimeError)) throw cause;
      forget(this);
      throw new NormscopeError('core-broken', `the core stopped: ${cause.message}; the next call starts a new one`, {
        cause,
      });
    }
  }
}

export type StartOptions = Pick<LoadOptions, 'math' | 'wasmBinary' | 'wasmUrl' | 'signal'>;

const starts = new Map<CoreBuild, Promise<Engine>>();
const engines = new Map<CoreBuild, Engine>();
let chosen: StartOptions = {};

/** Which build this engine runs: what was asked for, as far as the probes allow. */
function chooseBuild(): CoreBuild {
  if (!hasSimd()) return 'scalar';
  return chosen.math === 'fast' && hasRelaxedSimd() ? 'fast' : 'exact';
}

/** The engine when it already runs: lets a one-shot call finish in the same turn. */
export const readyEngine = (): Engine | undefined => engines.get(chooseBuild());

/**
 * Starts the core once; concurrent calls share one start, a failed start may be tried again. Options stay in force for
 * later starts.
 */
export function startEngine({ signal, ...options }: StartOptions = {}): Promise<Engine> {
  chosen = { ...chosen, ...Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) };
  return abortable(startBuild(chooseBuild()), signal, 'the start of the core');
}

/** Starts one build, whatever was chosen: for a worker, which gets the module of the page. */
export function startBuild(build: CoreBuild, source: CoreSource = sourceOf(build)): Promise<Engine> {
  const known = starts.get(build);
  if (known) return known;
  const start = instantiate(build, source);
  starts.set(build, start);
  start.then(
    (engine) => starts.get(build) === start && engines.set(build, engine),
    () => starts.get(build) === start && starts.delete(build),
  );
  return start;
}

function forget(engine: Engine): void {
  if (engines.get(engine.build) !== engine) return;
  engines.delete(engine.build);
  starts.delete(engine.build);
}

/** What a given module or address stands for: the build that was chosen with it. */
function sourceOf(build: CoreBuild): CoreSource {
  if (chosen.wasmBinary) return chosen.wasmBinary;
  if (chosen.wasmUrl) return new URL(chosen.wasmUrl, globalThis.location?.href);
  return CORE_FILES[build].wasm();
}

/** A source that can be sent to any other thread: bytes, or an absolute address. */
export function portableSource(build: CoreBuild): ArrayBuffer | Uint8Array | string {
  const source = sourceOf(build);
  if (source instanceof URL || source instanceof WebAssembly.Module)
    return (source instanceof URL ? source : CORE_FILES[build].wasm()).href;
  return source;
}

async function instantiate(build: CoreBuild, source: CoreSource): Promise<Engine> {
  const module = await compileCore(source);
  const { default: createModule } = (await CORE_FILES[build].glue()) as {
    default: (options: object) => Promise<BoundModule>;
  };
  let memory: WebAssembly.Memory | undefined;
  const bound = await new Promise<BoundModule>((resolve, reject) => {
    const instantiateWasm = (
      imports: WebAssembly.Imports,
      receive: (instance: WebAssembly.Instance, module: WebAssembly.Module) => void,
    ): object => {
      WebAssembly.instantiate(module, imports).then((instance) => {
        memory = findMemory(instance, imports);
        receive(instance, module);
      }, reject);
      return {};
    };
    createModule({ instantiateWasm }).then(resolve, reject);
  }).catch((cause: unknown) => {
    throw new NormscopeError(
      'core-broken',
      `the core could not be instantiated: ${cause instanceof Error ? cause.message : String(cause)}`,
      { cause },
    );
  });
  return new Engine(build, module, bound, memory!);
}

/** Export names are minified; the memory is the only object of its type. */
function findMemory(instance: WebAssembly.Instance, imports: WebAssembly.Imports): WebAssembly.Memory {
  const candidates = [
    ...Object.values(instance.exports),
    ...Object.values(imports).flatMap((group) => Object.values(group)),
  ];
  return candidates.find((value) => value instanceof WebAssembly.Memory) as WebAssembly.Memory;
}
