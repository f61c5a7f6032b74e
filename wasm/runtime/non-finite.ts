/** How many groups of a norm's result hold NaN or ±Infinity. */

interface Shape {
  rows: number;
  d: number;
  /** Groups are the d features instead of the rows. */
  perFeature: boolean;
}

/**
 * Counts the rows (or features) of y that hold a number that is not finite. y is only searched where the statistics or
 * the size of γ and β leave room for one: |x̂| is at most √(group size), so that |y| ≤ √size · max|γ| + max|β|.
 * @param stats four floats per group, of the same groups; non-finite where the group's input is
 */
export function countNonFinite(
  y: Float32Array,
  shape: Shape,
  stats: Float32Array,
  affine: (Float32Array | undefined)[],
): number {
  const size = shape.perFeature ? shape.rows : shape.d;
  const [gain, shift] = affine.map((values, i) => (values ? largestMagnitude(values) : 1 - i));
  const fits = Math.sqrt(size) * gain! + shift! < LARGEST_SAFE;
  return fits && largestMagnitude(stats) < Infinity ? 0 : search(y, shape);
}

/** Half of the largest float32: leaves room for rounding. */
const LARGEST_SAFE = 2 ** 127;

/** NaN when a value is NaN. */
function largestMagnitude(values: Float32Array): number {
  let most = 0;
  for (let i = 0; i < values.length; ++i) {
    const magnitude = Math.abs(values[i]!);
    if (magnitude <= most) continue;
    most = magnitude;
    if (Number.isNaN(most)) return NaN;
  }
  return most;
}

function search(y: Float32Array, { rows, d, perFeature }: Shape): number {
  const bad = new Set<number>();
  for (let row = 0; row < rows; ++row)
    for (let i = 0; i < d; ++i) if (!Number.isFinite(y[row * d + i])) bad.add(perFeature ? i : row);
  return bad.size;
}
