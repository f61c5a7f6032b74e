/** Reading numbers that people type or paste. Nothing is ever dropped silently, and a wrong text never becomes 0. */

export type ParsedNumber =
  | { kind: 'number'; value: number }
  | { kind: 'error'; reason: 'empty' | 'decimal-comma' | 'not-a-number' | 'beyond-fp32' };

export type ParsedVector =
  | { kind: 'vector'; values: number[] }
  | { kind: 'rows'; rows: number[][] }
  /** `item` counts from 1. */
  | { kind: 'error'; reason: 'empty-item' | 'not-a-number' | 'beyond-fp32'; item: number }
  | { kind: 'error'; reason: 'ragged' | 'brackets' }
  | { kind: 'error'; reason: 'too-many'; limit: number };

const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i;
/** '1,234.5', but not '0,234': no program groups a leading zero. */
const GROUPED = /^[+-]?[1-9]\d{0,2}(?:,\d{3})+(?:\.\d*)?$/;
const DECIMAL_COMMA = /^[+-]?(?:\d*|[1-9]\d{0,2}(?:[. ]\d{3})+),\d+(?:e[+-]?\d+)?$/i;

/**
 * One number field: '−3', '1,234.5', '1.', '-.5', '1e-5', full-width digits; '0,5' is refused with a reason, and so is
 * what no 32-bit number holds.
 */
export function parseNumber(text: string): ParsedNumber {
  const plain = normalize(text);
  if (plain === '') return { kind: 'error', reason: 'empty' };
  if (NUMBER.test(plain)) return finite(Number(plain));
  if (GROUPED.test(plain)) return finite(Number(plain.replaceAll(',', '')));
  if (DECIMAL_COMMA.test(plain)) return { kind: 'error', reason: 'decimal-comma' };
  return { kind: 'error', reason: 'not-a-number' };
}

function finite(value: number): ParsedNumber {
  return fitsFp32(value) ? { kind: 'number', value } : { kind: 'error', reason: 'beyond-fp32' };
}

function fitsFp32(value: number): boolean {
  return Number.isFinite(Math.fround(value));
}

/**
 * A vector, or rows of one matrix, as printed by most programs: separated by commas, semicolons or white space, in brackets
 * or not, with or without `tensor(…)` or `array(…)` around it. Lines without brackets are rows where all are equally long.
 */
export function parseVector(text: string, limit = 100_000): ParsedVector {
  const lines = lineRows(text, limit);
  if (lines !== null) return { kind: 'rows', rows: lines };
  const body = unwrap(normalize(text));
  const rows = splitRows(body);
  if (rows === null) return { kind: 'error', reason: 'brackets' };
  if (rows.length === 1) return parseItems(rows[0] as string, limit);
  return parseRows(rows, limit);
}

/** True where a comma may have been meant as a decimal or a thousands mark: '1,5' and '65,504' are two numbers each. */
export function hasTightComma(text: string): boolean {
  return /\d,\d/.test(normalize(text));
}

/**
 * Lines as rows, as from a spreadsheet: at least two lines of one count above 1. Null for everything else: in brackets a
 * line break only wraps a long list, and so does one after a comma.
 */
function lineRows(text: string, limit: number): number[][] | null {
  if (/[[\](){}]/.test(text)) return null;
  const lines = text
    .split(/[\r\n\u2028\u2029]+/)
    .map(normalize)
    .filter((line) => line !== '');
  if (lines.length < 2 || lines.slice(0, -1).some((line) => /[,;]$/.test(line))) return null;
  const rows: number[][] = [];
  for (const line of lines) {
    const row = parseItems(line, limit - rows.length * (rows[0]?.length ?? 0));
    if (row.kind !== 'vector' || row.values.length < 2) return null;
    if (rows[0] && rows[0].length !== row.values.length) return null;
    rows.push(row.values);
  }
  return rows;
}

function parseRows(texts: string[], limit: number): ParsedVector {
  const rows: number[][] = [];
  let count = 0;
  for (const text of texts) {
    const row = parseItems(text, limit - count);
    if (row.kind === 'error') return shift(row, count, limit);
    if (row.kind === 'vector') rows.push(row.values);
    count += rows.at(-1)?.length ?? 0;
  }
  const width = rows[0]?.length;
  if (rows.some((row) => row.length !== width)) return { kind: 'error', reason: 'ragged' };
  return { kind: 'rows', rows };
}

function shift(error: ParsedVector & { kind: 'error' }, count: number, limit: number): ParsedVector {
  if (error.reason === 'too-many') return { ...error, limit };
  return 'item' in error ? { ...error, item: error.item + count } : error;
}

function parseItems(text: string, limit: number): ParsedVector {
  const trimmed = text.trim();
  if (trimmed === '') return { kind: 'vector', values: [] };
  const values: number[] = [];
  for (const item of items(trimmed)) {
    if (values.length >= limit) return { kind: 'error', reason: 'too-many', limit };
    if (item === '') return { kind: 'error', reason: 'empty-item', item: values.length + 1 };
    if (!NUMBER.test(item)) return { kind: 'error', reason: 'not-a-number', item: values.length + 1 };
    const value = Number(item);
    if (!fitsFp32(value)) return { kind: 'error', reason: 'beyond-fp32', item: values.length + 1 };
    values.push(value);
  }
  return { kind: 'vector', values };
}

/** A separator is white space with at most one comma or semicolon in it; a trailing one is as programs print it. */
function items(text: string): string[] {
  return text.replace(/\s*[,;]$/, '').split(/\s*[,;]\s*|\s+/);
}

/** The inner texts of `[…],[…]`; the text itself when it has no inner brackets; null when they do not match. */
function splitRows(text: string): string[] | null {
  if (!/[[\]]/.test(text)) return [text];
  const rows: string[] = [];
  for (const { 1: row, 2: between = '', index } of text.matchAll(/\[([^[\]]*)\]|([^[\]]+|[[\]])/g)) {
    if (/[^ ,;]/.test(between)) return null;
    // A row left out, as in `[1],,[2]`, reads as an empty item.
    if (between.replaceAll(' ', '').length > (index === 0 ? 0 : 1)) rows.push(',');
    if (row !== undefined) rows.push(row);
  }
  return rows;
}

function unwrap(text: string): string {
  const inner = withoutCall(text).replace(CONSOLE_NAME, '').trim();
  const outer = /^\[(.*)\]$/.exec(inner);
  if (!outer) return inner;
  const body = outer[1] as string;
  return /^[^\]]*\[/.test(body) || !/[[\]]/.test(body) ? body : inner;
}

/** `Float32Array(3) [` and `(3) [`, as browsers print them. */
const CONSOLE_NAME = /^(?:(?:[A-Z][a-z]+\d+)?Array)?(?:\(\d+\))? ?(?=\[)/;

/** Calls that hold the numbers as they are: not `sqrt(2)`. */
const CALL = /^(?:(?:[a-z_]\w*\.)*(?:\w*(?:array|tensor|vector|matrix|list|tuple|series)|float\d*|c))?\(/i;

/** `tensor(…, dtype=…)` -> `…` */
function withoutCall(text: string): string {
  const call = CALL.exec(text)?.[0];
  if (call === undefined || !text.endsWith(')')) return text;
  const inner = text.slice(call.length, -1);
  const options = inner.search(/, ?[a-z_]\w* ?=/i);
  return options < 0 ? inner : inner.slice(0, options);
}

/**
 * Unicode minus signs, full-width forms and the digits of formulas to ASCII, white space to single spaces. Superscripts
 * stay: the 8 of 10⁸ is no further digit.
 */
function normalize(text: string): string {
  return text
    .replace(/[\uff01-\uff65\ufe50-\ufe6b\u{1d7ce}-\u{1d7ff}]/gu, (sign) => sign.normalize('NFKC'))
    .replace(/[\u2212\u2012\u2013\u2010\u2011]/g, '-')
    .replaceAll('、', ',')
    .replace(/\s+/g, ' ')
    .trim();
}
