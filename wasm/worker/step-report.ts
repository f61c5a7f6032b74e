import { HEADER, largest } from '../runtime/metrics.js';
import type { ObserveLayout, StepMetrics } from '../runtime/types.js';
import type { StepReport } from './verdict.js';

type Names = Pick<ObserveLayout, 'points' | 'groups'>;

/**
 * What the verdict needs of a step. The core counts finished updates from 0, so a value latched during step n carries
 * n − 1. The point is that of the residual step in which it happened, in its branch or in the stream.
 */
export function reportOf(metrics: StepMetrics, row: Float32Array, { points, groups }: Names): StepReport {
  const { step, loss, gradNorm } = metrics;
  const report: StepReport = {
    step,
    loss,
    gradNorm,
    maxAbs: largest(metrics.maxAbs),
    broken: brokenPlace(metrics, points, groups),
  };
  if (!(row[HEADER.nOverflow]! > 0)) return report;
  const where = points[row[HEADER.overflowPoint]!]!;
  report.overflow = {
    step: row[HEADER.overflowStep]! + 1,
    where,
    channel: row[HEADER.overflowChannel]!,
    value: row[HEADER.overflowValue]!,
  };
  return report;
}

const firstBroken = (values: Float32Array): number => values.findIndex((value) => !Number.isFinite(value));

/** Where numbers stopped being finite: the first residual point on the way forward, else the first group on the way back. */
function brokenPlace(metrics: StepMetrics, points: readonly string[], groups: readonly string[]): StepReport['broken'] {
  const point = firstBroken(metrics.maxAbs);
  if (point >= 0) {
    const [channel, value] = [metrics.maxChannel[point]!, metrics.maxAbs[point]!];
    return { where: points[point]!, quantity: 'max|x|', channel, value };
  }
  if (!Number.isFinite(metrics.loss)) return null;
  const group = metrics.groupGradNorm.findLastIndex((norm) => !Number.isFinite(norm));
  return group < 0 ? null : { where: groups[group]!, quantity: 'gradient norm', value: metrics.groupGradNorm[group]! };
}
