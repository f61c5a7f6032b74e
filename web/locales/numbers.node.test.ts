import { expect, test } from 'vitest';
import { formatRead, formatVector } from './numbers.js';

test('a large number is read as a power of ten, without digits that no 32-bit number has', () => {
  expect(formatRead(999_999, 2)).toBe('999999.00');
  expect(formatRead(1e6, 4)).toBe('1×10⁶');
  expect(formatRead(-1.23456e30, 4)).toBe('−1.2346×10³⁰');
  expect(formatVector([1e38, 1], 1)).toBe('[1×10³⁸, 1.0]');
  expect(formatRead(Number.POSITIVE_INFINITY)).toBe('Infinity');
});
