import type { LensAnswer, NormChoice } from './compute.js';

/** The numbers that are averaged together: one row for LayerNorm and RMSNorm, one column for BatchNorm. */
export interface Slice {
  kind: NormChoice;
  /** What each entry is called: x₁ … or the token's name. */
  labels: string[];
  x: number[];
  xHat: number[];
  y: number[];
  gamma: number[];
  beta: number[];
  mean: number;
  /** 1/√(σ²+ε) from the package. */
  rstd: number;
  /** Largest |x̂| that any n numbers can reach: √(n−1), or √n without a mean. */
  bound: number;
}

export interface SliceRequest {
  kind: NormChoice;
  rows: readonly (readonly number[])[];
  names: readonly string[];
  gamma: readonly number[];
  beta: readonly number[];
  answer: LensAnswer;
  row: number;
  feature: number;
}

export function sliceOf(request: SliceRequest): Slice {
  return request.kind === 'batchnorm' ? columnSlice(request) : rowSlice(request);
}

function rowSlice({ kind, rows, gamma, beta, answer, row }: SliceRequest): Slice {
  const x = Array.from(rows[row] as readonly number[], Math.fround);
  return {
    kind,
    labels: x.map((_, index) => featureName(index)),
    x,
    xHat: answer.xHat[row] as number[],
    y: answer.y[row] as number[],
    gamma: [...gamma],
    beta: kind === 'rmsnorm' ? x.map(() => 0) : [...beta],
    mean: answer.mean[row] as number,
    rstd: answer.rstd[row] as number,
    bound: Math.sqrt(kind === 'rmsnorm' ? x.length : x.length - 1),
  };
}

function columnSlice({ kind, rows, names, gamma, beta, answer, feature }: SliceRequest): Slice {
  const column = (grid: readonly (readonly number[])[]) => grid.map((row) => row[feature] as number);
  return {
    kind,
    labels: [...names],
    x: column(rows).map(Math.fround),
    xHat: column(answer.xHat),
    y: column(answer.y),
    gamma: rows.map(() => gamma[feature] as number),
    beta: rows.map(() => beta[feature] as number),
    mean: answer.mean[feature] as number,
    rstd: answer.rstd[feature] as number,
    bound: Math.sqrt(rows.length - 1),
  };
}

const SUBSCRIPTS = '₀₁₂₃₄₅₆₇₈₉';
/** x₁, x₂, … */
export function featureName(index: number, letter = 'x'): string {
  return letter + Array.from(String(index + 1), (digit) => SUBSCRIPTS[Number(digit)]).join('');
}

/** Mean and population variance of shown numbers, in double. */
export function moments(values: readonly number[]): { mean: number; variance: number } {
  const n = values.length || 1;
  const mean = values.reduce((sum, value) => sum + value, 0) / n;
  const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / n;
  return { mean, variance };
}

/** What the shortcut mean(x²) − mean² gives in 32-bit arithmetic: wrong, even negative, far from zero. */
export function shortcutVariance(values: readonly number[]): number {
  const f = Math.fround;
  let sum = 0;
  let squares = 0;
  for (const value of values) {
    sum = f(sum + f(value));
    squares = f(squares + f(f(value) * f(value)));
  }
  const mean = f(sum / values.length);
  return f(f(squares / values.length) - f(mean * mean));
}

/** Largest |a − b| over two equally long rows. */
export function largestChange(a: readonly number[], b: readonly number[]): number {
  return a.reduce((largest, value, index) => Math.max(largest, Math.abs(value - (b[index] as number))), 0);
}
