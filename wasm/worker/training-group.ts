/** Training runs in lockstep over their hosts: what `train` and `trainAll` return. */
import { checkInteger, checkKeys } from '../runtime/checks.js';
import { startEngine, type Engine } from '../runtime/core.js';

import { abortable, describeError, NormscopeError, type ErrorCode } from '../runtime/errors.js';
import { decodeMetrics, HEADER } from '../runtime/metrics.js';
import type {
  Device,
  DeviceChoice,
  NumberFormat,
  RunInfo,
  RunNotice,
  Snapshot,
  StepMetrics,
  TrainAllRequest,
  TrainingRun,
  Verdict,
} from '../runtime/types.js';
import { chooseDevice } from './device-choice.js';
import { sessionWish } from '../runtime/wish.js';
import { openGpuHost } from './gpu-host.js';
import { HostLink } from './host-link.js';
import { openHost, poolSize, share } from './host-pool.js';
import { openPoolPort } from './pool-port.js';
import type { Port, RunLayout, RunPlan } from './protocol.js';
import { RecordQueue } from './record-queue.js';
import { reportOf } from './step-report.js';
import type { RunOrder } from './training-request.js';
import { VerdictTracker } from './verdict.js';

/** Steps that one host may be ahead of the slowest. */
const LOCKSTEP_WINDOW = 8;

/** What the client knows of one run. */
interface Member {
  plan: RunPlan;
  tracker: VerdictTracker;
  verdict: Verdict | null;
  layout: RunLayout | null;
  info: RunInfo | null;
  lastStep: number;
}

export class TrainingGroup implements TrainingRun {
  readonly started: Promise<RunInfo[]>;
  readonly finished: Promise<Verdict[]>;

  readonly #request: TrainAllRequest;
  readonly #members: Member[];
  readonly #queue: RecordQueue<StepMetrics>;
  #links: HostLink[] = [];
  #mode: 'running' | 'paused' | 'stopped';
  /** Commands run one after the other; a new pause, resume or stop makes queued steps void. */
  #commands: Promise<void> = Promise.resolve();
  #epoch = 0;
  #finish!: (verdicts: Verdict[]) => void;
  #finishing = false;
  #finalSnapshots: Promise<Snapshot[]> | null = null;
  #startError: NormscopeError | undefined;
  /** Of the caller's functions, those whose first error was reported. */
  readonly #complained = new Set<string>();
  readonly #onAbort = (): void => void this.stop();
  readonly #onVisibility = (): void => {
    if (document.visibilityState === 'hidden') for (const link of this.#live()) link.keep();
  };

  constructor({ request, runs, refusal }: RunOrder) {
    this.#request = request;
    this.#members = runs.map((plan) => ({
      plan,
      tracker: new VerdictTracker(),
      verdict: null,
      layout: null,
      info: null,
      lastStep: 0,
    }));
    this.#queue = new RecordQueue<StepMetrics>(!request.onMetrics);
    this.#mode = request.paused ? 'paused' : 'running';
    this.finished = new Promise((resolve) => (this.#finish = resolve));
    this.started = this.#start(refusal);
    this.started.catch(() => {}); // whoever only waits for `finished` learns of the error there
  }

  get verdict(): Verdict[] {
    return this.#members.map(({ verdict, tracker }) => verdict ?? tracker.verdict('running'));
  }

  async pause(): Promise<void> {
    this.#turn('paused');
    await this.#settled();
    const holding = Promise.all(this.#live().map((link) => link.advance(0, true)));
    await this.#enqueue(async () => {
      await holding;
      if (this.#mode === 'paused') await this.#advanceTo(this.#furthest());
    });
  }

  async resume(): Promise<void> {
    this.#turn('running');
    await this.#settled();
    this.#grant();
  }

  async step(request: { n?: number } = {}): Promise<void> {
    checkKeys('step', request, ['n']);
    const { n = 1 } = request;
    checkInteger('n', n, 1);
    if (this.#mode === 'running') await this.pause();
    const epoch = this.#epoch;
    await this.#settled();
    await this.#enqueue(async () => {
      if (epoch === this.#epoch) await this.#advanceTo(Math.min(this.#furthest() + n, this.#request.steps));
    });
  }

  async stop(): Promise<void> {
    this.#turn('stopped');
    await this.#settled();
    for (const link of this.#live()) link.stop();
    await this.finished;
  }

  /** Of the steps done so far; of the last step when the runs have ended. */
  async snapshot(): Promise<Snapshot[]> {
    await this.started;
    return this.#finalSnapshots ?? this.#collectSnapshots();
  }

  [Symbol.asyncIterator](): AsyncIterator<StepMetrics> {
    return this.#queue.iterate();
  }

  #turn(mode: 'running' | 'paused' | 'stopped'): void {
    this.#epoch += 1;
    if (this.#mode !== 'stopped') this.#mode = mode;
  }

  #settled(): Promise<unknown> {
    return this.started.catch(() => undefined);
  }

  #enqueue(command: () => Promise<void>): Promise<void> {
    return (this.#commands = this.#commands.then(command));
  }

  async #start(refusal: unknown): Promise<RunInfo[]> {
    try {
      if (refusal) throw refusal;
      const { signal } = this.#request;
      const engine = await startEngine({ signal });
      await abortable(this.#openLinks(engine), signal, 'the start of training');
      signal?.addEventListener('abort', this.#onAbort, { once: true });
      globalThis.document?.addEventListener('visibilitychange', this.#onVisibility);
      if (signal?.aborted) this.#turn('stopped');
      // In a later turn, so that a pause or stop called right after `train` comes before the first step.
      void Promise.resolve().then(() => (this.#mode === 'stopped' ? this.stop() : this.#grant()));
      return this.#members.map(({ info }) => info!);
    } catch (error) {
      const { code, message } = describeError(error);
      this.#mode = 'stopped';
      const failure = error instanceof NormscopeError ? error : new NormscopeError(code, message, { cause: error });
      if (code !== 'aborted') this.#startError = failure;
      for (const link of this.#links) link.close();
      for (const member of this.#members)
        this.#conclude(
          member,
          code === 'aborted' ? member.tracker.verdict('stopped') : member.tracker.verdict('failed', { code, message }),
        );
      this.#close();
      throw failure;
    }
  }

  /** All runs of the GPU are in one host; those of the core are shared out. */
  async #openLinks(engine: Engine): Promise<void> {
    const { data, device = sessionWish(undefined).device, thread } = this.#request;
    const runs = this.#members.map(({ plan }) => plan);
    const openGpu = (): Promise<Port> => openGpuHost(engine, thread);
    const { choice, host } = await chooseDevice({ engine, wish: device, runs, data, thread, openHost: openGpu });
    if (this.#finishing) return host?.close(); // aborted while the devices were timed
    if (choice.device === 'webgpu') {
      const openAnywhere = (device: Device, nRun: number): Promise<Port> =>
        device === 'webgpu' ? openGpu() : openPoolPort(poolSize(nRun, thread), () => openHost(engine, thread));
      return this.#openLink(host ?? (await openGpu()), openAnywhere, this.#members, choice);
    }
    if (device === 'webgpu') this.#sayFallback(choice);
    const open = (): Promise<Port> => openHost(engine, thread);
    const shares = share(this.#members, poolSize(runs.length, thread));
    await Promise.all(shares.map(async (members) => this.#openLink(await open(), open, members, choice)));
  }

  async #openLink(
    port: Port,
    openPort: (device: Device, nRun: number) => Promise<Port>,
    members: Member[],
    choice: DeviceChoice,
  ): Promise<void> {
    if (this.#finishing) return port.close(); // the start of a sibling has failed meanwhile
    const { data, steps } = this.#request;
    const order = { runs: members.map(({ plan }) => plan), data, steps, choice };
    const link = new HostLink(port, openPort, order, {
      records: (run, rows) => this.#receive(this.#member(run), rows),
      progress: () => this.#grant(),
      ended: (run, verdict) => this.#conclude(this.#member(run), verdict),
      failed: (runs, error) => this.#loseRuns(runs, error),
      notice: (notice) => this.#tell('onNotice', notice),
    });
    this.#links.push(link);
    for (const layout of await link.plan()) {
      const member = this.#member(layout.info.run);
      member.layout = layout;
      member.info = { ...layout.info, thread: link.thread, choice: link.choice };
      member.tracker = new VerdictTracker(layout.info.spec.format as NumberFormat);
    }
  }

  /** The GPU was asked for by name and there is none. */
  #sayFallback(choice: DeviceChoice): void {
    const runs = this.#members.map(({ plan }) => plan.run);
    const message = `${choice.message}; training runs with WASM`;
    this.#tell('onNotice', {
      ...{ code: 'gpu-fallback', runs, device: 'wasm', choice, fromStep: 0, lastStep: 0, message },
    });
  }

  #member(run: string): Member {
    return this.#members.find(({ plan }) => plan.run === run)!;
  }

  #live(): HostLink[] {
    return this.#links.filter((link) => link.alive);
  }

  /** Lets every host go on, but none more than the window ahead of the slowest. */
  #grant(): void {
    const live = this.#live();
    if (this.#mode !== 'running' || live.length === 0) return;
    const { steps } = this.#request;
    const nHost = live.reduce((sum, link) => sum + link.nHost, 0);
    const limit = nHost === 1 ? steps : Math.min(steps, Math.min(...live.map((link) => link.step)) + LOCKSTEP_WINDOW);
    for (const link of live) if (limit > link.limit) void link.advance(limit, false);
  }

  #furthest(): number {
    return Math.max(0, ...this.#live().map((link) => link.step));
  }

  async #advanceTo(limit: number): Promise<void> {
    await Promise.all(this.#live().map((link) => link.advance(limit, true)));
  }

  /** Rows of a replaced worker repeat steps that are known already. */
  #receive(member: Member, rows: Float32Array): void {
    const { info, rowWidth } = member.layout!;
    for (let start = 0; start < rows.length; start += rowWidth) {
      const row = rows.subarray(start, start + rowWidth);
      if (row[HEADER.step]! <= member.lastStep) continue;
      member.lastStep = row[HEADER.step]!;
      const metrics = decodeMetrics(info.run, row, info);
      member.tracker.take(reportOf(metrics, row, info));
      this.#queue.push(metrics);
      this.#tell('onMetrics', metrics);
    }
  }

  /** An error in the caller's function, also in an async one, is the caller's: it is reported, and the run goes on. */
  #tell(name: 'onMetrics', news: StepMetrics): void;
  #tell(name: 'onNotice', news: RunNotice): void;
  #tell(name: 'onMetrics' | 'onNotice', news: StepMetrics | RunNotice): void {
    const report = (error: unknown): void => {
      if (!this.#complained.has(name)) console.error(`normscope: ${name} failed; training goes on`, error);
      this.#complained.add(name);
    };
    try {
      const tell = this.#request[name] as ((news: unknown) => unknown) | undefined;
      const result = tell?.(news) as PromiseLike<unknown> | undefined;
      if (typeof result?.then === 'function') result.then(undefined, report);
    } catch (error) {
      report(error);
    }
  }

  #conclude(member: Member, verdict: Verdict): void {
    member.verdict ??= verdict;
    this.#grant();
    if (this.#members.every((each) => each.verdict)) this.#close();
  }

  #loseRuns(runs: string[], error: { code: ErrorCode; message: string }): void {
    for (const member of runs.map((run) => this.#member(run)))
      this.#conclude(member, member.tracker.verdict('failed', error));
  }

  #close(): void {
    if (this.#finishing) return;
    this.#finishing = true;
    this.#request.signal?.removeEventListener('abort', this.#onAbort);
    globalThis.document?.removeEventListener('visibilitychange', this.#onVisibility);
    this.#finalSnapshots = this.#collectSnapshots();
    void this.#finalSnapshots
      .catch(() => undefined)
      .then(() => {
        for (const link of this.#links) link.close();
        const lost = this.#members.find(({ verdict }) => verdict!.code === 'failed')?.verdict?.error;
        this.#queue.close(this.#startError ?? (lost && new NormscopeError(lost.code as ErrorCode, lost.message)));
        this.#finish(this.verdict);
      });
  }

  async #collectSnapshots(): Promise<Snapshot[]> {
    const named = Object.assign({}, ...(await Promise.all(this.#links.map((link) => link.snapshots())))) as Record<
      string,
      Snapshot
    >;
    return this.#members.map(({ plan }) => named[plan.run]!);
  }
}
