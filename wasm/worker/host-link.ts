/**
 * One connection to a training host: requests with answers, and a new host from the last kept state when a worker or a
 * GPU is lost. The new one first repeats the steps that the lost one had reported, so that nothing is taken back; what
 * was asked for meanwhile (steps, snapshots, a stop) is passed on after that.
 */
import { describeError, NormscopeError, type ErrorCode } from '../runtime/errors.js';
import type { Device, DeviceChoice, RunNotice, Snapshot, TrainingData, Verdict } from '../runtime/types.js';
import type { ClientMessage, GpuTrouble, HostMessage, KeptState, Port, RunLayout, RunPlan } from './protocol.js';
import { SilenceWatch, type Debt } from './silence-watch.js';

/** How often a lost worker is replaced. */
const REVIVALS = 2;
/** How often runs stay on the GPU after a loss; then they go on without it. */
const GPU_REVIVALS = 1;

/** What ended the work of a host. */
type Loss = { reason: 'worker-lost'; message: string; adapter?: undefined } | GpuTrouble;

export interface LinkEvents {
  records(run: string, rows: Float32Array): void;
  progress(): void;
  ended(run: string, verdict: Verdict): void;
  failed(runs: string[], error: { code: ErrorCode; message: string }): void;
  notice(notice: RunNotice): void;
}

export interface LinkOrder {
  runs: RunPlan[];
  data: TrainingData;
  steps: number;
  choice: DeviceChoice;
}

interface Pending<T> {
  resolve(value: T): void;
  reject(error: unknown): void;
}

export class HostLink {
  /** Steps that every living run of this host has done; never falls. */
  step = 0;
  /** The limit last granted. */
  limit = 0;

  #port: Port;
  #watch: SilenceWatch | null = null;
  /** The port's host has its plan and has caught up: it takes orders. */
  #ready = false;
  #catchUp: number | null = null;
  readonly #running: Set<string>;
  readonly #final: Record<string, Snapshot> = {};
  readonly #kept: Record<string, KeptState> = {};
  #goal: { id: number; drain: boolean } | null = null;
  #stopping = false;
  #nextId = 1;
  readonly #reached = new Map<number, () => void>();
  readonly #snapshots = new Map<number, Pending<Record<string, Snapshot>>>();
  #planned: Pending<RunLayout[]> | null = null;
  #nRevival = 0;
  #choice: DeviceChoice;
  #closed = false;

  /** `openPort` opens a host for as many runs on a device. */
  constructor(
    port: Port,
    private readonly openPort: (device: Device, nRun: number) => Promise<Port>,
    private readonly order: LinkOrder,
    private readonly events: LinkEvents,
  ) {
    this.#port = port;
    this.#choice = order.choice;
    this.#running = new Set(order.runs.map(({ run }) => run));
  }

  get thread(): Port['thread'] {
    return this.#port.thread;
  }

  /** Hosts that advance on their own. */
  get nHost(): number {
    return this.#port.nHost;
  }

  /** Where its runs are, and why. */
  get choice(): DeviceChoice {
    return this.#choice;
  }

  get alive(): boolean {
    return !this.#closed && this.#running.size > 0;
  }

  /** Sends the plan; resolves with the layouts, rejects when the host refuses it. */
  plan(): Promise<RunLayout[]> {
    return new Promise((resolve, reject) => {
      this.#planned = { resolve, reject };
      this.#begin(this.#port);
    });
  }

  /** Resolves when the limit is reached or replaced. */
  advance(limit: number, drain: boolean): Promise<void> {
    if (!this.alive) return Promise.resolve();
    const id = this.#nextId++;
    this.limit = limit;
    this.#goal = { id, drain };
    return new Promise((resolve) => {
      this.#reached.set(id, resolve);
      this.#post({ type: 'advance', id, limit, drain });
    });
  }

  /** Of every run: its present state, or its last. */
  snapshots(): Promise<Record<string, Snapshot>> {
    if (this.order.runs.every(({ run }) => run in this.#final)) return Promise.resolve({ ...this.#final });
    if (this.#closed) return Promise.reject(stateless());
    const id = this.#nextId++;
    return new Promise((resolve, reject) => {
      this.#snapshots.set(id, { resolve, reject });
      this.#post({ type: 'snapshot', id });
    });
  }

  /** The page may be gone soon: what to go on from should be fresh. */
  keep(): void {
    this.#post({ type: 'keep' });
  }

  stop(): void {
    this.#stopping = true;
    this.#post({ type: 'stop' });
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#leave();
    if (this.#port.release) this.#port.release();
    else this.#port.close();
    this.#planned?.reject(stateless());
    this.#planned = null;
    for (const resolve of this.#reached.values()) resolve();
    for (const pending of this.#snapshots.values()) pending.reject(stateless());
    this.#reached.clear();
    this.#snapshots.clear();
  }

  /** Orders wait until the host takes them; #takeOrders passes on what is still wanted then. */
  #post(message: ClientMessage): void {
    if (this.#ready) this.#port.post(message);
  }

  #begin(port: Port): void {
    this.#port = port;
    port.onMessage = (message) => this.#receive(message);
    port.onLost = (reason) => this.#loseWorker(reason);
    if (port.thread === 'worker') {
      this.#watch = new SilenceWatch(
        () => this.#debt(),
        (seconds) => this.#loseWorker(`no sign of life for ${seconds} s`),
      );
    }
    const runs = this.order.runs
      .filter(({ run }) => this.#running.has(run))
      .map((plan) => ({ ...plan, from: this.#kept[plan.run] ?? plan.from }));
    const { data, steps } = this.order;
    port.post({ type: 'plan', runs, data, steps, device: this.#choice.device });
  }

  /** Nothing more comes from this port. */
  #leave(): void {
    this.#ready = false;
    this.#watch?.close();
    this.#port.onMessage = this.#port.onLost = () => {};
  }

  #debt(): Debt {
    if (!this.#ready || this.#goal) return 'work';
    return this.#snapshots.size > 0 || (this.#stopping && this.alive) ? 'answer' : null;
  }

  #receive(message: HostMessage): void {
    this.#watch?.hear(message);
    switch (message.type) {
      case 'planned':
        if (message.adapter !== null) this.#choice = { ...this.#choice, adapter: message.adapter };
        this.#planned?.resolve(message.runs);
        this.#planned = null;
        return this.#catchUpOrGoOn();
      case 'records':
        return this.events.records(message.run, message.rows);
      case 'progress':
        return this.#progress(message.step);
      case 'reached':
        return this.#arrive(message.id, message.step);
      case 'snapshots':
        this.#snapshots.get(message.id)?.resolve({ ...this.#final, ...message.snapshots });
        this.#snapshots.delete(message.id);
        return;
      case 'keep':
        Object.assign(this.#kept, message.runs);
        return;
      case 'ended':
        this.#running.delete(message.run);
        this.#final[message.run] = message.snapshot;
        return this.events.ended(message.run, message.verdict);
      case 'gpu-failed':
        return void this.#revive(message.trouble);
      case 'failed':
        return this.#fail(message.error);
    }
  }

  #catchUpOrGoOn(): void {
    if (this.step === 0) return this.#takeOrders();
    this.#catchUp = this.#nextId++;
    this.#port.post({ type: 'advance', id: this.#catchUp, limit: this.step, drain: false });
  }

  #takeOrders(): void {
    this.#ready = true;
    this.#catchUp = null;
    for (const id of this.#snapshots.keys()) this.#post({ type: 'snapshot', id });
    for (const id of this.#reached.keys()) if (id !== this.#goal?.id) this.#resolveReached(id);
    if (this.#stopping) this.#post({ type: 'stop' });
    if (this.#goal) this.#post({ type: 'advance', ...this.#goal, limit: this.limit });
  }

  #progress(step: number): void {
    this.step = Math.max(this.step, step);
    this.events.progress();
  }

  #arrive(id: number, step: number): void {
    if (id === this.#catchUp) return this.#takeOrders();
    if (this.#goal?.id === id) this.#goal = null;
    this.#resolveReached(id);
    this.#progress(step);
  }

  #resolveReached(id: number): void {
    this.#reached.get(id)?.();
    this.#reached.delete(id);
  }

  #fail(error: { code: ErrorCode; message: string }): void {
    if (this.#closed) return;
    const runs = [...this.#running];
    this.#running.clear();
    this.#planned?.reject(new NormscopeError(error.code, error.message));
    this.#planned = null;
    this.close();
    this.events.failed(runs, error);
  }

  #loseWorker(message: string): void {
    void this.#revive({ reason: 'worker-lost', message });
  }

  /** A new host takes over from the last kept state, or from the start: the same seed gives the same steps again. */
  async #revive(loss: Loss): Promise<void> {
    if (this.#closed) return;
    this.#leave();
    this.#port.close();
    for (const pending of this.#running.size === 0 ? this.#snapshots.values() : []) pending.resolve({ ...this.#final });
    if (this.#running.size === 0) return this.close();
    const failed = (why: string): void =>
      this.#fail({ code: 'worker-lost', message: `the worker of this run was lost: ${why}` });
    const before = this.#choice.device;
    if (!this.#mayGoOn(loss)) return failed(loss.message);
    this.#tell(loss, before);
    let port: Port;
    try {
      port = await this.openPort(this.#choice.device, this.#running.size);
    } catch (error) {
      return failed(`${loss.message}; a new one could not take over: ${describeError(error).message}`);
    }
    if (this.#closed) return port.close();
    this.#begin(port);
  }

  /** Counts the loss and settles where the runs go on. From the GPU there is always somewhere to go. */
  #mayGoOn(loss: Loss): boolean {
    if (this.#choice.device === 'wasm') return !this.#planned && this.#nRevival++ < REVIVALS;
    const isLoss = loss.reason === 'worker-lost' || loss.reason === 'device-lost';
    if (isLoss && !this.#planned && this.#nRevival++ < GPU_REVIVALS) return true;
    this.#nRevival = 0;
    const { adapter } = this.#choice;
    const reason = loss.reason === 'worker-lost' ? 'device-lost' : loss.reason;
    this.#choice = { device: 'wasm', reason, adapter: loss.adapter ?? adapter, message: loss.message };
    return true;
  }

  #tell({ reason, message }: Loss, before: Device): void {
    const { device } = this.#choice;
    const runs = [...this.#running];
    const fromStep = Math.min(...runs.map((run) => this.#kept[run]?.verdict.step ?? 0));
    const code = device === before ? (reason as 'worker-lost' | 'device-lost') : 'gpu-fallback';
    const what = reason === 'worker-lost' ? `a worker was lost (${message})` : message;
    const where = { 'worker-lost': 'in a new one', 'device-lost': 'on a new device', 'gpu-fallback': 'with WASM' }[
      code
    ];
    const text = `${what}; training goes on ${where} from step ${fromStep}`;
    this.events.notice({ code, runs, device, choice: this.#choice, fromStep, lastStep: this.step, message: text });
  }
}

const stateless = (): NormscopeError => new NormscopeError('worker-lost', 'this run has no state any more');
