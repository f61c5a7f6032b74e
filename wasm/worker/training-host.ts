/**
 * Computes training runs for a client: plans them, takes steps in short slices so that every message is heard at once,
 * and sends records in batches. The same host works in a worker and on the page's own thread, by its core or on the GPU.
 */
import { startBuild, type Engine } from '../runtime/core.js';
import type { CoreBuild } from '../runtime/core-files.js';
import { describeError } from '../runtime/errors.js';
import { requireGpu, type GpuReady } from '../runtime/gpu-device.js';
import { gpuModule } from '../runtime/gpu-module.js';
import type { Snapshot } from '../runtime/types.js';
import { CpuRuns } from './cpu-runs.js';
import { troubleOf } from './gpu-trouble.js';
import type { ClientMessage, HostMessage, KeptState } from './protocol.js';
import type { Stepper } from './stepper.js';

/** At most about thirty batches of records a second. */
const FLUSH_INTERVAL = 33;
/**
 * Milliseconds between two states kept for the case that this host or its GPU is lost: what has to be computed again
 * then. By time and not by steps, because steps take from microseconds to minutes. A pause keeps one too, unless there is
 * one that is hardly older.
 */
const KEEP_INTERVAL = 2000;
const KEEP_INTERVAL_PAUSED = 100;

type Post = (message: HostMessage, transfer?: ArrayBuffer[]) => void;
type Advance = Extract<ClientMessage, { type: 'advance' }>;

export class TrainingHost {
  #engine: Engine | null = null;
  #runs: Stepper | null = null;
  #goal: Advance | null = null;
  #stepping = false;
  #stopping = false;
  #closed = false;
  /** Set while runs are to be on the GPU. */
  #gpu: { adapter: string | null } | null = null;
  #lastStep = 0;
  #lastFlush = 0;
  #lastKeep = performance.now();
  #flushTimer: ReturnType<typeof setTimeout> | undefined;
  /** Runs that have ended are on their way to the client. */
  #dismissal: Promise<void> = Promise.resolve();

  /** `keeps`: whether this host can be lost without its client, so that the client keeps states to go on from. */
  constructor(
    private readonly post: Post,
    private readonly keeps: boolean,
  ) {}

  /** Never throws: what goes wrong is sent as 'failed', or as 'gpu-failed' where another device may do better. */
  async receive(message: ClientMessage): Promise<void> {
    try {
      await this.#handle(message);
    } catch (error) {
      this.#fail(error);
    }
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#flushTimer);
    this.#goal = null;
    this.#runs?.free();
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
      case 'measure':
        return this.#measure(message);
      case 'advance':
        return this.#advance(message);
      case 'snapshot':
        return this.#sendSnapshots(message.id);
      case 'keep':
        return this.#keep(0);
      case 'stop':
        this.#stopping = true;
        if (!this.#stepping) return this.#stepUntilReached();
    }
  }

  async #plan(message: Extract<ClientMessage, { type: 'plan' }>): Promise<void> {
    const runs = message.device === 'webgpu' ? await this.#openOnGpu(message) : this.#openHere(message);
    if (this.#closed) return runs.free();
    this.#runs = runs;
    this.#lastStep = runs.step;
    this.post({ type: 'planned', runs: runs.layouts, adapter: this.#gpu?.adapter ?? null });
  }

  #openHere({ runs, data, steps }: Extract<ClientMessage, { type: 'plan' }>): Stepper {
    return new CpuRuns(this.#engine!, runs, data, steps, this.keeps);
  }

  async #openOnGpu({ runs, data, steps }: Extract<ClientMessage, { type: 'plan' }>): Promise<Stepper> {
    const { device } = await this.#requireGpu();
    const { GpuRuns } = await gpuModule(import('./gpu-runs.js'));
    const onLost = (error: unknown): void => this.#fail(error);
    return GpuRuns.open({ engine: this.#engine!, device, plans: runs, data, nStep: steps, keeps: true, onLost });
  }

  async #requireGpu(): Promise<GpuReady> {
    this.#gpu = { adapter: null };
    const gpu = await requireGpu();
    this.#gpu = gpu;
    return gpu;
  }

  async #measure({ runs, data }: Extract<ClientMessage, { type: 'measure' }>): Promise<void> {
    const gpu = await this.#requireGpu();
    const { measure } = await gpuModule(import('./measure.js'));
    const speeds = await measure(this.#engine!, gpu, runs, data);
    this.post({ type: 'measured', ...speeds, adapter: gpu.adapter });
  }

  #advance(goal: Advance): Promise<void> | void {
    this.#reached();
    this.#goal = goal;
    if (!this.#stepping) return this.#stepUntilReached();
  }

  /** Also lets what is in flight arrive, so that everything stands at one step afterwards. */
  async #stepUntilReached(): Promise<void> {
    this.#stepping = true;
    try {
      while (this.#hasWork) {
        this.#runs!.slice(this.#limit);
        await this.#report();
        await this.#runs!.turn();
        await this.#dismissEnded();
      }
    } finally {
      this.#stepping = false;
    }
    if (this.#closed) return;
    this.#reportProgress();
    if (this.#stopping) this.#runs!.stop();
    await this.#dismissEnded();
    this.#reached();
  }

  get #limit(): number {
    return this.#stopping ? 0 : (this.#goal?.limit ?? 0);
  }

  get #hasWork(): boolean {
    const { nRun, inFlight, step } = this.#runs!;
    return nRun > 0 && (inFlight || step < this.#limit);
  }

  async #report(): Promise<void> {
    await this.#dismissEnded();
    this.#reportProgress();
    if (performance.now() - this.#lastFlush >= FLUSH_INTERVAL) this.#flush();
    this.#keep(KEEP_INTERVAL);
  }

  #reportProgress(): void {
    const { step } = this.#runs!;
    if (step <= this.#lastStep) return;
    this.#lastStep = step;
    this.post({ type: 'progress', step });
  }

  /** The last records of a run go out before its verdict. */
  #dismissEnded(): Promise<void> | void {
    if (!this.#runs!.hasEnded) return;
    this.#flush();
    const ended = this.#runs!.takeEnded();
    return (this.#dismissal = ended.then((runs) => {
      for (const each of runs) this.post({ type: 'ended', ...each }, buffersOf(each.snapshot));
    }));
  }

  #reached(): void {
    const goal = this.#goal;
    if (!goal) return;
    this.#goal = null;
    if (goal.drain) {
      this.#flush();
      this.#keep(KEEP_INTERVAL_PAUSED);
    } else this.#flushLater();
    this.post({ type: 'reached', id: goal.id, step: this.#runs!.step });
  }

  #flush(): void {
    clearTimeout(this.#flushTimer);
    this.#flushTimer = undefined;
    this.#lastFlush = performance.now();
    for (const { run, rows } of this.#runs?.takeRows() ?? [])
      this.post({ type: 'records', run, rows }, [rows.buffer as ArrayBuffer]);
  }

  #flushLater(): void {
    this.#flushTimer ??= setTimeout(() => this.#flush(), FLUSH_INTERVAL);
  }

  /** Runs that ended before have been sent by then. */
  async #sendSnapshots(id: number): Promise<void> {
    const [snapshots] = await Promise.all([this.#runs!.snapshots(), this.#dismissal]);
    this.post({ type: 'snapshots', id, snapshots });
  }

  #keep(interval: number): void {
    const now = performance.now();
    if (!this.#runs?.keepDue(now - this.#lastKeep, interval)) return;
    this.#lastKeep = now;
    this.#runs.kept().then(
      (runs) => this.#sendKept(runs),
      (error: unknown) => this.#fail(error),
    );
  }

  /** After the rows up to there: whoever goes on from the states does not compute those again. */
  #sendKept(runs: Record<string, KeptState>): void {
    this.#flush();
    this.post(
      { type: 'keep', runs },
      Object.values(runs).flatMap(({ snapshot }) => buffersOf(snapshot)),
    );
  }

  /** The first failure is the last message. */
  #fail(error: unknown): void {
    if (this.#closed) return;
    this.#flush();
    this.close();
    const trouble = this.#gpu && troubleOf(error, this.#gpu.adapter);
    this.post(trouble ? { type: 'gpu-failed', trouble } : { type: 'failed', error: describeError(error) });
  }
}

/** What a message may take along instead of copying it. */
const buffersOf = ({ tensors }: Snapshot): ArrayBuffer[] =>
  Object.values(tensors).map(({ buffer }) => buffer as ArrayBuffer);
