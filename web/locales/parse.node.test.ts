import { describe, expect, test } from 'vitest';
import { hasTightComma, parseNumber, parseVector } from './parse.js';

describe('a number field', () => {
  test.each(['0,5', '0,001', '-0,234', ',5', '1,2345', '1.234,5', '1.234.567,8', '1 234,5', '1,5e3'])(
    'asks for a point in %j',
    (text) => expect(parseNumber(text)).toEqual({ kind: 'error', reason: 'decimal-comma' }),
  );

  test.each([
    ['1,234', 1234],
    ['-12,345,678.9', -12345678.9],
    ['１，２３４．５', 1234.5],
    ['﹣３', -3],
    ['–2.5', -2.5],
    ['\ufeff5\u3000', 5],
    ['𝟏.𝟓', 1.5],
  ])('reads %j', (text, value) => expect(parseNumber(text)).toEqual({ kind: 'number', value }));

  test.each(['10⁸', '3²', '1e⁵', '①', '½', '1,234,5', '12,34.5', '0,234,567'])(
    'does not take %j for a number',
    (text) => expect(parseNumber(text)).toEqual({ kind: 'error', reason: 'not-a-number' }),
  );
});

test.each(['1e39', '-3.5e38', '1e400', '1'.repeat(40)])('%j is too large for a 32-bit number', (text) => {
  expect(parseNumber(text)).toEqual({ kind: 'error', reason: 'beyond-fp32' });
  expect(parseVector(`1, ${text}`)).toEqual({ kind: 'error', reason: 'beyond-fp32', item: 2 });
});

test('the largest 32-bit number is read', () =>
  expect(parseNumber('3.4028234e38')).toEqual({ kind: 'number', value: 3.4028234e38 }));

describe('lines without brackets', () => {
  test.each(['1 2\n3 4', '1, 2\r\n3, 4\r\n', '1\t2\n\n3\t4'])('%j are rows where all are equally long', (text) =>
    expect(parseVector(text)).toEqual({
      kind: 'rows',
      rows: [
        [1, 2],
        [3, 4],
      ],
    }),
  );

  test.each(['1\n2\n3\n4', '1 2 3\n4', '1, 2,\n3, 4', '[1 2\n 3 4]', 'c(1, 2\n, 3, 4)'])('%j is one list', (text) =>
    expect(parseVector(text)).toEqual({ kind: 'vector', values: [1, 2, 3, 4] }),
  );

  test('too many of them are refused with the limit', () =>
    expect(parseVector('1 2\n3 4', 3)).toEqual({ kind: 'error', reason: 'too-many', limit: 3 }));
});

test('a comma directly between digits may have been meant otherwise', () => {
  expect(['1,5', '65,504 1 2', '1，5'].map(hasTightComma)).toEqual([true, true, true]);
  expect(['1, 5', '1 ,5', '[1.; -2]'].map(hasTightComma)).toEqual([false, false, false]);
});

describe('a pasted vector', () => {
  test.each([
    ['Float32Array(3) [ 1, -2, 3 ]', [1, -2, 3]],
    ['(2) [1, 2]', [1, 2]],
    ["torch.tensor([1., 2.], device=device(type='cuda', index=0))", [1, 2]],
    ['np.float32(1.5)', [1.5]],
    ['c(1, 2)', [1, 2]],
    ['[1；2、3，4]', [1, 2, 3, 4]],
  ])('%j is read', (text, values) => expect(parseVector(text)).toEqual({ kind: 'vector', values }));

  test.each([
    ['[[1,2],,[3,4]]', 3],
    ['[1,2],,', 3],
    [',[1,2],[3,4]', 1],
  ])('%j lacks a row, which is said', (text, item) =>
    expect(parseVector(text)).toEqual({ kind: 'error', reason: 'empty-item', item }),
  );

  test.each(['10⁸ 1', 'sqrt(2)', 'exp(1), 2', '2(3)'])('%j has no number as its first item', (text) =>
    expect(parseVector(text)).toEqual({ kind: 'error', reason: 'not-a-number', item: 1 }),
  );

  test('a name before the brackets is not dropped', () =>
    expect(parseVector('minus [1, 2]')).toEqual({ kind: 'error', reason: 'brackets' }));

  test.each([
    ['spaces', `1${' '.repeat(100_000)}2`],
    ['line breaks', `[1${'\n'.repeat(100_000)}2]`],
    ['options', `tensor(${', a='.repeat(50_000)}`],
    ['brackets', '['.repeat(100_000)],
    ['letters', `${'a'.repeat(100_000)}(`],
  ])('a long run of %s keeps no one waiting', (_, text) => {
    const started = performance.now();
    parseVector(text);
    parseNumber(text);
    expect(performance.now() - started).toBeLessThan(500);
  });
});
