/**
 * The C++ core as a JavaScript object. The only file that touches the Emscripten output: everything else sees `Engine`
 * and `Core`.
 */
import { compileCore, givenSource, type CoreSource } from './core-bytes.js';
import { CORE_FILES, type CoreBuild, type CoreModule } from './core-files.js';
import { hasRelaxedSimd, hasSimd } from './core-probe.js';
import { abortable, errorFromStatus, NormscopeError } from './errors.js';
import { parsePlan } from './plan.js';
import { readableNames, toCamelCase } from './spec.js';
import type { LoadOptions, ModelSpec, Phase, PlanInfo } from './types.js';

/** The embind class; see wasm/bindings.cpp. */
interface BoundCore {
  status(): string;
  describe(): string;
  allocate(): number;
  allocate_inputs(): number;
  address(tensor: string): number;
  initial_values(tensor: number, first: number, count: number): number;
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
    own_fields(): string;
    scheduled_rate(step: number, most: number, least: number, nWarmup: number, nTotal: number): number;
  };
}

const PHASE_NUMBER: Record<Phase, number> = { forward: 0, backward: 1, update: 2, observe: 3, evaluate: 4 };

/** Floats of `control` that each model has. */
const CONTROL_FLOATS = 8;
/** Floats of initial values that are made at a time, 4 MiB: memory of WASM never shrinks. */
const PIECE = 2 ** 20;

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
  /** Floats of each tensor, all models; filled by `describe`. */
  #sizes = new Map<string, number>();

  constructor(
    private readonly engine: Engine,
    bound: BoundCore,
  ) {
    this.#bound = bound;
  }

  describe(): PlanInfo {
    const plan = parsePlan(this.engine.guard(() => this.#live().describe()));
    this.#sizes = new Map(plan.tensors.map(({ name, size }) => [name, size]));
    return plan;
  }

  /** Index of the arena's first float in `engine.floats()`. */
  allocate(): number {
    const bound = this.#live();
    if (this.#address === 0) this.#address = this.#granted(this.engine.guard(() => bound.allocate()));
    return floatIndex(this.#address);
  }

  /**
   * Memory for `control` and the inputs alone, for a plan whose other tensors lie elsewhere: `beginStep` needs no more.
   * A later `allocate` takes its place and starts from the initial values.
   */
  allocateInputs(): void {
    this.#granted(this.engine.guard(() => this.#live().allocate_inputs()));
  }

  /** A copy of `control` or of an input, of all models: [nModel, …]. */
  inputs(name: string): Float32Array {
    const start = this.#start(name);
    return this.engine.floats().slice(start, start + this.#size(name));
  }

  /** The step of every model's next batch, counted from 0. */
  setStep(step: number): void {
    const start = this.#start('control');
    const end = start + this.#size('control');
    for (let at = start; at < end; at += CONTROL_FLOATS) this.engine.floats()[at] = step;
  }

  /**
   * What tensor `index` of the plan starts as, of all models; `size` as in its TensorInfo. Needs no arena: a plan that is
   * far larger than the memory of WASM is uploaded tensor by tensor, piece by piece.
   */
  initialValues(index: number, size: number): Float32Array {
    const bound = this.#live();
    const values = new Float32Array(size);
    for (let first = 0; first < size; first += PIECE) {
      const count = Math.min(PIECE, size - first);
      const start = floatIndex(this.#granted(this.engine.guard(() => bound.initial_values(index, first, count))));
      values.set(this.engine.floats().subarray(start, start + count), first);
    }
    return values;
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

  /** The address that the core gave, or the error of its status. */
  #granted(address: number): number {
    if (address !== 0) return address;
    throw errorFromStatus(this.#live().status() || 'out-of-memory: the memory could not be had', readableNames);
  }

  /** Index of a tensor's first float. */
  #start(name: string): number {
    const address = this.engine.guard(() => this.#live().address(name));
    if (address !== 0) return floatIndex(address);
    throw new NormscopeError('unknown-tensor', `tensor '${name}' has no memory in the core`);
  }

  #size(name: string): number {
    if (this.#sizes.size === 0) this.describe();
    return this.#sizes.get(name)!;
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
  /** The fields in which the models of one plan may differ. */
  readonly ownFields: readonly (keyof ModelSpec)[];
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
    this.ownFields = bound.Core.own_fields().split(' ').map(toCamelCase) as (keyof ModelSpec)[];
  }

  /**
   * Plans. `kind` is "model", "block" or "op:<name>"; `spec` and `data` are the lines that the core reads, `spec` of one
   * model or of several (`specsLines`).
   */
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
