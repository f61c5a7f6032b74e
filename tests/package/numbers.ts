import { expect } from 'vitest';

/** Each number within an absolute tolerance. */
export const near = (got: ArrayLike<number>, right: number[], tolerance = 1e-6): void => {
  expect(got.length).toBe(right.length);
  right.forEach((value, i) =>
    expect(Math.abs(got[i]! - value), `[${i}] is ${got[i]}, not ${value}`).toBeLessThanOrEqual(tolerance),
  );
};

/** In doubles, as a textbook writes it. */
export function exactLayerNorm(x: number[], eps = 1e-5): number[] {
  const mean = x.reduce((sum, value) => sum + value, 0) / x.length;
  const variance = x.reduce((sum, value) => sum + (value - mean) ** 2, 0) / x.length;
  return x.map((value) => (value - mean) / Math.sqrt(variance + eps));
}
