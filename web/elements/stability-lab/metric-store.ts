/** What the charts need of a training run, in bounded memory. Knows nothing of the page. */
import type { DeviceChoice, RunInfo, StepMetrics } from 'normscope';
import type { LabRun } from './settings.js';

/** Steps whose layer profiles are kept; past that, every other one is dropped. */
const MAX_PROFILES = 400;
/** Steps that the smoothed loss averages over. */
const SMOOTHING = 20;

export const HALF_MAX = 65_504;

/** One run's records: a scalar of every step, and the layer profiles of evenly spaced steps. */
export class RunRecord {
  readonly info: RunInfo;
  /** A row of the table, or 'own'. */
  readonly placement: string;
  readonly seed: number;
  readonly steps: number[] = [];
  readonly loss: number[] = [];
  /** Mean loss of the last 20 steps, finite ones only. */
  readonly smoothLoss: number[] = [];
  readonly gradNorm: number[] = [];
  readonly learningRate: number[] = [];
  /** Largest |x| over all residual points. */
  readonly maxAbs: number[] = [];
  /** First step at which max |x| passed 65,504, or null. */
  passedHalfRange: number | null = null;
  latest: StepMetrics | null = null;
  /** Where it computes now; a notice may change it. */
  choice: DeviceChoice;
  #profiles: StepMetrics[] = [];
  #stride = 1;

  constructor(info: RunInfo, run?: Pick<LabRun, 'placement' | 'seed'>) {
    this.info = info;
    this.placement = run?.placement ?? String(info.spec['placement']);
    this.seed = run?.seed ?? Number(info.spec['seed'] ?? 0);
    this.choice = info.choice;
  }

  /** Bytes of its plan on the GPU, shared with the runs of the same plan. */
  get gpuBytes(): number {
    return this.choice.device === 'webgpu' ? this.info.gpuBytes : 0;
  }

  /** Tokens of one step. */
  get tokensPerStep(): number {
    return Number(this.info.spec['n_batch']) * Number(this.info.spec['n_ctx']);
  }

  get length(): number {
    return this.steps.length;
  }

  append(metrics: StepMetrics): void {
    const peak = largest(metrics.maxAbs);
    this.steps.push(metrics.step);
    this.loss.push(metrics.loss);
    this.smoothLoss.push(trailingMean(this.loss, SMOOTHING));
    this.gradNorm.push(metrics.gradNorm);
    this.learningRate.push(metrics.learningRate);
    this.maxAbs.push(peak);
    if (this.passedHalfRange === null && !(peak <= HALF_MAX)) this.passedHalfRange = metrics.step;
    this.latest = metrics;
    this.#keepProfile(metrics);
  }

  /** The kept record at or before `step`; the newest when `step` is null. */
  at(step: number | null): StepMetrics | null {
    const latest = this.latest;
    if (!latest || step === null || step >= latest.step) return latest;
    return this.#profiles.findLast((record) => record.step <= step) ?? this.#profiles[0] ?? latest;
  }

  /** Records with layer profiles, oldest first, evenly spaced; and the newest when it is not finite. */
  get profiles(): readonly StepMetrics[] {
    const { latest } = this;
    const broke = latest && this.#profiles.at(-1) !== latest && !Number.isFinite(this.maxAbs.at(-1));
    return broke ? [...this.#profiles, latest] : this.#profiles;
  }

  #keepProfile(metrics: StepMetrics): void {
    if ((this.length - 1) % this.#stride !== 0) return;
    this.#profiles.push(metrics);
    if (this.#profiles.length <= MAX_PROFILES) return;
    this.#profiles = this.#profiles.filter((_, index) => index % 2 === 0);
    this.#stride *= 2;
  }
}

/** Largest value; NaN and Infinity win, since they are what one wants to know of. */
export function largest(values: ArrayLike<number>): number {
  let peak = -Infinity;
  for (let i = 0; i < values.length; i += 1) {
    const value = values[i]!;
    if (Number.isNaN(value)) return Infinity;
    if (value > peak) peak = value;
  }
  return values.length ? peak : Number.NaN;
}

/** Mean of the last `window` finite values; NaN when there is none. */
export function trailingMean(values: readonly number[], window: number): number {
  let sum = 0;
  let count = 0;
  for (let i = Math.max(0, values.length - window); i < values.length; i += 1) {
    if (!Number.isFinite(values[i])) continue;
    sum += values[i]!;
    count += 1;
  }
  return count ? sum / count : Number.NaN;
}
