/** A model that stays in memory: its plan, its tensors, and the phases to run. */
import { checkArray, checkChoice, checkDevice, checkKeys, checkNamed, suggest } from './checks.js';
import { openPlan, type Chosen } from './choose-device.js';
import { startEngine } from './core.js';
import { abortable, NormscopeError } from './errors.js';
import type { LivePlan } from './live-plan.js';
import { findTensor, parametersOf } from './plan.js';
import { captureSnapshot, checkSnapshot, readNamed } from './snapshot.js';
import { dataLines, specLines } from './spec.js';
import { checkWritable } from './tensor-checks.js';
import type {
  Device,
  DeviceChoice,
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
import { sessionWish } from './wish.js';

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
 *
 * `device`: 'wasm'; 'webgpu', which rejects where there is no GPU or it does not take the model; 'auto', which times both
 * with this very model (about a second, once) and takes the faster, and never rejects for the GPU's sake. Absent: as
 * `load` was told, WASM without it. `session.choice` says what was chosen and why.
 *
 * A GPU may be lost at any time (a driver's reset, a page long hidden). The session then rejects with 'device-lost' and
 * cannot be mended; a snapshot taken before goes into a new one by `from`.
 * @throws NormscopeError bad-spec | bad-data | too-large | out-of-memory | no-webgpu | gpu-refused | device-lost | …
 */
export async function createSession(request: SessionRequest): Promise<Session> {
  checkKeys('createSession', request, ['spec', 'data', 'device', 'from', 'signal']);
  const lines = specLines(request.spec === undefined ? {} : request.spec);
  const data = request.data === undefined ? '' : dataLines(request.data);
  const wish = sessionWish(checkDevice(request.device));
  await startEngine({ signal: request.signal });
  const session = await abortableSession(openPlan({ kind: 'model', lines, data }, wish), request.signal);
  try {
    if (request.from) await session.restore({ snapshot: request.from });
    return session;
  } catch (error) {
    session.free();
    throw error;
  }
}

/** A plan that is ready only after the abort is freed at once. */
async function abortableSession(opening: Promise<Chosen>, signal: AbortSignal | undefined): Promise<LiveSession> {
  try {
    return openSession(await abortable(opening, signal, 'createSession'));
  } catch (error) {
    void opening.then(({ live }) => live.free()).catch(() => undefined);
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

function openSession(chosen: Chosen): LiveSession {
  const session = new LiveSession(chosen);
  unfreed.register(session, chosen.live, session);
  return session;
}

/** Safety net: a session that was dropped without `free()` gives its memory back when it is collected. */
const unfreed = new FinalizationRegistry<LivePlan>((live) => {
  console.warn('normscope: a session was dropped without free(); its memory was released only now');
  live.free();
});

class LiveSession implements Session {
  readonly plan: PlanInfo;
  readonly choice: DeviceChoice;
  readonly #live: LivePlan;
  #freed = false;
  /** Resolves when the call before has taken effect; null on WASM, where it has when the call returns. */
  #turn: Promise<void> | null;

  constructor({ live, choice }: Chosen) {
    this.plan = live.plan;
    this.choice = choice;
    this.#live = live;
    this.#turn = choice.device === 'webgpu' ? Promise.resolve() : null;
  }

  get device(): Device {
    return this.choice.device;
  }

  get tensors(): readonly TensorInfo[] {
    return this.plan.tensors;
  }

  async write(request: { name: string; data: NumberArray }): Promise<void> {
    checkKeys('write', request, ['name', 'data']);
    const tensor = findTensor(this.plan, request.name);
    const data = this.#own(checkWritable(this.plan, tensor, request.data));
    await this.#act(({ executor }) => executor.write(tensor, data));
  }

  async nextBatch(request: { split?: 'train' | 'held-out' } = {}): Promise<void> {
    checkKeys('nextBatch', request, ['split']);
    const split = checkChoice('split', request.split, ['train', 'held-out']) ?? 'train';
    if (!this.plan.dataset)
      throw new NormscopeError(
        'bad-data',
        'this session has no data to draw from; give createSession data, or write tokens and targets',
      );
    await this.#act((live) => live.drawBatch(split), true);
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
    const phases = [...request.phases];
    await this.#act(({ executor }) => executor.run(phases));
  }

  async read(request: { name: string }): Promise<Float32Array> {
    checkKeys('read', request, ['name']);
    const tensor = findTensor(this.plan, request.name);
    return this.#act(({ executor }) => executor.read(tensor));
  }

  async parameters(): Promise<Parameters> {
    return this.#act(({ executor }) => readNamed(parametersOf(this.plan), (tensor) => executor.read(tensor)));
  }

  async loadParameters(request: { parameters: Record<string, NumberArray> }): Promise<void> {
    checkKeys('loadParameters', request, ['parameters']);
    await this.#writeAll(checkParameters(this.plan, request.parameters));
  }

  async snapshot(): Promise<Snapshot> {
    return this.#act(({ executor }) => captureSnapshot(this.plan, (tensor) => executor.read(tensor)));
  }

  async restore(request: { snapshot: Snapshot }): Promise<void> {
    checkKeys('restore', request, ['snapshot']);
    await this.#writeAll(checkSnapshot(this.plan, request.snapshot));
  }

  free(): void {
    if (this.#freed) return;
    this.#freed = true;
    unfreed.unregister(this);
    this.#live.free();
  }

  [Symbol.dispose](): void {
    this.free();
  }

  /** All in one turn: nothing that runs later sees half of them. */
  async #writeAll(arrays: [TensorInfo, Float32Array][]): Promise<void> {
    const own = arrays.map(([tensor, data]) => [tensor, this.#own(data)] as const);
    await this.#act(({ executor }) => Promise.all(own.map(([tensor, data]) => executor.write(tensor, data))));
  }

  /**
   * Calls take effect in the order in which they were made, whether or not their promises are waited for. On WASM that is
   * at once. On the GPU a call is submitted when the one before was; one that `waits` for a number of the GPU holds up
   * those after it.
   */
  async #act<T>(act: (live: LivePlan) => T | Promise<T>, waits = false): Promise<T> {
    this.#checkLive();
    if (!this.#turn) return act(this.#live);
    const before = this.#turn;
    let pass!: () => void;
    this.#turn = new Promise((resolve) => (pass = resolve));
    await before;
    try {
      this.#checkLive();
      const result = act(this.#live);
      if (waits) await result;
      return result;
    } finally {
      pass();
    }
  }

  /** An array that only the session changes, for a call that may have to wait for its turn. */
  #own(data: Float32Array): Float32Array {
    return this.#turn ? data.slice() : data;
  }

  #checkLive(): void {
    if (!this.#freed) return;
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
