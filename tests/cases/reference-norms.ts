// The norms as a textbook writes them, in double precision and with plain loops: what every kernel is compared with.

export interface NormInput {
  /** [rows, d], row-major. */
  x: ArrayLike<number>;
  d: number;
  eps: number;
  /** Absent: ones. */
  gamma?: ArrayLike<number> | null;
  /** Absent: zeros. RMSNorm has none. */
  beta?: ArrayLike<number> | null;
}
export type NormKind = 'layernorm' | 'rmsnorm';

interface RowStatistics {
  mean: number;
  rstd: number;
}

/** Mean (0 for RMSNorm) and 1 / sqrt(variance + eps) of one row. */
function rowStatistics(kind: NormKind, row: readonly number[], eps: number): RowStatistics {
  const d = row.length;
  let mean = 0;
  if (kind === 'layernorm') for (const value of row) mean += value / d;
  let variance = 0;
  for (const value of row) variance += (value - mean) ** 2 / d;
  return { mean, rstd: 1 / Math.sqrt(variance + eps) };
}

function rowsOf({ x, d }: NormInput): number[][] {
  return Array.from({ length: x.length / d }, (_, r) => Array.from({ length: d }, (_, i) => x[r * d + i]!));
}

/** y, and the mean and 1/σ of each row. */
export function normForward(kind: NormKind, input: NormInput) {
  const { eps, gamma } = input;
  const beta = kind === 'layernorm' ? input.beta : null;
  const y: number[] = [];
  const mean: number[] = [];
  const rstd: number[] = [];
  for (const row of rowsOf(input)) {
    const statistics = rowStatistics(kind, row, eps);
    mean.push(statistics.mean);
    rstd.push(statistics.rstd);
    row.forEach((value, i) => {
      const xHat = (value - statistics.mean) * statistics.rstd;
      y.push(xHat * (gamma?.[i] ?? 1) + (beta?.[i] ?? 0));
    });
  }
  return { y, mean, rstd };
}

/** Gradients of sum(y * dy) with respect to x, gamma and beta. */
export function normBackward(kind: NormKind, input: NormInput & { dy: ArrayLike<number> }) {
  const { d, eps, gamma, dy } = input;
  const dx: number[] = [];
  const dgamma = new Array<number>(d).fill(0);
  const dbeta = new Array<number>(d).fill(0);
  rowsOf(input).forEach((row, r) => {
    const { mean, rstd } = rowStatistics(kind, row, eps);
    const xHat = row.map((value) => (value - mean) * rstd);
    const g = row.map((_, i) => dy[r * d + i]! * (gamma?.[i] ?? 1));
    let meanG = 0;
    let meanGx = 0;
    for (let i = 0; i < d; i += 1) {
      meanG += g[i]! / d;
      meanGx += (g[i]! * xHat[i]!) / d;
      dgamma[i]! += dy[r * d + i]! * xHat[i]!;
      dbeta[i]! += dy[r * d + i]!;
    }
    if (kind === 'rmsnorm') meanG = 0;
    for (let i = 0; i < d; i += 1) dx.push((g[i]! - meanG - xHat[i]! * meanGx) * rstd);
  });
  return { dx, dgamma, dbeta };
}
