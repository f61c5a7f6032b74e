/**
 * Computes training runs for a client: plans them, takes steps in short slices so that every message is heard at once,
 * and sends records in batches. The same host works in a worker and on the page's own thread.
 */
import { startBuild, type Engine } from '../runtime/core.js';
import { describeError } from '../runtime/errors.js';
import type { Snapshot } from '../runtime/types.js';
import type { ClientMessage, HostMessage } from './protocol.js';
import { RunState } from './run-state.js';
import { nextTurn } from './turns.js';
import type { VerdictState } from './verdict.js';

/** Milliseconds of stepping before the host listens again. */
const SLICE = 8;
/** At most about thirty batches of records a second. */
const FLUSH_INTERVAL = 33;
/** Between two snapshots kept for the case that this host is lost; no more than this many floats. */
const KEEP_INTERVAL = 2000;
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

  constructor(private readonly post: Post) {}

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
          message.build,
          typeof message.source === 'string' ? new URL(message.source) : message.source,
        );
        return this.post({ type: 'started' });
      case 'plan':
        return this.#plan(message);
      case 'advance':
        return this.#advance(message);
      case 'snapshot':
        return this.post({ type: 'snapshots', id: message.id, snapshots: await this.#snapshots() });
      case 'ping':
        return this.post({ type: 'pong' });
      case 'stop':
        for (const run of this.#live()) this.#end(run, () => run.stop());
        return this.#reached();
    }
  }

  #plan({ runs, data, steps, device }: Extract<ClientMessage, { type: 'plan' }>): void {
    this.#nStep = steps;
    for (const plan of runs) this.#runs.push(new RunState(this.#engine!, plan, data, device));
    this.post({ type: 'planned', runs: this.#runs.map((run) => run.layout) });
  }

  #live(): RunState[] {
    return this.#runs.filter((run) => !run.verdict);
  }

  /** Steps that every living run has done. */
  get #step(): number {
    return Math.min(this.#nStep, ...this.#live().map((run) => run.step));
  }

  #advance(goal: Advance): Promise<void> | void {
    this.#reached();
    this.#goal = goal;
    if (!this.#stepping) return this.#stepUntilReached();
  }

  async #stepUntilReached(): Promise<void> {
    this.#stepping = true;
    try {
      while (this.#goal && this.#live().length > 0 && this.#step < this.#goal.limit) {
        this.#slice(this.#goal.limit);
        this.post({ type: 'progress', step: this.#step });
        if (performance.now() - this.#lastFlush >= FLUSH_INTERVAL) this.#flush();
        await this.#keep();
        await nextTurn();
      }
    } finally {
      this.#stepping = false;
    }
    this.#reached();
  }

  /** Every living run takes the same step before any takes the next. */
  #slice(limit: number): void {
    const end = performance.now() + SLICE;
    do {
      for (const run of this.#live()) this.#end(run, () => run.takeStep(this.#nStep));
    } while (performance.now() < end && this.#step < limit && this.#live().length > 0);
  }

  /** Runs `work`, after which the run may have ended: its last records go out before its verdict. */
  #end(run: RunState, work: () => void): void {
    work();
    if (!run.verdict) return;
    this.#flush();
    this.post({ type: 'ended', run: run.run, verdict: run.verdict });
  }

  #reached(): void {
    const goal = this.#goal;
    if (!goal) return;
    this.#goal = null;
    if (goal.drain) this.#flush();
    else this.#flushLater();
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

  async #snapshots(): Promise<Record<string, Snapshot>> {
    const named: Record<string, Snapshot> = {};
    for (const run of this.#runs) named[run.run] = await run.snapshot();
    return named;
  }

  async #keep(): Promise<void> {
    if (performance.now() - this.#lastKeep < KEEP_INTERVAL) return;
    const nFloat = this.#runs.reduce((sum, run) => sum + 3 * run.layout.info.nParameter, 0);
    if (nFloat > KEEP_FLOATS) return;
    this.#lastKeep = performance.now();
    const runs: Record<string, { snapshot: Snapshot; verdict: VerdictState }> = {};
    for (const run of this.#live()) runs[run.run] = { snapshot: await run.snapshot(), verdict: run.verdictState };
    this.post({ type: 'keep', runs });
  }

  #fail(error: unknown): void {
    this.#flush();
    this.close();
    this.post({ type: 'failed', error: describeError(error) });
  }
}
