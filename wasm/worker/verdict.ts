/**
 * How a run stands: one rule for workers, inline runs and tests. A latched overflow is named before the non-finite
 * numbers that follow from it; NaN and ±Infinity never count as a best value.
 */
import type { NumberFormat, Verdict } from '../runtime/types.js';

/** The largest number that fp16 can hold. */
export const HALF_RANGE = 65504;
/** Steps over which the final loss is averaged. */
const FINAL_STEPS = 30;

export interface StepReport {
  step: number;
  loss: number;
  gradNorm?: number;
  /** Largest |x| of the residual stream in this step, and where. */
  maxAbs?: number;
  /** The first value that left the range of the number format, latched by the core. */
  overflow?: { step: number; where: string; channel: number; value: number } | null;
  /** Where numbers stopped being finite in this step, when that is known. */
  broken?: Pick<Verdict, 'where' | 'quantity' | 'channel' | 'value'> | null;
}

export type Ending = Pick<Verdict, 'where' | 'quantity' | 'channel' | 'value'> & {
  code: 'overflow' | 'non-finite';
  step: number;
};

/** Plain data: survives a message and a lost worker. */
export interface VerdictState {
  step: number;
  lastLosses: number[];
  bestLoss: number;
  bestStep: number;
  maxAbs: number;
  passedHalfRange: number | null;
  ending: Ending | null;
}

const initialState = (): VerdictState => ({
  step: 0,
  lastLosses: [],
  bestLoss: NaN,
  bestStep: -1,
  maxAbs: 0,
  passedHalfRange: null,
  ending: null,
});

export class VerdictTracker {
  readonly #format: NumberFormat;
  #state: VerdictState;

  constructor(format: NumberFormat = 'fp32', state?: VerdictState) {
    this.#format = format;
    this.#state = state ? { ...state, lastLosses: [...state.lastLosses] } : initialState();
  }

  /** Takes a step into account. True: the run has ended here and must not go on. */
  take(report: StepReport): boolean {
    const state = this.#state;
    if (state.ending) return true;
    state.step = report.step;
    state.ending = endingOf(report);
    if (report.maxAbs! > state.maxAbs) state.maxAbs = report.maxAbs!;
    if (state.passedHalfRange === null && report.maxAbs! > HALF_RANGE) state.passedHalfRange = report.step;
    if (Number.isFinite(report.loss)) {
      state.lastLosses.push(report.loss);
      if (state.lastLosses.length > FINAL_STEPS) state.lastLosses.shift();
      if (!(report.loss >= state.bestLoss)) [state.bestLoss, state.bestStep] = [report.loss, report.step];
    }
    return state.ending !== null;
  }

  get ended(): boolean {
    return this.#state.ending !== null;
  }

  get state(): VerdictState {
    return { ...this.#state, lastLosses: [...this.#state.lastLosses] };
  }

  /** `code` for a run that did not diverge. */
  verdict(code: 'running' | 'finished' | 'stopped' | 'failed', error?: Verdict['error']): Verdict {
    const { step, lastLosses, bestLoss, bestStep, maxAbs, passedHalfRange, ending } = this.#state;
    const finalLoss = lastLosses.reduce((sum, loss) => sum + loss, 0) / lastLosses.length;
    const common = { finalLoss, bestLoss, bestStep, passedHalfRange, maxAbs };
    if (!ending) return { code, step, ...common, ...(error && { error }) };
    return { ...ending, format: this.#format, ...common };
  }
}

function endingOf({ step, loss, gradNorm, overflow, broken }: StepReport): Ending | null {
  if (overflow) {
    return {
      code: 'overflow',
      step: overflow.step,
      where: overflow.where,
      quantity: 'max|x|',
      channel: overflow.channel,
      value: overflow.value,
    };
  }
  if (broken) return { code: 'non-finite', step, ...broken };
  if (!Number.isFinite(loss)) return { code: 'non-finite', step, where: 'loss', quantity: 'loss', value: loss };
  if (gradNorm !== undefined && !Number.isFinite(gradNorm)) {
    return { code: 'non-finite', step, where: 'gradient', quantity: 'gradient norm', value: gradNorm };
  }
  return null;
}
