import { extent } from '../../charts/scale.js';
import { linearTicks, tickStep } from '../../charts/ticks.js';
import { hasTightComma, parseVector, type ParsedVector } from '../../locales/parse.js';
import { filler, PRESET_NAMES, PRESETS, TOKEN_NAMES, type PresetName } from './presets.js';

/** What the reader works on. Plain data; every function below returns a new one. */
export interface Grid {
  /** n_row × d. */
  rows: readonly (readonly number[])[];
  /** The same grid before the first edit: what "unchanged" is measured against. */
  untouched: readonly (readonly number[])[];
  /** Index of the token under the lens. */
  selected: number;
  /** Lowest and highest value that the sliders reach. */
  domain: readonly [number, number];
}

export const MAX_WIDTH = 64;
export const MAX_ROWS = 8;

export function presetGrid(name: PresetName): Grid {
  return freshGrid(PRESETS[name], 0);
}

function freshGrid(rows: Grid['rows'], selected: number): Grid {
  return { rows, untouched: rows, selected, domain: sliderDomain(rows) };
}

/** Round ends around all values; zero is inside unless the values stand far away from it. */
export function sliderDomain(rows: Grid['rows']): [number, number] {
  const [low, high] = extent(rows.flat());
  const spread = Math.max(high - low, 1);
  const far = Math.min(Math.abs(low), Math.abs(high)) > 3 * spread && low * high > 0;
  if (far) return roundOut(low - spread / 2, high + spread / 2);
  const size = Math.max(Math.abs(low), Math.abs(high), 1) * 1.2;
  return roundOut(-size, size);
}

function roundOut(low: number, high: number): [number, number] {
  const step = tickStep(low, high, 10);
  return [Math.floor(low / step) * step, Math.ceil(high / step) * step].map((end) => Number(end.toPrecision(10))) as [
    number,
    number,
  ];
}

/** A slider step that keeps one more digit than the ticks. */
export function sliderStep([low, high]: Grid['domain']): number {
  return tickStep(low, high, 100);
}

export function domainTicks([low, high]: Grid['domain'], count = 4): number[] {
  return linearTicks(low, high, count);
}

/** One number replaced; the sliders grow when it lies outside, and are fitted anew unless one of them is being `dragged`. */
export function withValue(grid: Grid, feature: number, value: number, dragged = false): Grid {
  const rows = grid.rows.map((row, index) => (index === grid.selected ? replaced(row, feature, value) : row));
  const inside = dragged && value >= grid.domain[0] && value <= grid.domain[1];
  return { ...grid, rows, domain: inside ? grid.domain : sliderDomain(rows) };
}

/** The numbers before the first edit. */
export function withoutEdits(grid: Grid): Grid {
  return { ...grid, rows: grid.untouched, domain: sliderDomain(grid.untouched) };
}

/** The preset that the grid began as; 'own' for pasted numbers. */
export function originOf(grid: Grid): PresetName | 'own' {
  return PRESET_NAMES.find((name) => PRESETS[name] === grid.untouched) ?? 'own';
}

function replaced(row: readonly number[], at: number, value: number): number[] {
  return row.map((old, index) => (index === at ? value : old));
}

export type PasteOutcome =
  | { kind: 'row'; grid: Grid; count?: number }
  /** The width changed; `filled` says that the other rows are numbers of ours. */
  | { kind: 'grid'; grid: Grid; filled: boolean; count?: number }
  | { kind: 'refused'; problem: Exclude<ParsedVector, { kind: 'vector' | 'rows' }> | { reason: 'nothing' } };

/**
 * A pasted vector replaces the selected row; another length, or a matrix, makes a new grid. `count` says how many numbers
 * were read where a comma may have been meant as a decimal or thousands mark.
 */
export function paste(grid: Grid, text: string): PasteOutcome {
  const parsed = parseVector(text, MAX_ROWS * MAX_WIDTH);
  if (parsed.kind === 'error') return { kind: 'refused', problem: parsed };
  if (parsed.kind === 'rows') return pasteRows(parsed.rows);
  const outcome = pasteVector(grid, parsed.values);
  return hasTightComma(text) && outcome.kind !== 'refused' ? { ...outcome, count: parsed.values.length } : outcome;
}

function pasteRows(rows: number[][]): PasteOutcome {
  const width = rows[0]?.length ?? 0;
  if (width === 0) return { kind: 'refused', problem: { reason: 'nothing' } };
  const tooMany = rows.length > MAX_ROWS || width > MAX_WIDTH;
  const limit = rows.length > MAX_ROWS ? MAX_ROWS : MAX_WIDTH;
  if (tooMany) return { kind: 'refused', problem: { kind: 'error', reason: 'too-many', limit } };
  return { kind: 'grid', grid: freshGrid(rows, 0), filled: false };
}

function pasteVector(grid: Grid, values: number[]): PasteOutcome {
  if (values.length === 0) return { kind: 'refused', problem: { reason: 'nothing' } };
  if (values.length > MAX_WIDTH) {
    return { kind: 'refused', problem: { kind: 'error', reason: 'too-many', limit: MAX_WIDTH } };
  }
  if (values.length !== grid.rows[0]?.length) {
    const rows = grid.rows.map((_, index) => (index === grid.selected ? values : filler(index, values.length)));
    return { kind: 'grid', grid: freshGrid(rows, grid.selected), filled: grid.rows.length > 1 };
  }
  const rows = grid.rows.map((row, index) => (index === grid.selected ? values : row));
  return { kind: 'row', grid: { ...grid, rows, domain: sliderDomain(rows) } };
}

/** The token's name: a word of the sentence, or its number in a pasted matrix. */
export function rowName(grid: Grid, index: number): string {
  return grid.rows.length <= TOKEN_NAMES.length ? (TOKEN_NAMES[index] as string) : String(index + 1);
}

export function sameRows(a: Grid['rows'], b: Grid['rows']): boolean {
  return a.every((row, index) => row.every((value, feature) => value === b[index]?.[feature]));
}
