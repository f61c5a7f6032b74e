/** Inputs of ops as test files write them: nested lists, generators, views into a larger buffer, texts for NaN and Infinity. */
import { checkInteger, MAX_FLOATS, show } from './checks.js';
import { NormscopeError } from './errors.js';

type Generator =
  | { gen: 'affine_mod'; n: number; a: number; c: number; m: number; scale: number; offset: number }
  | { gen: 'sparse'; n: number; values: Record<string, number> }
  | { gen: 'tile'; n: number; values: number[] }
  | { gen: 'rows_const'; d: number; row_values: [number, number][] };

const SPECIALS: Record<string, number> = { NaN, Infinity, '-Infinity': -Infinity };

/** Numbers in place of the texts NaN, Infinity and -Infinity, at any depth. */
export function withNumbers(value: unknown): unknown {
  if (typeof value === 'string') return Object.hasOwn(SPECIALS, value) ? SPECIALS[value] : value;
  if (Array.isArray(value)) return value.map(withNumbers);
  if (isPlain(value)) return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, withNumbers(entry)]));
  return value;
}

const isPlain = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;

/**
 * A flat list: nested lists row by row, one number as a list of one, true and false as 1 and 0, a generator's numbers.
 * What is none of these comes back as it is.
 */
export function flat(value: unknown): unknown {
  const plain = withNumbers(value);
  if (typeof plain === 'number' || typeof plain === 'boolean') return [Number(plain)];
  if (isPlain(plain) && 'gen' in plain) return generate(plain as Generator);
  if (!Array.isArray(plain)) return plain;
  return plain.flat(Infinity).map((item: unknown) => (typeof item === 'boolean' ? Number(item) : item));
}

/** The numbers that a generator describes. */
function generate(generator: Generator): number[] {
  switch (generator.gen) {
    case 'affine_mod': {
      const { a, c, m, scale, offset } = generator;
      return fill(generator.n, (i) => offset + scale * ((a * i + c) % m));
    }
    case 'sparse':
      return fill(generator.n, (i) => generator.values?.[i] ?? 0);
    case 'tile': {
      const values = listOf('values', generator.values);
      return fill(generator.n, (i) => values[i % values.length]!);
    }
    case 'rows_const':
      return listOf('row_values', generator.row_values).flatMap(([value, rows]) =>
        fill(rows * generator.d, () => value),
      );
    default:
      throw new NormscopeError(
        'bad-array',
        `there is no generator ${show((generator as { gen: unknown }).gen)}; the generators are affine_mod, sparse, tile and rows_const`,
      );
  }
}

function fill(n: unknown, value: (i: number) => number): number[] {
  return Array.from({ length: checkInteger('the length of a generator', n, 0, MAX_FLOATS) }, (_, i) => value(i));
}

function listOf<T>(name: string, value: T[]): T[] {
  if (Array.isArray(value) && value.length > 0) return value;
  throw new NormscopeError('bad-array', `the generator's ${name} is ${show(value)}; expected a list that is not empty`);
}

/** Where rows of d numbers lie in a buffer: the first at `offset`, each next one `stride` further on. */
export interface RowView {
  rows: number;
  d: number;
  offset: number;
  stride: number;
}

/** The rows as dense floats: a view of the buffer where they touch, else a copy. */
export function denseRows(buffer: Float32Array, { rows, d, offset, stride }: RowView): Float32Array {
  const end = rows === 0 ? offset : offset + (rows - 1) * stride + d;
  if (end > buffer.length)
    throw new NormscopeError(
      'bad-size',
      `${rows} rows of ${d} from offset ${offset}, ${stride} apart, need ${end} numbers; the buffer has ${buffer.length}`,
    );
  if (stride === d || rows <= 1) return buffer.subarray(offset, end);
  const dense = new Float32Array(rows * d);
  for (let row = 0; row < rows; ++row)
    dense.set(buffer.subarray(offset + row * stride, offset + row * stride + d), row * d);
  return dense;
}
