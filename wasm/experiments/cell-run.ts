/** One cell from its plan to its record: what is watched while it runs, and what is written when it has ended. */
import type { Engine } from '../runtime/core.js';
import { describeError } from '../runtime/errors.js';
import { dataLines, specLines, toSnakeCase } from '../runtime/spec.js';
import type { EvaluationRequest, PlanInfo, StepMetrics, Verdict } from '../runtime/types.js';
import { endSchedule } from '../worker/training-request.js';
import type { Cell } from './grid.js';
import { identifyData } from './identity.js';
import { errorReason, judge, SpikeWatch } from './judge.js';
import type { ExperimentRecord, Reason, RunVerdict } from './types.js';

/** What all cells of a sweep share. */
export interface SweepTraits {
  steps: number;
  evaluation: EvaluationRequest | null;
  keepCurve: boolean;
}

/** Errors that the same cell would meet again everywhere; the others (a lost worker, no memory) are of this machine. */
const LASTING_ERRORS = ['bad-spec', 'bad-size', 'bad-data', 'bad-option', 'bad-number', 'too-large', 'missing-kernels'];

/** Whether a record says all that running its cell again could say. */
export const isFinal = ({ verdict, reasons }: ExperimentRecord): boolean =>
  verdict !== 'stopped' && (verdict !== 'failed' || LASTING_ERRORS.includes(reasons[0]?.where ?? ''));

const NOTHING_MEASURED = {
  step: 0,
  firstLoss: NaN,
  finalLoss: NaN,
  bestLoss: NaN,
  bestStep: -1,
  unigramLoss: NaN,
  lrTimesWidth: NaN,
  nParameter: NaN,
  maxAbs: NaN,
  passedHalfRange: null,
  stream: { meanAbs: NaN, entryVariance: NaN, dataVariance: NaN, maxAbs: NaN },
  heldOut: null,
};

export class CellRun {
  /** The core's view of it, or null where it cannot be planned. */
  readonly plan: Pick<PlanInfo, 'spec' | 'dataset' | 'nParameter'> | null;
  readonly #refusal: Verdict['error'];
  readonly #spike: SpikeWatch;
  readonly #curve: number[] = [];
  #firstLoss = NaN;
  #stream: ExperimentRecord['stream'] = NOTHING_MEASURED.stream;
  /** The last step seen. */
  step = 0;

  constructor(
    private readonly engine: Pick<Engine, 'create' | 'version' | 'build'>,
    readonly given: Cell,
    private readonly traits: SweepTraits,
  ) {
    try {
      const core = engine.create('model', specLines(endSchedule(given.spec, traits.steps)), dataLines(given.data));
      const { spec, dataset, nParameter } = core.describe();
      core.free();
      this.plan = { spec, dataset, nParameter };
    } catch (error) {
      this.plan = null;
      this.#refusal = describeError(error);
    }
    this.#spike = new SpikeWatch(this.plan?.dataset?.unigramLoss ?? NaN);
  }

  take(metrics: StepMetrics): void {
    const { step, loss } = metrics;
    this.step = step;
    if (step === 1) this.#firstLoss = loss;
    if (this.traits.keepCurve) this.#curve.push(loss);
    this.#spike.take(step, loss);
    const last = (values: Float32Array): number => values[values.length - 1]!;
    const stream = {
      meanAbs: last(metrics.meanAbs),
      entryVariance: last(metrics.entryVariance),
      dataVariance: last(metrics.dataVariance),
      maxAbs: last(metrics.maxAbs),
    };
    if (Object.values(stream).every(Number.isFinite)) this.#stream = stream;
  }

  /** The record of a cell that cannot be planned; null where it can. */
  refused(): ExperimentRecord | null {
    return this.plan ? null : this.#write('failed', [errorReason(this.#refusal)], {});
  }

  record(verdict: Verdict): ExperimentRecord {
    const { step, finalLoss, bestLoss, bestStep, maxAbs, passedHalfRange } = verdict;
    const { spec, dataset, nParameter } = this.plan!;
    const judged = judge(verdict, dataset!.unigramLoss, this.#spike.reason);
    return this.#write(judged.verdict, judged.reasons, {
      ...{ step, firstLoss: this.#firstLoss, finalLoss, bestLoss, bestStep, unigramLoss: dataset!.unigramLoss },
      lrTimesWidth: Number(spec.learning_rate) * Number(spec.d_model),
      ...{ nParameter, maxAbs, passedHalfRange, stream: this.#stream, heldOut: verdict.evaluation ?? null },
    });
  }

  #write(verdict: RunVerdict, reasons: Reason[], measured: Partial<ExperimentRecord>): ExperimentRecord {
    const curve = this.traits.keepCurve ? this.#curve : null;
    return { ...this.identity, verdict, reasons, ...NOTHING_MEASURED, ...measured, curve };
  }

  /** Known before it runs. */
  get identity(): Pick<
    ExperimentRecord,
    'index' | 'cell' | 'spec' | 'data' | 'steps' | 'evaluation' | 'version' | 'backend'
  > {
    const { index, cell, data, spec } = this.given;
    const asked = Object.fromEntries(Object.entries(spec).map(([name, value]) => [toSnakeCase(name), value]));
    return {
      ...{ index, cell, spec: this.plan?.spec ?? asked, data: identifyData(data) },
      ...{ steps: this.traits.steps, evaluation: this.traits.evaluation, version: this.engine.version },
      backend: this.engine.build === 'fast' ? 'wasm-fast' : 'wasm',
    };
  }
}
