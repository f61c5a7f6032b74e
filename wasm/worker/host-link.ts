/** One connection to a training host: requests with answers, and a new worker from the last kept state when one is lost. */
import { NormscopeError, type ErrorCode } from '../runtime/errors.js';
import type { DeviceWish, Snapshot, TrainingData, Verdict } from '../runtime/types.js';
import type { HostMessage, Port, RunLayout, RunPlan } from './protocol.js';
import type { VerdictState } from './verdict.js';

/** A silent worker that owes steps is asked after this many milliseconds, and given up after as many again. */
const PATIENCE = 30_000;
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
  /** Steps that every living run of this host has done. */
  step = 0;
  /** The limit last granted. */
  limit = 0;

  #port: Port;
  readonly #running: Set<string>;
  #goal: { id: number; drain: boolean } | null = null;
  #nextId = 1;
  readonly #reached = new Map<number, () => void>();
  readonly #snapshots = new Map<number, Pending<Record<string, Snapshot>>>();
  #planned: Pending<RunLayout[]> | null = null;
  #kept: Record<string, { snapshot: Snapshot; verdict: VerdictState }> = {};
  #nRevival = 0;
  #heard = true;
  #watch: ReturnType<typeof setInterval> | undefined;
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
    return this.#running.size > 0;
  }

  /** Sends the plan; resolves with the layouts, rejects when the host refuses it. */
  plan(): Promise<RunLayout[]> {
    return new Promise((resolve, reject) => {
      this.#planned = { resolve, reject };
      this.#listen();
      this.#port.post({ type: 'plan', ...this.order });
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
      this.#port.post({ type: 'advance', id, limit, drain });
    });
  }

  snapshots(): Promise<Record<string, Snapshot>> {
    const id = this.#nextId++;
    return new Promise((resolve, reject) => {
      if (this.#closed) return reject(new NormscopeError('worker-lost', 'this run has no state any more'));
      this.#snapshots.set(id, { resolve, reject });
      this.#port.post({ type: 'snapshot', id });
    });
  }

  stop(): void {
    this.#port.post({ type: 'stop' });
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    clearInterval(this.#watch);
    this.#port.close();
    this.#settleAll(new NormscopeError('worker-lost', 'this run has no state any more'));
  }

  #listen(): void {
    const port = this.#port;
    port.onMessage = (message) => this.#receive(message);
    port.onLost = (reason) => port === this.#port && void this.#revive(reason);
    if (port.thread === 'worker') this.#watch ??= setInterval(() => this.#checkOn(), PATIENCE);
    (this.#watch as { unref?: () => void } | undefined)?.unref?.();
  }

  #receive(message: HostMessage): void {
    this.#heard = true;
    switch (message.type) {
      case 'planned':
        this.#planned?.resolve(message.runs);
        this.#planned = null;
        return;
      case 'records':
        return this.events.records(message.run, message.rows);
      case 'progress':
        this.step = message.step;
        return this.events.progress();
      case 'reached':
        this.step = message.step;
        if (this.#goal?.id === message.id) this.#goal = null;
        this.#reached.get(message.id)?.();
        this.#reached.delete(message.id);
        return this.events.progress();
      case 'snapshots':
        this.#snapshots.get(message.id)?.resolve(message.snapshots);
        this.#snapshots.delete(message.id);
        return;
      case 'keep':
        this.#kept = message.runs;
        return;
      case 'ended':
        this.#running.delete(message.run);
        return this.events.ended(message.run, message.verdict);
      case 'failed':
        return this.#fail(message.error);
    }
  }

  #fail(error: { code: ErrorCode; message: string }): void {
    const runs = [...this.#running];
    this.#running.clear();
    this.#planned?.reject(new NormscopeError(error.code, error.message));
    this.#planned = null;
    this.close();
    this.events.failed(runs, error);
  }

  #settleAll(error: NormscopeError): void {
    for (const resolve of this.#reached.values()) resolve();
    for (const pending of this.#snapshots.values()) pending.reject(error);
    this.#reached.clear();
    this.#snapshots.clear();
  }

  #checkOn(): void {
    if (!this.#goal || this.#heard) {
      this.#heard = false;
      if (this.#goal) this.#port.post({ type: 'ping' });
      return;
    }
    void this.#revive(`no sign of life for ${PATIENCE / 1000} s`);
  }

  /** A new host takes over from the last kept state, or from the start: the same seed gives the same steps again. */
  async #revive(reason: string): Promise<void> {
    if (this.#closed) return;
    this.#port.close();
    const failed = (why: string): void =>
      this.#fail({ code: 'worker-lost', message: `the worker of this run was lost: ${why}` });
    if (this.#planned || this.#nRevival++ >= REVIVALS) return failed(reason);
    try {
      this.#port = await this.openPort();
      const runs = this.order.runs
        .filter(({ run }) => this.#running.has(run))
        .map((plan) => ({ ...plan, from: this.#kept[plan.run] ?? plan.from }));
      await new Promise<RunLayout[]>((resolve, reject) => {
        this.#planned = { resolve, reject };
        this.#listen();
        this.#port.post({ type: 'plan', ...this.order, runs });
      });
    } catch (error) {
      return failed(
        `${reason}; a new one could not take over: ${error instanceof Error ? error.message : String(error)}`,
      );
    }
    for (const id of this.#snapshots.keys()) this.#port.post({ type: 'snapshot', id });
    for (const [id, resolve] of this.#reached) if (id !== this.#goal?.id) resolve();
    if (this.#goal) this.#port.post({ type: 'advance', ...this.#goal, limit: this.limit });
  }
}
