// Reads the numeric cases of reports.json: generators become arrays, the texts NaN and Infinity become numbers.
import { denseRows, flat, withNumbers } from '../../wasm/runtime/testing-values.js';
import reports from './reports.json';

export interface Tolerance {
  abs: number;
  rel: number;
}
export interface ReportCase {
  id: string;
  family: string;
  op: string;
  params: Record<string, unknown>;
  /** Flat and row-major; null where the input is absent. */
  inputs: Record<string, number[] | null>;
  /** As in the file, with numbers in place of the special texts. */
  expected: Record<string, unknown>;
  tolerance: { cpu: Tolerance; gpu: Tolerance };
  note?: string;
}

function expandInput(value: unknown): number[] | null {
  return value === null ? null : (flat(value) as number[]);
}

/** The named case, or all cases of these operations. */
export const reportCase = (id: string): ReportCase => expand(caseAsWritten(id));

/** As the file has it: generators, nested lists, the texts NaN and Infinity. */
export function caseAsWritten(id: string): (typeof reports.cases)[number] {
  const found = reports.cases.find((entry) => entry.id === id);
  if (!found) throw new Error(`reports.json has no case ${id}`);
  return found;
}
export function reportCasesOf(...ops: string[]): ReportCase[] {
  return reports.cases.filter(({ op }) => ops.includes(op)).map(expand);
}

function expand(entry: (typeof reports.cases)[number]): ReportCase {
  const { id, family, op, params, inputs, expected, tolerance } = entry;
  const expanded = Object.entries(inputs).map(([name, value]) => [name, expandInput(value)]);
  const note = 'note' in entry ? { note: String(entry.note) } : {};
  return {
    id,
    family,
    op,
    params,
    inputs: Object.fromEntries(expanded),
    expected: withNumbers(expected) as object,
    tolerance,
    ...note,
  } as ReportCase;
}

/**
 * The input x as dense rows: some cases give a larger buffer with an offset or a row stride, because a view of it must be
 * honoured.
 */
export function denseX({ params, inputs }: ReportCase): number[] {
  if (inputs.x) return inputs.x;
  const { rows, d, offset_elements: offset, row_stride: stride } = params as Record<string, number>;
  const view = { rows: rows!, d: d!, offset: offset!, stride: stride ?? d! };
  return Array.from(denseRows(Float32Array.from(inputs.buffer!), view));
}

/** |got - right| <= abs + rel |right|; NaN meets NaN, an infinity meets itself. */
export function isClose(got: number, right: number, { abs, rel }: Tolerance): boolean {
  if (Number.isNaN(right)) return Number.isNaN(got);
  return got === right || Math.abs(got - right) <= abs + rel * Math.abs(right);
}

/** What is wrong with `got`, in words; [] when all is well. */
export function compare(
  name: string,
  got: ArrayLike<number>,
  right: ArrayLike<number>,
  tolerance: Tolerance,
): string[] {
  if (got.length !== right.length) return [`${name} has ${got.length} values, expected ${right.length}`];
  return compareAt(name, got, Object.fromEntries(Array.from(right, (value, i) => [i, value])), tolerance);
}

function compareAt(
  name: string,
  got: ArrayLike<number>,
  right: Record<string, number>,
  tolerance: Tolerance,
): string[] {
  const wrong = Object.entries(right).filter(([i, value]) => !isClose(got[Number(i)] ?? NaN, value, tolerance));
  if (wrong.length === 0) return [];
  const [first, value] = wrong[0]!;
  return [
    `${name}[${first}] is ${got[Number(first)]}, expected ${value} (${wrong.length} wrong; allowed ${tolerance.abs} + ${tolerance.rel}|e|)`,
  ];
}

/**
 * Compares what an operation returned with the case. `outputs` holds flat arrays under the names of `expected`; the keys
 * `y_at` (index -> value) and `y_rows` (row -> values) look into `y`. A name that `outputs` lacks is a complaint.
 */
export function complaints(
  { params, expected }: ReportCase,
  outputs: Record<string, ArrayLike<number> | undefined>,
  tolerance: Tolerance,
): string[] {
  return Object.entries(expected).flatMap(([key, right]) => {
    const [, base, manner] = /^(.*?)(?:_(at|rows))?$/.exec(key)!;
    const got = outputs[base!];
    if (!got) return [`${base} is missing`];
    if (manner === 'at') return compareAt(base!, got, right as Record<string, number>, tolerance);
    if (manner === 'rows')
      return compareRows(base!, got, right as Record<string, number[]>, Number(params.d), tolerance);
    return compare(base!, got, (Array.isArray(right) ? right.flat(Infinity) : [right]) as number[], tolerance);
  });
}

function compareRows(
  name: string,
  got: ArrayLike<number>,
  rows: Record<string, number[]>,
  d: number,
  tolerance: Tolerance,
): string[] {
  return Object.entries(rows).flatMap(([row, right]) => {
    const width = Number.isFinite(d) ? d : right.length;
    return compare(
      `${name} row ${row}`,
      Array.from(got).slice(Number(row) * width, (Number(row) + 1) * width),
      right,
      tolerance,
    );
  });
}
