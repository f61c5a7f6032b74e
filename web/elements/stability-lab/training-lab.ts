/** One experiment at a time: starts the package's runs, files their records, tells the page when something changed. */
import { trainAll } from 'normscope';
import type {
  DatasetInfo,
  DeviceWish,
  RunInfo,
  RunNotice,
  Snapshot,
  StepMetrics,
  TrainingData,
  TrainingRun,
  Verdict,
} from 'normscope';
import { plannedBytes } from './machine.js';
import { RunRecord } from './metric-store.js';
import { Pace } from './pace.js';
import type { LabRun } from './settings.js';

export type LabPhase = 'idle' | 'starting' | 'running' | 'paused' | 'ended' | 'failed';

export interface LabFailure {
  code: string;
  /** The package's own sentence. */
  message: string;
}

export interface LabRequest {
  runs: readonly LabRun[];
  data: TrainingData;
  steps: number;
  device: DeviceWish;
  paused?: boolean;
}

export interface LabEvents {
  /** The phase changed. */
  onPhase: (phase: LabPhase) => void;
  /** New records are in; called once per record. */
  onData: () => void;
  /** Something happened to the machine below; the runs go on. */
  onNotice: (notice: RunNotice) => void;
}

export class TrainingLab {
  phase: LabPhase = 'idle';
  records: RunRecord[] = [];
  /** One per record; null while the run goes on. */
  verdicts: (Verdict | null)[] = [];
  failure: LabFailure | null = null;
  totalSteps = 0;
  /** What happened to the machine, oldest first. */
  notices: readonly RunNotice[] = [];
  /** Bytes that the runs need by their plans; null while unknown. */
  planned: number | null = null;
  /** Steps of the furthest run. */
  pace = new Pace();
  /** Steps of all runs together. */
  pooledPace = new Pace();
  #pooledSteps = 0;
  #events: LabEvents;
  #train: typeof trainAll;
  #run: TrainingRun | null = null;
  #abort: AbortController | null = null;

  /** `train` is the package's; a test may give another. */
  constructor(events: LabEvents, train: typeof trainAll = trainAll) {
    this.#events = events;
    this.#train = train;
  }

  get dataset(): DatasetInfo | null {
    return this.records[0]?.info.dataset ?? null;
  }

  /** Steps that the furthest run has done. */
  get stepsDone(): number {
    return Math.max(0, ...this.records.map((record) => record.steps.at(-1) ?? 0));
  }

  get active(): boolean {
    return this.phase === 'starting' || this.phase === 'running' || this.phase === 'paused';
  }

  /** Ends what was running and starts anew. Settles when the first step can begin, or the start has failed. */
  async start({ runs, data, steps, device, paused = false }: LabRequest): Promise<void> {
    this.reset();
    const abort = new AbortController();
    this.#abort = abort;
    this.totalSteps = steps;
    this.#enter('starting');
    try {
      const onMetrics = (metrics: StepMetrics) => abort.signal.aborted || this.#file(metrics);
      const specs = runs.map(({ spec }) => spec);
      const onNotice = (notice: RunNotice) => abort.signal.aborted || this.#heed(notice);
      const run = this.#train({ specs, data, steps, device, paused, onMetrics, onNotice, signal: abort.signal });
      this.#run = run;
      const ended = run.finished;
      ended.catch(() => undefined);
      this.#open(await run.started, runs, abort.signal);
      if (abort.signal.aborted) return;
      this.#enter(paused ? 'paused' : 'running');
      void this.#awaitEnd(ended, abort.signal);
      void this.#plan(runs, data, abort.signal);
    } catch (error) {
      if (!abort.signal.aborted) this.fail(asFailure(error));
    }
  }

  async pause(): Promise<void> {
    if (this.phase !== 'running') return;
    this.#enter('paused');
    await this.#run?.pause();
  }

  async resume(): Promise<void> {
    if (this.phase !== 'paused') return;
    this.#forgetPace();
    this.#enter('running');
    await this.#run?.resume();
  }

  /** One step, then paused. */
  async step(): Promise<void> {
    if (this.phase === 'running') this.#enter('paused');
    if (this.phase !== 'paused') return;
    this.#forgetPace();
    await this.#run?.step({ n: 1 });
  }

  async stop(): Promise<void> {
    if (this.active) await this.#run?.stop();
  }

  /** The runs' parameters, as they are now; empty before a run. One per record. */
  async snapshots(): Promise<Snapshot[]> {
    return (await this.#run?.snapshot()) ?? [];
  }

  /** Stops and forgets everything. */
  reset(): void {
    this.#abort?.abort();
    const run = this.#run;
    this.#run = null;
    void run?.stop().catch(() => undefined);
    this.records = [];
    this.verdicts = [];
    this.failure = null;
    this.totalSteps = 0;
    this.notices = [];
    this.planned = null;
    this.pace = new Pace();
    this.pooledPace = new Pace();
    this.#pooledSteps = 0;
    this.#enter('idle');
  }

  fail(failure: LabFailure): void {
    this.#abort?.abort();
    this.failure = failure;
    this.#enter('failed');
  }

  #enter(phase: LabPhase): void {
    if (phase === this.phase) return;
    this.phase = phase;
    this.#events.onPhase(phase);
  }

  #open(infos: readonly RunInfo[], runs: readonly LabRun[], signal: AbortSignal): void {
    if (signal.aborted || this.records.length) return;
    this.records = infos.map((info, i) => new RunRecord(info, runs[i]));
    this.verdicts = infos.map(() => null);
  }

  /** A pause is no part of any speed. */
  #forgetPace(): void {
    this.pace.reset();
    this.pooledPace.reset();
  }

  /** The runs go on; where they compute may have changed. */
  #heed(notice: RunNotice): void {
    this.notices = [...this.notices, notice];
    for (const record of this.records) if (notice.runs.includes(record.info.run)) record.choice = notice.choice;
    this.#events.onNotice(notice);
  }

  /** Plans the runs once more, for their memory. A number for the eye: what fails here is not missed. */
  async #plan(runs: readonly LabRun[], data: TrainingData, signal: AbortSignal): Promise<void> {
    const planned = await plannedBytes(runs, data).catch(() => null);
    if (signal.aborted) return;
    this.planned = planned;
    this.#events.onData();
  }

  #file(metrics: StepMetrics): void {
    const record = this.records.find(({ info }) => info.run === metrics.run);
    if (!record) return;
    record.append(metrics);
    const now = performance.now();
    if (record === this.records[0] || metrics.step > this.stepsDone - 1) this.pace.mark(metrics.step, now);
    this.pooledPace.mark((this.#pooledSteps += 1), now);
    this.#readVerdicts();
    this.#events.onData();
  }

  /** A run that diverged ends before the others: its verdict is shown at once. */
  #readVerdicts(): void {
    this.#run?.verdict.forEach((verdict, index) => {
      if (verdict && verdict.code !== 'running') this.verdicts[index] ??= verdict;
    });
  }

  async #awaitEnd(ended: Promise<Verdict[]>, signal: AbortSignal): Promise<void> {
    try {
      const verdicts = await ended;
      if (signal.aborted) return;
      this.verdicts = verdicts;
      const failed = verdicts.find(({ code, error }) => code === 'failed' && error);
      if (failed?.error) this.failure = failed.error;
      this.#enter(verdicts.every(({ code }) => code === 'failed') ? 'failed' : 'ended');
    } catch (error) {
      if (!signal.aborted) this.fail(asFailure(error));
    }
  }
}

export function asFailure(error: unknown): LabFailure {
  const code = (error as { code?: unknown } | null)?.code;
  const message = error instanceof Error ? error.message : String(error);
  return { code: typeof code === 'string' ? code : 'other', message };
}
