/** The middle value, of an even number the mean of the middle two; NaN for none. Infinity counts, NaN does not. */
export function median(values: readonly number[]): number {
  const sorted = values.filter((value) => !Number.isNaN(value)).sort((a, b) => a - b);
  const half = sorted.length >> 1;
  if (!sorted.length) return Number.NaN;
  return sorted.length % 2 ? sorted[half]! : (sorted[half - 1]! + sorted[half]!) / 2;
}
