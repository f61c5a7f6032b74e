import { expect, test } from 'vitest';
import { formatAmount, formatBytes, formatRead, formatVector } from './numbers.js';

test('a large number is read as a power of ten, without digits that no 32-bit number has', () => {
  expect(formatRead(999_999, 2)).toBe('999999.00');
  expect(formatRead(1e6, 4)).toBe('1×10⁶');
  expect(formatRead(-1.23456e30, 4)).toBe('−1.2346×10³⁰');
  expect(formatVector([1e38, 1], 1)).toBe('[1×10³⁸, 1.0]');
  expect(formatRead(Number.POSITIVE_INFINITY)).toBe('Infinity');
});

test('memory has three digits and units of 1024, large counts the language’s own unit', () => {
  expect([0, 5, 1024, 12_345_678, 128 * 2 ** 20, 3 * 2 ** 30].map((bytes) => formatBytes(bytes, 'en'))).toEqual([
    '0 B',
    '5 B',
    '1.00 KiB',
    '11.8 MiB',
    '128 MiB',
    '3.00 GiB',
  ]);
  expect([81_082, 124_439_808].map((count) => formatAmount(count, 'en'))).toEqual(['81,082', '124.4M']);
  expect(formatAmount(124_439_808, 'ko')).toBe('1.244억');
});
