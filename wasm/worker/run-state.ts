/** One training run inside a host: a planned model that takes steps and writes their statistics into rows. */
import type { Engine } from '../runtime/core.js';
import { CpuExecutor } from '../runtime/cpu-executor.js';
import { decodeMetrics, HEADER } from '../runtime/metrics.js';
import { findTensor } from '../runtime/plan.js';
import { copySnapshot } from '../runtime/snapshot.js';
import { dataLines, specLines } from '../runtime/spec.js';
import type {
  EvaluationRequest,
  NumberFormat,
  ObserveLayout,
  PlanInfo,
  Snapshot,
  TensorInfo,
  TrainingData,
  Verdict,
} from '../runtime/types.js';
import { checkEvaluation, evaluate } from './evaluation.js';
import type { KeptState, RunLayout, RunPlan } from './protocol.js';
import { RowBuffer } from './row-buffer.js';
import { layoutOf } from './run-layout.js';
import { reportOf } from './step-report.js';
import { VerdictTracker } from './verdict.js';

export class RunState {
  readonly run: string;
  /** Steps done; step n is the n-th update. */
  step = 0;
  /** Set when the run has ended. */
  verdict: Verdict | null = null;

  readonly #executor: CpuExecutor;
  readonly #plan: PlanInfo;
  readonly #observe: ObserveLayout;
  readonly #ring: TensorInfo;
  readonly #control: TensorInfo;
  readonly #tracker: VerdictTracker;
  readonly #evaluation: EvaluationRequest | undefined;
  readonly #rows: RowBuffer;

  constructor(engine: Engine, { run, spec, evaluation, from }: RunPlan, data: TrainingData) {
    const core = engine.create('model', specLines(spec), dataLines(data));
    this.run = run;
    this.#plan = core.describe();
    this.#executor = new CpuExecutor(engine, core);
    this.#observe = this.#plan.observe!;
    this.#ring = findTensor(this.#plan, this.#observe.ring);
    this.#control = findTensor(this.#plan, 'control');
    this.#tracker = new VerdictTracker(this.#plan.spec.format as NumberFormat, from?.verdict);
    this.#evaluation = evaluation;
    if (evaluation) this.#checked(() => checkEvaluation(this.#executor, this.#plan, evaluation));
    this.#rows = new RowBuffer(this.#observe.rowWidth);
    if (from) this.#restore(from.snapshot);
    if (this.#tracker.ended) this.verdict = this.#tracker.verdict('finished'); // lost before its verdict was sent
  }

  get layout(): RunLayout {
    return layoutOf(this.run, this.#plan, 'wasm', 0);
  }

  /** One update: a batch, gradients, parameters, statistics. Sets `verdict` when the run diverges or is complete. */
  takeStep(nStep: number): void {
    this.step += 1;
    this.#executor.beginStep('train');
    // Statistics before the update, so that bounds are of the same parameters as the activations.
    this.#executor.run(['forward', 'backward', 'observe']);
    const row = this.#appendRow();
    this.#executor.run(['update']);
    const metrics = decodeMetrics(this.run, row, this.#observe);
    const diverged = this.#tracker.take(reportOf(metrics, row, this.#observe));
    if (diverged) this.verdict = this.#tracker.verdict('finished');
    else if (this.step >= nStep) this.verdict = this.finish();
  }

  /** What fails in the constructor leaves no memory behind. */
  #checked(check: () => void): void {
    try {
      check();
    } catch (error) {
      this.free();
      throw error;
    }
  }

  /** The verdict of a run that lasted to here, with what was asked about its end. */
  finish(): Verdict {
    const verdict = this.#tracker.verdict('finished');
    if (this.#evaluation) verdict.evaluation = evaluate(this.#executor, this.#plan, this.#evaluation);
    return verdict;
  }

  /** The rows since the last call, to be transferred; null when there are none. */
  takeRows(): Float32Array | null {
    return this.#rows.take();
  }

  /** Copied at once, so it is of one moment: between two steps. */
  snapshot(): Snapshot {
    return copySnapshot(this.#plan, (tensor) => this.#executor.copy(tensor));
  }

  /** Snapshot and verdict of the same moment. */
  kept(): KeptState {
    return { snapshot: this.snapshot(), verdict: this.#tracker.state };
  }

  stop(): void {
    this.verdict ??= this.#tracker.verdict('stopped');
  }

  free(): void {
    this.#executor.free();
  }

  /** Not checked as a caller's snapshot is: it is this run's own, and a wild run may carry moments that are infinite. */
  #restore(snapshot: Snapshot): void {
    for (const [name, data] of Object.entries(snapshot.tensors))
      this.#executor.write(findTensor(this.#plan, name), data);
    this.step = snapshot.step;
  }

  /** Copies the ring's current row. Steps count from 1 here, finished updates from 0 in the core. */
  #appendRow(): Float32Array {
    const { nRing, rowWidth } = this.#observe;
    const row = this.#rows.append();
    const done = this.#executor.copy(this.#control, undefined, 0, 1)[0]!;
    this.#executor.copy(this.#ring, row, (done % nRing) * rowWidth, rowWidth);
    row[HEADER.step] = this.step;
    return row;
  }
}
