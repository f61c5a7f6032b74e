import { describe, expect, test } from 'vitest';
import reports from '../cases/reports.json';
import { formatCompact, formatNumber, formatRead } from '../../web/locales/numbers.js';
import { parseNumber, parseVector } from '../../web/locales/parse.js';

interface TextCase {
  id: string;
  op: string;
  params: { decimals?: number };
  inputs: { text?: string[]; values?: (number | string)[] };
  expected: { values?: unknown[]; text?: string[] };
}
const cases = reports.cases as unknown as TextCase[];
const of = (op: string) => cases.filter((entry) => entry.op === op);

/** The outcome in the words of the reports: numbers, `rows: …` or `error: …`. */
function vectorInWords(text: string): unknown {
  const parsed = parseVector(text);
  if (parsed.kind === 'vector') return parsed.values;
  if (parsed.kind === 'rows') return `rows: ${parsed.rows.map((row) => `[${row.join(',')}]`).join(',')}`;
  if (parsed.reason === 'empty-item') return `error: empty item ${parsed.item}`;
  return 'item' in parsed ? `error: item ${parsed.item}` : `error: ${parsed.reason}`;
}

function numberInWords(text: string): unknown {
  const parsed = parseNumber(text);
  if (parsed.kind === 'number') return parsed.value;
  return parsed.reason === 'decimal-comma' ? 'error: write a point for the decimal' : 'error';
}

describe('texts that people reported as misread', () => {
  test.each(
    of('parse_vector').flatMap(({ id, inputs, expected }) =>
      inputs.text!.map((text, i) => [id, text, expected.values![i]]),
    ),
  )('%s: a pasted %j is read as meant', (_, text, expected) => expect(vectorInWords(text as string)).toEqual(expected));

  test.each(
    of('parse_number').flatMap(({ id, inputs, expected }) =>
      inputs.text!.map((text, i) => [id, text, expected.values![i]]),
    ),
  )('%s: a typed %j is read as meant', (_, text, expected) => expect(numberInWords(text as string)).toEqual(expected));

  test.each(of('format_number'))(
    '$id: numbers are shown without a negative zero and without hiding NaN',
    ({ params, inputs, expected }) => {
      const shown = inputs.values!.map((value) => formatNumber(Number(value), { decimals: params.decimals ?? 3 }));
      expect(shown).toEqual(expected.text);
    },
  );
});

describe('parseVector', () => {
  test.each([
    ['array([1, 2], dtype=float32)', [1, 2]],
    ['tensor([0.5], device="cuda:0")', [0.5]],
    ['１，２，－３', [1, 2, -3]],
    ['1, 2, 3,', [1, 2, 3]],
    ['[1 2 3]', [1, 2, 3]],
    ['[[7, 8]]', [7, 8]],
  ])('reads %j', (text, values) => expect(parseVector(text)).toEqual({ kind: 'vector', values }));

  test('names the item that is wrong, counted over all rows', () => {
    expect(parseVector('[[1, 2], [3, x]]')).toEqual({ kind: 'error', reason: 'not-a-number', item: 4 });
  });

  test('refuses rows of different lengths and brackets without a partner', () => {
    expect(parseVector('[[1, 2], [3]]')).toEqual({ kind: 'error', reason: 'ragged' });
    expect(parseVector('[1, 2')).toEqual({ kind: 'error', reason: 'brackets' });
  });

  test('refuses NaN and Infinity, which no vector field here allows', () => {
    expect(parseVector('1, NaN')).toEqual({ kind: 'error', reason: 'not-a-number', item: 2 });
    expect(parseVector('Infinity')).toEqual({ kind: 'error', reason: 'not-a-number', item: 1 });
  });

  test('takes 100,000 numbers well within a second and refuses one more with the limit', () => {
    const text = new Array(100_000).fill('1.5').join(', ');
    const started = performance.now();
    expect(parseVector(text)).toMatchObject({ kind: 'vector' });
    expect(performance.now() - started).toBeLessThan(1000);
    expect(parseVector(`${text}, 1`)).toEqual({ kind: 'error', reason: 'too-many', limit: 100_000 });
  });
});

describe('numbers for reading', () => {
  test('carry a true minus sign and no negative zero', () => {
    expect(formatRead(-1.5, 2)).toBe('−1.50');
    expect(formatRead(-0.0001, 2)).toBe('0.00');
  });

  test('of any size are short', () => {
    expect([1e-5, 0, -1.8802, 65504, 123456789, -2.5e-7].map((value) => formatCompact(value))).toEqual([
      '1×10⁻⁵',
      '0',
      '−1.88',
      '65500',
      '1.235×10⁸',
      '−2.5×10⁻⁷',
    ]);
  });
});
