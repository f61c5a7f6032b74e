/** Runs of one placement with different seeds belong together: their median is drawn, each of them thinly. */
import type { Verdict } from 'normscope';
import { median } from '../median.js';
import type { RunRecord } from './metric-store.js';
import type { RunName } from './settings.js';

export interface RunGroup {
  placement: RunName;
  records: RunRecord[];
  /** One per record; null while the run goes on. */
  verdicts: (Verdict | null)[];
}

/** In the order in which the placements first occur. */
export function groupRuns(records: readonly RunRecord[], verdicts: readonly (Verdict | null)[]): RunGroup[] {
  const groups = new Map<RunName, RunGroup>();
  records.forEach((record, i) => {
    const { placement } = record;
    const group = groups.get(placement) ?? { placement, records: [], verdicts: [] };
    group.records.push(record);
    group.verdicts.push(verdicts[i] ?? null);
    groups.set(placement, group);
  });
  return [...groups.values()];
}

export function hasDiverged(verdict: Verdict | null | undefined): boolean {
  return verdict?.code === 'overflow' || verdict?.code === 'non-finite';
}

/**
 * Median over the seeds at each place of a common axis. A run that has diverged counts as infinitely large from there on,
 * so the median ends where half of the seeds are lost, and is never that of the survivors alone.
 */
export function medianSeries(series: readonly ArrayLike<number>[], diverged: readonly boolean[]): number[] {
  const length = Math.max(0, ...series.map((values) => values.length));
  const lost = series.map((values, k) => (diverged[k] ? lastFinite(values) : Infinity));
  return Array.from({ length }, (_, i) => {
    const middle = median(series.map((values, k) => (i > lost[k]! ? Infinity : (values[i] ?? Number.NaN))));
    return Number.isFinite(middle) ? middle : Number.NaN;
  });
}

function lastFinite(values: ArrayLike<number>): number {
  for (let i = values.length - 1; i >= 0; i -= 1) if (Number.isFinite(values[i])) return i;
  return -1;
}
