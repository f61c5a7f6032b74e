/** Thinning long series for drawing: one value for each of a limited number of equal buckets. */

export type Reduction = 'mean' | 'max' | 'last';

/** First index after each bucket: at most `limit` of them, the last is `length`. */
export function bucketEnds(length: number, limit: number): number[] {
  const count = Math.min(length, limit);
  return Array.from({ length: count }, (_, k) => Math.round(((k + 1) * length) / count));
}

/**
 * One value per bucket. Buckets without finite values are NaN; indices past the end of `values` count as absent, so that
 * runs which ended early share the x axis of the longest.
 */
export function reduceBuckets(values: ArrayLike<number>, ends: readonly number[], how: Reduction): number[] {
  let from = 0;
  return ends.map((end) => {
    const result = reduce(values, from, Math.min(end, values.length), how);
    from = end;
    return result;
  });
}

function reduce(values: ArrayLike<number>, from: number, to: number, how: Reduction): number {
  let result = Number.NaN;
  let sum = 0;
  let count = 0;
  for (let i = from; i < to; i += 1) {
    const value = values[i]!;
    if (!Number.isFinite(value)) continue;
    count += 1;
    sum += value;
    result = how === 'max' && count > 1 ? Math.max(result, value) : value;
  }
  return how === 'mean' && count ? sum / count : result;
}
