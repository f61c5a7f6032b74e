/**
 * The C++ core as a JavaScript object. The only file that touches the Emscripten output: everything else sees `Engine`
 * and `Core`.
 */
import { compileCore, givenSource, type CoreSource } from './core-bytes.js';
import { CORE_FILES, type CoreBuild, type CoreModule } from './core-files.js';
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
  generate(nSample: number, nPrompt: number, nToken: number, temperature: number): string;
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

/** One list of tokens for each passage. */
export interface GeneratedTokens {
  prompt: number[][];
  text: number[][];
  reference: number[][];
}

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

  /** Held-out passages and how the model continues their first part, as tokens. Activations and inputs change. */
  generate(nSample: number, nPrompt: number, nToken: number, temperature: number): GeneratedTokens {
    const answer = this.engine.guard(() => this.#live().generate(nSample, nPrompt, nToken, temperature));
    if (!answer.startsWith('{')) throw errorFromStatus(answer, readableNames);
    return JSON.parse(answer) as GeneratedTokens;
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
    /** Where its module came from. */
    readonly source: CoreSource,
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
    // An op's parameters keep the spelling of kernel_params.h.
    throw errorFromStatus(status, kind.startsWith('op:') ? undefined : readableNames);
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
/** Where each build came from the last time that it started: from there it starts again after a trap. */
const sources = new Map<CoreBuild, CoreSource>();
let math: LoadOptions['math'];

/** Which build runs: what was asked for, as far as the probes allow. */
function chooseBuild(wish: LoadOptions['math']): CoreBuild {
  if (!hasSimd()) return 'scalar';
  return wish === 'fast' && hasRelaxedSimd() ? 'fast' : 'exact';
}

/** The engine when it already runs: lets a one-shot call finish in the same turn. */
export const readyEngine = (): Engine | undefined => engines.get(chooseBuild(math));

/**
 * Starts the core once; concurrent calls share one start. Options stay in force for later starts once they have led to
 * an engine; a failed start leaves no trace and may be tried again.
 */
export async function startEngine(options: StartOptions = {}): Promise<Engine> {
  const build = chooseBuild(options.math ?? math);
  const engine = await abortable(startFrom(build, givenSource(options)), options.signal, 'the start of the core');
  math = options.math ?? math;
  return engine;
}

/** Joins a start that is under way; a source of the caller's own is tried when that one fails. */
function startFrom(build: CoreBuild, own: CoreSource | undefined): Promise<Engine> {
  const joins = starts.has(build);
  const start = startBuild(build, own);
  return joins && own ? start.catch(() => startBuild(build, own)) : start;
}

/** Starts one build unless it runs already. A worker gets the module of the page as its source. */
export function startBuild(build: CoreBuild, own?: CoreSource): Promise<Engine> {
  const known = starts.get(build);
  if (known) return known;
  const source = own ?? sources.get(build) ?? CORE_FILES[build].wasm();
  const start = instantiate<BoundModule>(build, source).then(
    ({ module, bound, memory }) => new Engine(build, source, module, bound, memory),
  );
  starts.set(build, start);
  start.then(
    (engine) => {
      sources.set(build, source);
      if (starts.get(build) === start) engines.set(build, engine);
    },
    () => starts.get(build) === start && starts.delete(build),
  );
  return start;
}

function forget(engine: Engine): void {
  if (engines.get(engine.build) !== engine) return;
  engines.delete(engine.build);
  starts.delete(engine.build);
}

/** The engine's source as it can be sent to any other thread: bytes, or an absolute address. */
export function portableSource({ build, source }: Engine): ArrayBuffer | Uint8Array | string {
  if (source instanceof URL || source instanceof WebAssembly.Module)
    return (source instanceof URL ? source : CORE_FILES[build].wasm()).href;
  return source;
}

/** A module that runs: its embind classes and its memory. */
export interface Instance<T> {
  module: WebAssembly.Module;
  bound: T;
  memory: WebAssembly.Memory;
}

export async function instantiate<T>(name: CoreModule, source: CoreSource): Promise<Instance<T>> {
  const module = await compileCore(source);
  const { default: createModule } = (await CORE_FILES[name].glue()) as {
    default: (options: object) => Promise<T>;
  };
  let memory: WebAssembly.Memory | undefined;
  const bound = await new Promise<T>((resolve, reject) => {
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
  return { module, bound, memory: memory! };
}

/** Export names are minified; the memory is the only object of its type. */
function findMemory(instance: WebAssembly.Instance, imports: WebAssembly.Imports): WebAssembly.Memory {
  const candidates = [
    ...Object.values(instance.exports),
    ...Object.values(imports).flatMap((group) => Object.values(group)),
  ];
  return candidates.find((value) => value instanceof WebAssembly.Memory) as WebAssembly.Memory;
}
