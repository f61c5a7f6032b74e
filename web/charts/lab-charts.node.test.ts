import { describe, expect, test } from 'vitest';
import { colorAt, cssGradient } from './color-maps.js';
import { brokenStretches, heatmapPixels, logPosition } from './heatmap.js';
import { emptiest, freeBox } from './label-places.js';
import {
  axisMap,
  formatTick,
  leavesAt,
  linearRange,
  logRange,
  markerIndices,
  valueTicks,
} from './line-chart-scales.js';
import { markerPath } from './markers.js';

describe('heat map', () => {
  test('row 0 is at the bottom, and what is not finite has its own colour', () => {
    const values = [
      [1, 100],
      [Infinity, 10],
    ];
    const pixels = heatmapPixels({
      nRow: 2,
      nColumn: 2,
      value: (row, column) => values[row]![column]!,
      domain: [1, 100],
      broken: [9, 8, 7],
    });
    const cell = (i: number) => Array.from(pixels.slice(4 * i, 4 * i + 3));
    expect(cell(0)).toEqual([9, 8, 7]);
    expect(cell(1)).toEqual([...colorAt('cividis', 0.5)]);
    expect(cell(2)).toEqual([...colorAt('cividis', 0)]);
    expect(cell(3)).toEqual([...colorAt('cividis', 1)]);
  });

  test('broken columns that touch are one stretch', () => {
    const values = [
      [1, NaN, NaN, 1, 1],
      [1, 1, Infinity, 1, NaN],
    ];
    expect(brokenStretches({ nRow: 2, nColumn: 5, value: (r, c) => values[r]![c]!, domain: [1, 2] })).toEqual([
      { column: 1, length: 2, row: 0 },
      { column: 4, length: 1, row: 1 },
    ]);
  });

  test('the colour scale is logarithmic and clamps', () => {
    expect(logPosition(10, [1, 100])).toBeCloseTo(0.5, 12);
    expect([0, -3, NaN, 1e9].map((value) => logPosition(value, [1, 100]))).toEqual([0, 0, 0, 1]);
    expect(cssGradient('viridis')).toMatch(/^linear-gradient\(to right, rgb\(68 1 84\)/);
  });
});

describe('axes', () => {
  test('a flat or empty series still has a range', () => {
    expect(linearRange([])).toEqual([0, 1]);
    const [low, high] = linearRange([5, 5]);
    expect(low).toBeLessThan(5);
    expect(high).toBeGreaterThan(5);
    const [from, to] = logRange([100, 100]);
    expect(Math.log10(to / from)).toBeGreaterThanOrEqual(1);
  });

  test('a log axis under two decades is labelled in steps of 1, 2 and 5', () => {
    expect(valueTicks(1, 30, true, 240)).toEqual([1, 2, 5, 10, 20]);
    expect(valueTicks(0.9, 2e5, true, 240)).toEqual([1, 100, 10_000]);
    expect([0, 0.25, 1000, 1e5, 2e5, 1e-4, -3].map(formatTick)).toEqual([
      '0',
      '0.25',
      '1000',
      '10⁵',
      '2·10⁵',
      '10⁻⁴',
      '−3',
    ]);
  });

  test('an axis never has more whole digits than the plot library can label', () => {
    for (const [log, value] of [
      [true, 1e38],
      [false, 3e38],
      [false, 12],
    ] as const) {
      const { to, from } = axisMap(log, value);
      expect(to(value)).toBeLessThan(1e12);
      expect(from(to(value)) / value).toBeCloseTo(1, 12);
    }
    expect(leavesAt([1, null, 5, 9], 4)).toBe(2);
    expect(leavesAt([1, null], 4)).toBe(-1);
  });

  test('markers sit on present points only', () => {
    expect(markerIndices([null, 1, null, 2], 5)).toEqual([1, 3]);
    const many = markerIndices(
      Array.from({ length: 100 }, (_, i) => (i < 50 ? i : null)),
      4,
      1,
    );
    expect(many).toHaveLength(4);
    expect(Math.max(...many)).toBeLessThan(50);
  });
});

describe('words in a picture', () => {
  const box = { left: 0, right: 10, top: 0, bottom: 10 };
  test('move to a free line', () => {
    expect(freeBox(box, [])).toEqual(box);
    expect(freeBox(box, [{ ...box, left: 5, right: 15 }]).bottom).toBe(0);
  });
  test('prefer the place with the fewest points, and never stand on other words', () => {
    const other = { left: 20, right: 30, top: 0, bottom: 10 };
    expect(emptiest([box, other], [], [{ x: 3, y: 3 }])).toBe(other);
    expect(emptiest([box, other], [other], [{ x: 3, y: 3 }])).toBe(box);
  });
  test('every marker is a closed outline', () => {
    for (const shape of ['circle', 'triangle', 'square', 'diamond', 'plus', 'bar'] as const)
      expect(markerPath(shape, 0, 0, 4)).toMatch(/^M.*Z$/);
  });
});
