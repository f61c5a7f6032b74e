/**
 * One connection to a training host: requests with answers, and a new worker from the last kept state when one is lost.
 * The new one first repeats the steps that the lost one had reported, so that nothing is taken back; what was asked for
 * meanwhile (steps, snapshots, a stop) is passed on after that.
 */
import { describeError, NormscopeError, type ErrorCode } from '../runtime/errors.js';
import type { DeviceWish, Snapshot, TrainingData, Verdict } from '../runtime/types.js';
import type { ClientMessage, HostMessage, KeptState, Port, RunLayout, RunPlan } from './protocol.js';
import { SilenceWatch, type Debt } from './silence-watch.js';

/** How often a lost worker is replaced. */
const REVIVALS = 2;

export interface LinkEvents {
  records(run: string, rows: Float32Array): void;
  progress(): void;
  ended(run: string, verdict: Verdict): void;
  failed(runs: string[], error: { code: ErrorCode; message: string }): void;
}

export interface LinkOrder {
  runs: RunPlan[];
  data: TrainingData;
  steps: number;
  device: DeviceWish;
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
  #kept: Record<string, KeptState> = {};
  #goal: { id: number; drain: boolean } | null = null;
  #stopping = false;
  #nextId = 1;
  readonly #reached = new Map<number, () => void>();
  readonly #snapshots = new Map<number, Pending<Record<string, Snapshot>>>();
  #planned: Pending<RunLayout[]> | null = null;
  #nRevival = 0;
  #closed = false;

  constructor(
    port: Port,
    private readonly openPort: () => Promise<Port>,
    private readonly order: LinkOrder,
    private readonly events: LinkEvents,
  ) {
    this.#port = port;
    this.#running = new Set(order.runs.map(({ run }) => run));
  }

  get thread(): Port['thread'] {
    return this.#port.thread;
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

  stop(): void {
    this.#stopping = true;
    this.#post({ type: 'stop' });
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#drop();
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
    port.onLost = (reason) => void this.#revive(reason);
    if (port.thread === 'worker') {
      this.#watch = new SilenceWatch(
        () => this.#debt(),
        (seconds) => void this.#revive(`no sign of life for ${seconds} s`),
      );
    }
    const runs = this.order.runs
      .filter(({ run }) => this.#running.has(run))
      .map((plan) => ({ ...plan, from: this.#kept[plan.run] ?? plan.from }));
    port.post({ type: 'plan', ...this.order, runs });
  }

  /** Nothing more comes from this port. */
  #drop(): void {
    this.#ready = false;
    this.#watch?.close();
    this.#port.onMessage = this.#port.onLost = () => {};
    this.#port.close();
  }

  #debt(): Debt {
    if (!this.#ready || this.#goal) return 'work';
    return this.#snapshots.size > 0 || (this.#stopping && this.alive) ? 'answer' : null;
  }

  #receive(message: HostMessage): void {
    this.#watch?.hear(message);
    switch (message.type) {
      case 'planned':
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
        this.#kept = message.runs;
        return;
      case 'ended':
        this.#running.delete(message.run);
        this.#final[message.run] = message.snapshot;
        return this.events.ended(message.run, message.verdict);
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

  /** A new host takes over from the last kept state, or from the start: the same seed gives the same steps again. */
  async #revive(reason: string): Promise<void> {
    if (this.#closed) return;
    this.#drop();
    for (const pending of this.#running.size === 0 ? this.#snapshots.values() : []) pending.resolve({ ...this.#final });
    if (this.#running.size === 0) return this.close();
    const failed = (why: string): void =>
      this.#fail({ code: 'worker-lost', message: `the worker of this run was lost: ${why}` });
    if (this.#planned || this.#nRevival++ >= REVIVALS) return failed(reason);
    let port: Port;
    try {
      port = await this.openPort();
    } catch (error) {
      return failed(`${reason}; a new one could not take over: ${describeError(error).message}`);
    }
    if (this.#closed) return port.close();
    this.#begin(port);
  }
}

const stateless = (): NormscopeError => new NormscopeError('worker-lost', 'this run has no state any more');
