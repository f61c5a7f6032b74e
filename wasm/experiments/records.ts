/** Records as lines of JSON: fixed keys in fixed order, numbers that JSON lacks as texts, and back. */
import { NormscopeError } from '../runtime/errors.js';
import { identityOf } from './identity.js';
import type { ExperimentRecord } from './types.js';

/** Keys in the order in which they are written. */
const KEYS: Record<keyof ExperimentRecord, true> = {
  index: true,
  cell: true,
  spec: true,
  data: true,
  steps: true,
  evaluation: true,
  version: true,
  backend: true,
  verdict: true,
  reasons: true,
  step: true,
  firstLoss: true,
  finalLoss: true,
  bestLoss: true,
  bestStep: true,
  unigramLoss: true,
  lrTimesWidth: true,
  nParameter: true,
  maxAbs: true,
  passedHalfRange: true,
  stream: true,
  heldOut: true,
  curve: true,
};

/** Keys whose texts stay texts, whatever they say. */
const TEXTS = new Set(['prompt', 'text', 'reference', 'message']);
const NUMBERS: Record<string, number> = { NaN: NaN, Infinity, '-Infinity': -Infinity };

const writeNumber = (_: string, value: unknown): unknown =>
  typeof value === 'number' && !Number.isFinite(value) ? String(value) : value;
const readNumber = (key: string, value: unknown): unknown =>
  typeof value === 'string' && !TEXTS.has(key) && Object.hasOwn(NUMBERS, value) ? NUMBERS[value] : value;

/** One line with its end. The same record gives the same bytes, whoever made the object. */
export function recordLine(record: ExperimentRecord): string {
  const ordered = Object.fromEntries(Object.keys(KEYS).map((key) => [key, record[key as keyof ExperimentRecord]]));
  return `${JSON.stringify(ordered, writeNumber)}\n`;
}

/**
 * The records of a file of lines. A last line without its end that makes no sense was torn when its writer was killed:
 * it is left out.
 * @throws NormscopeError bad-data, naming the line, for any other line that is not a record
 */
export function parseRecords(text: string): ExperimentRecord[] {
  const lines = text.replace(/^\uFEFF/, '').split('\n');
  const records: ExperimentRecord[] = [];
  for (const [i, line] of lines.entries()) {
    if (line.trim() === '') continue;
    const record = parseLine(line);
    if (typeof record !== 'string') records.push(record);
    else if (i < lines.length - 1)
      throw new NormscopeError('bad-data', `line ${i + 1} is not a record (${record}): ${line.slice(0, 60)}`);
  }
  return records;
}

/** The record, or what is wrong with the line. */
function parseLine(line: string): ExperimentRecord | string {
  let value: Partial<ExperimentRecord> | null;
  try {
    value = JSON.parse(line, readNumber) as typeof value;
  } catch {
    return 'no JSON';
  }
  if (typeof value !== 'object' || value === null) return 'no object';
  const missing = Object.keys(KEYS).find((key) => value[key as keyof ExperimentRecord] === undefined);
  if (missing) return `it lacks '${missing}'`;
  return Number.isInteger(value.index) ? (value as ExperimentRecord) : `its index is ${value.index}`;
}

/**
 * The lines of several files of one sweep in grid order, as one file. A cell that occurs again (a rerun) counts once,
 * its last record.
 * @throws NormscopeError bad-data when two records of one index are of different runs: the files are of different sweeps
 */
export function mergeRecords(texts: readonly string[]): string {
  const byIndex = new Map<number, ExperimentRecord>();
  for (const record of texts.flatMap((text) => parseRecords(text))) {
    const known = byIndex.get(record.index);
    if (known && identityOf(known) !== identityOf(record))
      throw new NormscopeError(
        'bad-data',
        `two different runs have the index ${record.index}; merge only files of one sweep (${difference(known, record)})`,
      );
    byIndex.set(record.index, record);
  }
  return sortRecords(byIndex.values()).map(recordLine).join('');
}

export const sortRecords = (records: Iterable<ExperimentRecord>): ExperimentRecord[] =>
  [...records].sort((a, b) => a.index - b.index);

/** The first trait in which two runs differ. */
function difference(a: ExperimentRecord, b: ExperimentRecord): string {
  const field = Object.keys({ ...a.spec, ...b.spec }).find((name) => a.spec[name] !== b.spec[name]);
  if (field) return `${field} ${a.spec[field]} and ${b.spec[field]}`;
  const keys = ['data', 'steps', 'evaluation', 'version', 'backend'] as const;
  const key = keys.find((name) => JSON.stringify(a[name]) !== JSON.stringify(b[name]))!;
  return `${key} ${JSON.stringify(a[key])} and ${JSON.stringify(b[key])}`;
}
