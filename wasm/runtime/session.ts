/** A model that stays in memory: its plan, its tensors, and the phases to run. */
import { checkArray, checkChoice, checkDevice, checkKeys, checkNamed, suggest } from './checks.js';
import { startEngine } from './core.js';
import { CpuExecutor } from './cpu-executor.js';
import { abortable, NormscopeError } from './errors.js';
import type { Executor } from './executor.js';
import { createGpuExecutor } from './gpu-executor.js';
import { requireKernels } from './op-runner.js';
import { findTensor, parametersOf } from './plan.js';
import { captureSnapshot, checkSnapshot, readNamed } from './snapshot.js';
import { dataLines, specLines } from './spec.js';
import { checkWritable } from './tensor-checks.js';
import type {
  Device,
  DeviceWish,
  ModelSpec,
  NumberArray,
  Parameters,
  Phase,
  PlanInfo,
  Session,
  Snapshot,
  TensorInfo,
  TrainingData,
} from './types.js';

export interface SessionRequest {
  spec: ModelSpec;
  /** What `nextBatch` draws from. Without data the spec must name nVocab, and the caller writes tokens and targets. */
  data?: TrainingData;
  device?: DeviceWish;
  /** Go on from here; must come from a session of the same shape. */
  from?: Snapshot;
  signal?: AbortSignal;
}

const PHASES: readonly Phase[] = ['forward', 'backward', 'update', 'observe', 'evaluate'];

/**
 * Plans a model, allocates it and fills its initial parameters (the same seed gives the same bits everywhere).
 * The session owns memory until `free()` (or `using`).
 * @throws NormscopeError bad-spec | bad-data | too-large | out-of-memory | missing-kernels | no-webgpu | …
 */
export async function createSession(request: SessionRequest): Promise<Session> {
  checkKeys('createSession', request, ['spec', 'data', 'device', 'from', 'signal']);
  const lines = specLines(request.spec === undefined ? {} : request.spec);
  const data = request.data === undefined ? '' : dataLines(request.data);
  const device = checkDevice(request.device);
  const engine = await startEngine({ signal: request.signal });
  const core = engine.create('model', lines, data);
  const session = openSession(new CpuExecutor(engine, core), core.describe());
  try {
    if (device === 'webgpu') await abortable(session.moveToGpu(), request.signal, 'createSession');
    if (request.from) await session.restore({ snapshot: request.from });
    return session;
  } catch (error) {
    session.free();
    throw error;
  }
}

/**
 * The plan of a model alone: its tensors, phases and canonical spec. Nothing is allocated, so the model may be far larger
 * than what this machine could train.
 * @throws NormscopeError bad-spec | bad-data | too-large
 */
export async function planModel(request: Pick<SessionRequest, 'spec' | 'data' | 'signal'>): Promise<PlanInfo> {
  checkKeys('planModel', request, ['spec', 'data', 'signal']);
  const data = request.data === undefined ? '' : dataLines(request.data);
  const lines = specLines(request.spec === undefined ? {} : request.spec);
  const engine = await startEngine({ signal: request.signal });
  const core = engine.create('model', lines, data);
  try {
    return core.describe();
  } finally {
    core.free();
  }
}

/** The session of an allocated plan. */
export function openSession(host: CpuExecutor, plan: PlanInfo): LiveSession {
  const session = new LiveSession(host, plan);
  unfreed.register(session, host, session);
  return session;
}

/** Safety net: a session that was dropped without `free()` gives its memory back when it is collected. */
const unfreed = new FinalizationRegistry<Executor>((executor) => {
  console.warn('normscope: a session was dropped without free(); its memory was released only now');
  executor.free();
});

export class LiveSession implements Session {
  /** Where the phases run; `host` draws batches and holds the initial values. */
  #executor: Executor;
  #freed = false;

  constructor(
    private readonly host: CpuExecutor,
    readonly plan: PlanInfo,
  ) {
    this.#executor = host;
  }

  get device(): Device {
    return this.#executor.device;
  }

  get tensors(): readonly TensorInfo[] {
    return this.plan.tensors;
  }

  async moveToGpu(): Promise<void> {
    requireKernels(this.plan, [...PHASES], 'this session');
    const gpu = await createGpuExecutor({ plan: this.plan });
    await Promise.all(this.plan.tensors.map((tensor) => gpu.write(tensor, this.host.copy(tensor))));
    this.#executor = gpu;
  }

  async write(request: { name: string; data: NumberArray }): Promise<void> {
    checkKeys('write', request, ['name', 'data']);
    const tensor = findTensor(this.plan, request.name);
    const data = checkWritable(this.plan, tensor, request.data);
    await this.#live().write(tensor, data);
  }

  async nextBatch(request: { split?: 'train' | 'held-out' } = {}): Promise<void> {
    checkKeys('nextBatch', request, ['split']);
    const split = checkChoice('split', request.split, ['train', 'held-out']) ?? 'train';
    if (!this.plan.dataset)
      throw new NormscopeError(
        'bad-data',
        'this session has no data to draw from; give createSession data, or write tokens and targets',
      );
    const executor = this.#live();
    if (executor === this.host) return this.host.beginStep(split);
    const control = findTensor(this.plan, 'control');
    this.host.write(control, await executor.read(control));
    this.host.beginStep(split);
    const inputs = this.plan.tensors.filter(({ role }) => role === 'input');
    await Promise.all(inputs.map((tensor) => executor.write(tensor, this.host.copy(tensor))));
  }

  async run(request: { phases: Phase[] }): Promise<void> {
    checkKeys('run', request, ['phases']);
    if (!Array.isArray(request.phases))
      throw new NormscopeError('bad-option', "run needs phases, e.g. { phases: ['forward', 'backward'] }");
    for (const phase of request.phases) {
      if (!PHASES.includes(phase))
        throw new NormscopeError(
          'bad-option',
          `there is no phase '${String(phase)}'${suggest(String(phase), PHASES) || '.'} The phases are ${PHASES.join(', ')}`,
        );
    }
    await this.#live().run(request.phases);
  }

  async read(request: { name: string }): Promise<Float32Array> {
    checkKeys('read', request, ['name']);
    return this.#live().read(findTensor(this.plan, request.name));
  }

  async parameters(): Promise<Parameters> {
    const executor = this.#live();
    return readNamed(parametersOf(this.plan), (tensor) => executor.read(tensor));
  }

  async loadParameters(request: { parameters: Record<string, NumberArray> }): Promise<void> {
    checkKeys('loadParameters', request, ['parameters']);
    await this.#writeAll(checkParameters(this.plan, request.parameters));
  }

  async snapshot(): Promise<Snapshot> {
    const executor = this.#live();
    return captureSnapshot(this.plan, (tensor) => executor.read(tensor));
  }

  async restore(request: { snapshot: Snapshot }): Promise<void> {
    checkKeys('restore', request, ['snapshot']);
    await this.#writeAll(checkSnapshot(this.plan, request.snapshot));
  }

  free(): void {
    if (this.#freed) return;
    this.#freed = true;
    unfreed.unregister(this);
    if (this.#executor !== this.host) this.#executor.free();
    this.host.free();
  }

  [Symbol.dispose](): void {
    this.free();
  }

  /** All in this turn: nothing that runs later sees half of them. */
  async #writeAll(arrays: [TensorInfo, Float32Array][]): Promise<void> {
    const executor = this.#live();
    await Promise.all(arrays.map(([tensor, data]) => executor.write(tensor, data)));
  }

  #live(): Executor {
    if (!this.#freed) return this.#executor;
    throw new NormscopeError('freed', 'this session was freed; make a new one with createSession');
  }
}

/** Named arrays against the plan's parameters; all are checked before any is written. */
export function checkParameters(plan: PlanInfo, parameters: Record<string, NumberArray>): [TensorInfo, Float32Array][] {
  checkNamed('parameters', parameters);
  const known = parametersOf(plan);
  return Object.entries(parameters).map(([name, value]) => {
    const tensor = known.find((candidate) => candidate.name === name);
    if (!tensor)
      throw new NormscopeError(
        'unknown-tensor',
        `there is no parameter '${name}'${suggest(
          name,
          known.map((candidate) => candidate.name),
        )}`,
      );
    const data = checkArray(name, value);
    if (data.length === tensor.size) return [tensor, data];
    throw new NormscopeError(
      'bad-size',
      `${name} has the shape [${tensor.shape.join(', ')}], ${tensor.size} numbers, but got ${data.length}`,
    );
  });
}
