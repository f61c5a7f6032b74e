import { HEADER, largest } from '../runtime/metrics.js';
import type { StepMetrics } from '../runtime/types.js';
import type { StepReport } from './verdict.js';

/**
 * What the verdict needs of a step. The core counts finished updates from 0, so a value latched during step n carries
 * n − 1. The point is that of the residual step in which it happened, in its branch or in the stream.
 */
export function reportOf(metrics: StepMetrics, row: Float32Array, points: readonly string[]): StepReport {
  const { step, loss, gradNorm } = metrics;
  const report: StepReport = { step, loss, gradNorm, maxAbs: largest(metrics.maxAbs) };
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
