/**
 * Computes training runs for a client: plans them, takes steps in short slices so that every message is heard at once,
 * and sends records in batches. The same host works in a worker and on the page's own thread.
 */
import { startBuild, type Engine } from '../runtime/core.js';
import type { CoreBuild } from '../runtime/core-files.js';
import { describeError } from '../runtime/errors.js';
import type { Snapshot } from '../runtime/types.js';
import type { ClientMessage, HostMessage, KeptState } from './protocol.js';
import { RunState } from './run-state.js';
import { nextTurn } from './turns.js';

/** Milliseconds of stepping before the host listens again. */
const SLICE = 8;
/** At most about thirty batches of records a second. */
const FLUSH_INTERVAL = 33;
/**
 * Milliseconds between two states kept for the case that this host is lost: what has to be computed again then. By time
 * and not by steps, because steps take from microseconds to minutes. States of more than KEEP_FLOATS floats are kept
 * proportionally more seldom; a pause keeps one too, unless there is one that is hardly older.
 */
const KEEP_INTERVAL = 2000;
const KEEP_INTERVAL_PAUSED = 100;
const KEEP_FLOATS = 4_000_000;

type Post = (message: HostMessage, transfer?: ArrayBuffer[]) => void;
type Advance = Extract<ClientMessage, { type: 'advance' }>;

export class TrainingHost {
  #engine: Engine | null = null;
  #runs: RunState[] = [];
  #nStep = 0;
  #goal: Advance | null = null;
  #stepping = false;
  #lastFlush = 0;
  #lastKeep = performance.now();
  #flushTimer: ReturnType<typeof setTimeout> | undefined;

  /** `keeps`: whether this host can be lost without its client, so that the client keeps states to go on from. */
  constructor(
    private readonly post: Post,
    private readonly keeps: boolean,
  ) {}

  /** Never throws: what goes wrong is sent as 'failed'. */
  async receive(message: ClientMessage): Promise<void> {
    try {
      await this.#handle(message);
    } catch (error) {
      this.#fail(error);
    }
  }

  close(): void {
    clearTimeout(this.#flushTimer);
    this.#goal = null;
    for (const run of this.#runs) run.free();
    this.#runs = [];
  }

  async #handle(message: ClientMessage): Promise<void> {
    switch (message.type) {
      case 'start':
        this.#engine = await startBuild(
          message.build as CoreBuild,
          typeof message.source === 'string' ? new URL(message.source) : message.source,
        );
        return this.post({ type: 'started' });
      case 'plan':
        return this.#plan(message);
      case 'advance':
        return this.#advance(message);
      case 'snapshot':
        return this.post({ type: 'snapshots', id: message.id, snapshots: this.#snapshots() });
      case 'stop':
        for (const run of this.#runs) run.stop();
        this.#dismissEnded();
        return this.#reached();
    }
  }

  #plan({ runs, data, steps, device }: Extract<ClientMessage, { type: 'plan' }>): void {
    this.#nStep = steps;
    for (const plan of runs) this.#runs.push(new RunState(this.#engine!, plan, data, device));
    this.post({ type: 'planned', runs: this.#runs.map((run) => run.layout) });
  }

  /** Steps that every run has done. */
  get #step(): number {
    return Math.min(this.#nStep, ...this.#runs.map((run) => run.step));
  }

  #advance(goal: Advance): Promise<void> | void {
    this.#reached();
    this.#goal = goal;
    if (!this.#stepping) return this.#stepUntilReached();
  }

  async #stepUntilReached(): Promise<void> {
    this.#stepping = true;
    try {
      while (this.#goal && this.#runs.length > 0 && this.#step < this.#goal.limit) {
        this.#slice(this.#goal.limit);
        this.post({ type: 'progress', step: this.#step });
        if (performance.now() - this.#lastFlush >= FLUSH_INTERVAL) this.#flush();
        this.#keep(KEEP_INTERVAL);
        await nextTurn();
      }
    } finally {
      this.#stepping = false;
    }
    this.#reached();
  }

  /** Every run takes the same step before any takes the next. */
  #slice(limit: number): void {
    const end = performance.now() + SLICE;
    do {
      for (const run of this.#runs) run.takeStep(this.#nStep);
      this.#dismissEnded();
    } while (performance.now() < end && this.#step < limit && this.#runs.length > 0);
  }

  /** The last records of a run go out before its verdict. */
  #dismissEnded(): void {
    const ended = this.#runs.filter((run) => run.verdict);
    if (ended.length === 0) return;
    this.#flush();
    this.#runs = this.#runs.filter((run) => !run.verdict);
    for (const run of ended) {
      const snapshot = run.snapshot();
      run.free();
      this.post({ type: 'ended', run: run.run, verdict: run.verdict!, snapshot }, buffersOf(snapshot));
    }
  }

  #reached(): void {
    const goal = this.#goal;
    if (!goal) return;
    this.#goal = null;
    if (goal.drain) {
      this.#flush();
      this.#keep(KEEP_INTERVAL_PAUSED);
    } else this.#flushLater();
    this.post({ type: 'reached', id: goal.id, step: this.#step });
  }

  #flush(): void {
    clearTimeout(this.#flushTimer);
    this.#flushTimer = undefined;
    this.#lastFlush = performance.now();
    for (const run of this.#runs) {
      const rows = run.takeRows();
      if (rows) this.post({ type: 'records', run: run.run, rows }, [rows.buffer as ArrayBuffer]);
    }
  }

  #flushLater(): void {
    this.#flushTimer ??= setTimeout(() => this.#flush(), FLUSH_INTERVAL);
  }

  #snapshots(): Record<string, Snapshot> {
    return Object.fromEntries(this.#runs.map((run) => [run.run, run.snapshot()]));
  }

  #keep(interval: number): void {
    if (!this.keeps || this.#runs.length === 0) return;
    const nFloat = this.#runs.reduce((sum, run) => sum + 3 * run.layout.info.nParameter, 0);
    if (performance.now() - this.#lastKeep < interval * Math.max(1, nFloat / KEEP_FLOATS)) return;
    this.#lastKeep = performance.now();
    const runs: Record<string, KeptState> = Object.fromEntries(this.#runs.map((run) => [run.run, run.kept()]));
    this.post(
      { type: 'keep', runs },
      Object.values(runs).flatMap(({ snapshot }) => buffersOf(snapshot)),
    );
  }

  #fail(error: unknown): void {
    this.#flush();
    this.close();
    this.post({ type: 'failed', error: describeError(error) });
  }
}

/** What a message may take along instead of copying it. */
const buffersOf = ({ tensors }: Snapshot): ArrayBuffer[] =>
  Object.values(tensors).map(({ buffer }) => buffer as ArrayBuffer);
