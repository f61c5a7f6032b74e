/** The shadow of an ellipsoid on two of its coordinates: pure geometry. */

export type Pair = readonly [number, number];

/** { center + A u : ‖u‖ ≤ 1 } */
export interface EllipsoidBody {
  center: readonly number[];
  /** A, [k][k]. */
  matrix: readonly (readonly number[])[];
}

const N_POINT = 96;

/** Outline of the body's shadow on coordinates (i, j): centre + L (cos, sin) with L Lᵀ = rows i, j of A Aᵀ. */
export function projectedOutline({ center, matrix }: EllipsoidBody, [i, j]: Pair): Pair[] {
  const dot = (a: readonly number[], b: readonly number[]) => a.reduce((sum, value, k) => sum + value * b[k]!, 0);
  const [rowI, rowJ] = [matrix[i]!, matrix[j]!];
  const l11 = Math.sqrt(dot(rowI, rowI));
  const l21 = l11 > 0 ? dot(rowI, rowJ) / l11 : 0;
  const l22 = Math.sqrt(Math.max(0, dot(rowJ, rowJ) - l21 * l21));
  return Array.from({ length: N_POINT }, (_, k): Pair => {
    const angle = (2 * Math.PI * k) / N_POINT;
    const [c, s] = [Math.cos(angle), Math.sin(angle)];
    return [center[i]! + l11 * c, center[j]! + l21 * c + l22 * s];
  });
}

/** Ends of both axes, of equal length, with a little air around all points. */
export function squareDomain(points: readonly Pair[]): [Pair, Pair] {
  const finite = points.filter(([x, y]) => Number.isFinite(x) && Number.isFinite(y));
  const ends = ([0, 1] as const).map((axis): Pair => {
    const values = finite.map((point) => point[axis]);
    return values.length ? [Math.min(...values), Math.max(...values)] : [-1, 1];
  });
  const half = Math.max(...ends.map(([low, high]) => high - low), 1e-12) * 0.54;
  return ends.map(([low, high]): Pair => [(low + high) / 2 - half, (low + high) / 2 + half]) as [Pair, Pair];
}
