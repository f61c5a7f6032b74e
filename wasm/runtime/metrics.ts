/** One step's statistics out of a row of the ring; the layout is described in kernel_params.h. */
import type { ObserveLayout, StepMetrics } from './types.js';

export const HEADER_SLOTS = 16;
export const POINT_SLOTS = 8;

/** Slots of the header. */
export const HEADER = {
  step: 0,
  loss: 1,
  gradNorm: 2,
  learningRate: 3,
  nCounted: 4,
  nOverflow: 5,
  overflowStep: 6,
  overflowPoint: 7,
  overflowChannel: 8,
  overflowValue: 9,
} as const;

type Points = Pick<ObserveLayout, 'points' | 'groups'>;

/** The arrays are copies. */
export function decodeMetrics(run: string, row: Float32Array, { points, groups }: Points): StepMetrics {
  const slot = (k: number): Float32Array =>
    Float32Array.from(points, (_, i) => row[HEADER_SLOTS + POINT_SLOTS * i + k]!);
  const firstGroup = HEADER_SLOTS + POINT_SLOTS * points.length;
  return {
    run,
    step: row[HEADER.step]!,
    loss: row[HEADER.loss]!,
    learningRate: row[HEADER.learningRate]!,
    gradNorm: row[HEADER.gradNorm]!,
    meanAbs: slot(0),
    entryVariance: slot(1),
    dataVariance: slot(2),
    maxAbs: slot(3),
    boundMeanAbs: slot(4),
    boundStd: slot(5),
    boundDataStd: slot(6),
    maxChannel: slot(7),
    groupGradNorm: row.slice(firstGroup, firstGroup + groups.length),
  };
}

/** The largest of the points' max |x|; NaN only when there is nothing else. */
export function largest(values: Float32Array): number {
  let most = NaN;
  for (const value of values) if (!(value <= most) && !Number.isNaN(value)) most = value;
  return most;
}
