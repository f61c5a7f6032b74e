import { describe, expect, test } from 'vitest';
import { MAX_WIDTH, originOf, paste, presetGrid, sliderDomain, withoutEdits, withValue } from './grid.js';
import { PRESET_NAMES } from './presets.js';
import { moments, shortcutVariance } from './slice.js';

describe('grid', () => {
  test('every preset has four tokens of one width inside its sliders', () => {
    for (const name of PRESET_NAMES) {
      const { rows, domain } = presetGrid(name);
      expect(rows.length, name).toBe(4);
      expect(new Set(rows.map((row) => row.length)).size, name).toBe(1);
      for (const value of rows.flat()) expect(value >= domain[0] && value <= domain[1], name).toBe(true);
    }
  });

  test('a changed number leaves the other rows the same objects', () => {
    const before = presetGrid('course');
    const after = withValue(before, 2, 9);
    expect(after.rows[0]).toEqual([3.2, -1.8, 9, 2.1]);
    expect(after.rows.slice(1).every((row, index) => row === before.rows[index + 1])).toBe(true);
    expect(after.domain[1]).toBeGreaterThanOrEqual(9);
  });

  test('a slip of the keyboard does not leave the sliders huge, and a drag does not move their ends', () => {
    const before = presetGrid('course');
    const huge = withValue(before, 0, 1e30);
    expect(huge.domain[1]).toBeGreaterThanOrEqual(1e30);
    expect(withValue(huge, 0, 3.2).domain).toEqual(before.domain);
    expect(withValue(before, 0, 0.1, true).domain).toBe(before.domain);
    expect(withoutEdits(huge)).toEqual(before);
  });

  test('knows the preset it began as, edited or not', () => {
    expect(originOf(withValue(presetGrid('outlier'), 0, 5))).toBe('outlier');
    expect(originOf({ ...presetGrid('course'), untouched: [[1]] })).toBe('own');
  });

  test('sliders leave zero out only when all numbers stand far from it', () => {
    expect(sliderDomain([[10_001, 10_004]])[0]).toBeGreaterThan(9_000);
    const [low, high] = sliderDomain([[3, 4]]);
    expect(low).toBe(-high);
  });
});

describe('paste', () => {
  const grid = presetGrid('course');

  test('a vector of the same width replaces the selected row only', () => {
    const outcome = paste({ ...grid, selected: 1 }, '[1, −2, 3, 4]');
    expect(outcome).toMatchObject({ kind: 'row', grid: { rows: [[3.2, -1.8, 0.5, 2.1], [1, -2, 3, 4], {}, {}] } });
  });

  test('another width makes a new grid and says that the other rows are ours', () => {
    const outcome = paste(grid, '1 2 3');
    expect(outcome).toMatchObject({ kind: 'grid', filled: true });
    if (outcome.kind === 'grid') expect(outcome.grid.rows.every((row) => row.length === 3)).toBe(true);
  });

  test('a matrix becomes the grid', () => {
    expect(paste(grid, '[[1,2],[3,4]]')).toMatchObject({
      kind: 'grid',
      filled: false,
      grid: {
        rows: [
          [1, 2],
          [3, 4],
        ],
      },
    });
  });

  test('says how many numbers were read where a comma may have been a decimal mark', () => {
    expect(paste(grid, '65,504 1 2')).toMatchObject({ kind: 'row', count: 4 });
    expect(paste(grid, '1,5')).toMatchObject({ kind: 'grid', count: 2 });
    expect(paste(grid, '1, 5')).not.toHaveProperty('count');
  });

  test('nothing, nonsense and too much are refused with a reason', () => {
    expect(paste(grid, ' ')).toMatchObject({ kind: 'refused', problem: { reason: 'nothing' } });
    expect(paste(grid, '1, x')).toMatchObject({ kind: 'refused', problem: { reason: 'not-a-number', item: 2 } });
    const long = new Array(MAX_WIDTH + 1).fill('1').join(' ');
    expect(paste(grid, long)).toMatchObject({ kind: 'refused', problem: { reason: 'too-many', limit: MAX_WIDTH } });
  });
});

test('the textbook shortcut fails where the preset says it does', () => {
  const row = presetGrid('offset').rows[0] as number[];
  expect(moments(row).variance).toBeCloseTo(3.535, 6);
  expect(Math.abs(shortcutVariance(row) - 3.535)).toBeGreaterThan(1);
});
