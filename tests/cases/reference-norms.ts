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

export interface Gradients {
  dx: number[];
  dgamma: number[];
  dbeta: number[];
}

function transposed(matrix: ArrayLike<number>, d: number): number[] {
  const rows = matrix.length / d;
  return Array.from({ length: matrix.length }, (_, at) => matrix[(at % rows) * d + Math.floor(at / rows)]!);
}

/** BatchNorm with the statistics of the batch: each feature is normalized over the rows. */
export function batchNorm({ x, dy, d, eps, gamma, beta }: NormInput & { dy: ArrayLike<number> }) {
  const rows = x.length / d;
  const g = Array.from(dy, (value, at) => value * (gamma?.[at % d] ?? 1));
  const columns = { x: transposed(x, d), d: rows, eps };
  const xHat = transposed(normForward('layernorm', columns).y, rows);
  const sums = (term: (at: number) => number) =>
    Array.from({ length: d }, (_, j) =>
      Array.from({ length: rows }, (_, r) => term(r * d + j)).reduce((a, b) => a + b, 0),
    );
  return {
    y: xHat.map((value, at) => value * (gamma?.[at % d] ?? 1) + (beta?.[at % d] ?? 0)),
    dx: transposed(normBackward('layernorm', { ...columns, dy: transposed(g, d) }).dx, rows),
    dgamma: sums((at) => dy[at]! * xHat[at]!),
    dbeta: sums((at) => dy[at]!),
  };
}

export interface DytInput {
  x: ArrayLike<number>;
  d: number;
  alpha: ArrayLike<number>;
  gamma: ArrayLike<number>;
  beta: ArrayLike<number>;
  dy: ArrayLike<number>;
}

/** y = gamma tanh(alpha x) + beta and the gradients of sum(y * dy). */
export function dyt({ x, d, alpha, gamma, beta, dy }: DytInput) {
  const [gain] = [alpha[0]!];
  const t = Array.from(x, (value) => Math.tanh(gain * value));
  const slope = Array.from(x, (value) => 1 / Math.cosh(gain * value) ** 2);
  const dgamma = new Array<number>(d).fill(0);
  const dbeta = new Array<number>(d).fill(0);
  let dalpha = 0;
  for (let at = 0; at < t.length; at += 1) {
    dgamma[at % d]! += dy[at]! * t[at]!;
    dbeta[at % d]! += dy[at]!;
    dalpha += gamma[at % d]! * dy[at]! * x[at]! * slope[at]!;
  }
  return {
    y: t.map((value, at) => gamma[at % d]! * value + beta[at % d]!),
    dx: slope.map((value, at) => gamma[at % d]! * dy[at]! * gain * value),
    dgamma,
    dbeta,
    dalpha: [dalpha],
  };
}
