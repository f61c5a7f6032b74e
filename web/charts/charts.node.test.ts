import { describe, expect, test } from 'vitest';
import { dotStacks } from './histogram.js';
import { extent, linearScale, logScale } from './scale.js';
import { linearTicks, logTicks, tickDecimals } from './ticks.js';

describe('ticks', () => {
  test('are round and inside the axis', () => {
    expect(linearTicks(-1.7, 3.4, 5)).toEqual([-1, 0, 1, 2, 3]);
    expect(linearTicks(0, 0.35, 5)).toEqual([0, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35]);
    expect(linearTicks(9_998, 10_004, 3)).toEqual([9_998, 10_000, 10_002, 10_004]);
  });

  test('of a log axis are powers of ten, thinned', () => {
    expect(logTicks(0.5, 2e4, 9)).toEqual([1, 10, 100, 1000, 10000]);
    expect(logTicks(1, 1e12, 5)).toEqual([1, 1e3, 1e6, 1e9, 1e12]);
    expect(logTicks(0, 10)).toEqual([]);
  });

  test('never loop or break on an empty axis', () => {
    expect(linearTicks(2, 2)).toEqual([2]);
    expect(linearTicks(NaN, NaN)).toEqual([]);
    expect(tickDecimals([0, 0.25, 0.5])).toBe(1);
  });
});

describe('scales', () => {
  test('map the ends of the domain to the ends of the range and back', () => {
    const x = linearScale([-2, 2], [0, 100]);
    expect([x(-2), x(0), x(2), x.invert(75)]).toEqual([0, 50, 100, 1]);
    const y = logScale([1, 1e4], [0, 4]);
    expect(y(100)).toBeCloseTo(2);
    expect(y(0)).toBe(0);
  });

  test('of a single value stay finite', () => {
    expect(Number.isFinite(linearScale([3, 3], [0, 10])(3))).toBe(true);
    expect(extent([NaN, Infinity])).toEqual([0, 0]);
  });
});

describe('dot histogram', () => {
  test('draws every finite value exactly once', () => {
    const dots = dotStacks([0, 0, 1, NaN, 9], [0, 1], 3);
    expect(dots.map(({ bin, level }) => [bin, level])).toEqual([
      [0, 0],
      [0, 1],
      [2, 0],
      [2, 1],
    ]);
  });
});
