/** A sweep under way: hands cells out to training runs, a few at a time, and collects their records. */
import { startEngine, type Engine } from '../runtime/core.js';
import type { TrainingRun, Verdict } from '../runtime/types.js';
import { poolSize } from '../worker/host-pool.js';
import { RecordQueue } from '../worker/record-queue.js';
import { trainAll } from '../worker/training-client.js';
import { nextTurn } from '../worker/turns.js';
import { CellRun, isFinal, type SweepTraits } from './cell-run.js';
import type { Cell } from './grid.js';
import { identityOf } from './identity.js';
import { sortRecords } from './records.js';
import type { Experiment, ExperimentProgress, ExperimentRecord, ExperimentRequest } from './types.js';
import { WorkClock, workOf } from './work-clock.js';

/** Milliseconds between two reports of progress while runs step. */
const PROGRESS_INTERVAL = 100;
/** Runs in lockstep unless the caller says otherwise. */
const LOCKSTEP_GROUP = 16;

/** Cells that one training call runs. */
interface Group {
  run: TrainingRun;
  cells: CellRun[];
  written: Map<CellRun, ExperimentRecord>;
}

export class Sweep implements Experiment {
  readonly records: Promise<ExperimentRecord[]>;

  readonly #known: ExperimentRecord[] = [];
  readonly #queue = new RecordQueue<ExperimentRecord>(true);
  readonly #earlier = new Map<string, ExperimentRecord>();
  readonly #groups = new Set<Group>();
  readonly #waiting: Cell[];
  readonly #clock: WorkClock;
  #state: ExperimentProgress['state'] = 'running';
  /** Resolves when a pause is over. */
  #gate: Promise<void> = Promise.resolve();
  #openGate: () => void = () => {};
  /** onRecord sees one record at a time. */
  #writing: Promise<void> = Promise.resolve();
  #nKept = 0;
  #lastReport = 0;

  constructor(
    private readonly request: ExperimentRequest,
    private readonly cells: Cell[],
    private readonly traits: SweepTraits,
    refusal: unknown,
  ) {
    this.#waiting = [...cells];
    this.#clock = new WorkClock(cells.reduce((sum, cell) => sum + workOf(cell), 0));
    for (const record of request.done ?? []) if (isFinal(record)) this.#earlier.set(identityOf(record), record);
    this.records = this.#run(refusal);
    this.records.catch(() => {}); // whoever only iterates learns of the error there
  }

  get progress(): ExperimentProgress {
    const running = [...this.#groups].flatMap(({ cells, written }) => cells.filter((cell) => !written.has(cell)));
    const underWay = running.reduce((sum, { given, step }) => sum + (workOf(given) * step) / this.traits.steps, 0);
    return {
      state: this.#state,
      nCell: this.cells.length,
      nDone: this.#known.length,
      nKept: this.#nKept,
      running: running.map(({ given: { index, cell }, step }) => ({ index, cell, step })),
      ...this.#clock.estimate(underWay),
    };
  }

  async pause(): Promise<void> {
    if (this.#state !== 'running') return;
    this.#state = 'paused';
    this.#gate = new Promise((resolve) => (this.#openGate = resolve));
    this.#clock.hold();
    await Promise.all([...this.#groups].map(({ run }) => run.pause()));
    this.#report();
  }

  async resume(): Promise<void> {
    if (this.#state !== 'paused') return;
    this.#state = 'running';
    this.#clock.run();
    this.#openGate();
    await Promise.all([...this.#groups].map(({ run }) => run.resume()));
    this.#report();
  }

  async cancel(): Promise<ExperimentRecord[]> {
    this.#stop();
    return this.records;
  }

  [Symbol.asyncIterator](): AsyncIterator<ExperimentRecord> {
    return this.#queue.iterate();
  }

  #stop(): void {
    if (this.#state === 'finished' || this.#state === 'cancelled') return;
    this.#state = 'cancelled';
    this.#openGate();
    for (const { run } of this.#groups) void run.stop();
  }

  async #run(refusal: unknown): Promise<ExperimentRecord[]> {
    const { signal, mode } = this.request;
    const onAbort = (): void => this.#stop();
    try {
      if (refusal) throw refusal;
      signal?.addEventListener('abort', onAbort, { once: true });
      if (signal?.aborted) this.#stop();
      const engine = await startEngine();
      if (this.#state === 'running') this.#clock.run();
      const nLane = mode === 'lockstep' ? 1 : this.#concurrency();
      await Promise.all(Array.from({ length: nLane }, () => this.#workThrough(engine)));
      await this.#writing;
      if (this.#state !== 'cancelled') this.#state = 'finished';
      this.#report();
      this.#queue.close();
      return sortRecords(this.#known);
    } catch (error) {
      this.#stop();
      this.#queue.close(error);
      throw error;
    } finally {
      this.#clock.hold();
      signal?.removeEventListener('abort', onAbort);
    }
  }

  #concurrency(): number {
    return this.request.concurrency ?? poolSize(Math.max(1, this.cells.length), this.request.thread);
  }

  /** One lane: takes what waits, runs it, takes more. */
  async #workThrough(engine: Engine): Promise<void> {
    while (this.#waiting.length > 0) {
      await this.#gate;
      if (this.#state === 'paused') continue;
      const cells = await this.#takeGroup(engine);
      if (this.#state === 'cancelled') return;
      if (cells.length > 0) await this.#train(cells);
    }
  }

  /** The next cells that are to run together. What is known already, or cannot run, is done with on the way. */
  async #takeGroup(engine: Engine): Promise<CellRun[]> {
    const size = this.request.mode === 'lockstep' ? (this.request.concurrency ?? LOCKSTEP_GROUP) : 1;
    const group: CellRun[] = [];
    while (group.length < size && this.#waiting.length > 0 && this.#state !== 'cancelled') {
      if (group.length > 0 && group[0]!.given.data !== this.#waiting[0]!.data) break;
      const cell = new CellRun(engine, this.#waiting.shift()!, this.traits);
      if (!this.#settle(cell)) group.push(cell);
      await nextTurn();
    }
    return group;
  }

  /** Whether the cell needs no run. */
  #settle(cell: CellRun): boolean {
    const earlier = this.#earlier.get(identityOf(cell.identity));
    if (earlier && !(this.traits.keepCurve && earlier.curve === null)) {
      this.#keep(cell, earlier);
      return true;
    }
    const refused = cell.refused();
    if (refused) this.#write(cell, refused);
    return refused !== null;
  }

  /** A record of an earlier call, at its place in this grid. */
  #keep({ given }: CellRun, earlier: ExperimentRecord): void {
    const { index, cell } = given;
    this.#nKept += 1;
    this.#clock.keep(workOf(given));
    this.#add({ ...earlier, index, cell, curve: this.traits.keepCurve ? earlier.curve : null });
  }

  async #train(cells: CellRun[]): Promise<void> {
    const named = new Map<string, CellRun>();
    const { steps, evaluation } = this.traits;
    const run = trainAll({
      specs: cells.map(({ given }) => given.spec),
      data: cells[0]!.given.data,
      // Records are of WASM: the same bits everywhere.
      ...{ steps, device: 'wasm', thread: this.request.thread, paused: this.#state === 'paused' },
      ...(evaluation && { evaluation }),
      onMetrics: (metrics) => {
        const cell = named.get(metrics.run)!;
        cell.take(metrics);
        this.#tick();
        return this.request.onMetrics?.({ ...metrics, run: String(cell.given.index) });
      },
    });
    const group: Group = { run, cells, written: new Map() };
    this.#groups.add(group);
    const started = run.started.then(
      (infos) => infos.forEach((info, i) => named.set(info.run, cells[i]!)),
      () => {},
    );
    this.#report();
    const verdicts = await run.finished;
    await started;
    this.#groups.delete(group);
    // A group is refused as a whole: the cells tell alone which of them it was.
    if (cells.length > 1 && verdicts.every(({ code }) => code === 'failed')) await this.#trainEach(cells);
    else this.#writeEnded(group, verdicts);
    await this.#tellSnapshots(group);
    this.#report();
  }

  async #trainEach(cells: CellRun[]): Promise<void> {
    for (const cell of cells) {
      await this.#gate;
      if (this.#state === 'cancelled') return;
      await this.#train([cell]);
    }
  }

  /** The models of the runs that left a record. */
  async #tellSnapshots({ run, cells, written }: Group): Promise<void> {
    const { onSnapshot } = this.request;
    if (!onSnapshot || written.size === 0) return;
    const snapshots = await run.snapshot().catch(() => []);
    for (const [i, cell] of cells.entries()) {
      const [record, snapshot] = [written.get(cell), snapshots[i]];
      if (record && snapshot && record.verdict !== 'failed') await onSnapshot(record, snapshot);
    }
  }

  /** Records of the runs that have ended by themselves, once each. */
  #writeEnded({ cells, written }: Group, verdicts: Verdict[]): void {
    cells.forEach((cell, i) => {
      const verdict = verdicts[i]!;
      if (written.has(cell) || verdict.code === 'running' || verdict.code === 'stopped') return;
      const record = cell.record(verdict);
      written.set(cell, record);
      this.#write(cell, record);
    });
  }

  #write({ given }: CellRun, record: ExperimentRecord): void {
    const { onRecord } = this.request;
    this.#clock.finish(workOf(given));
    if (onRecord) {
      this.#writing = this.#writing.then(() => onRecord(record));
      this.#writing.catch(() => this.#stop()); // a record that cannot be written down ends the sweep
    }
    this.#add(record);
  }

  #add(record: ExperimentRecord): void {
    this.#known.push(record);
    this.#queue.push(record);
  }

  /** Now and then while runs step: records of those that ended before their group, and a report. */
  #tick(): void {
    if (performance.now() - this.#lastReport < PROGRESS_INTERVAL) return;
    for (const group of this.#groups) if (group.cells.length > 1) this.#writeEnded(group, group.run.verdict);
    this.#report();
  }

  #report(): void {
    this.#lastReport = performance.now();
    try {
      this.request.onProgress?.(this.progress);
    } catch (error) {
      console.error('normscope: onProgress failed; the experiment goes on', error);
    }
  }
}
