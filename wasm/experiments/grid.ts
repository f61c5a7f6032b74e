/** The cells of a grid: which values each has, in one order that depends on nothing but the values. */
import { checkInteger, checkKeys, show } from '../runtime/checks.js';
import { NormscopeError } from '../runtime/errors.js';
import { SPEC_FIELDS } from '../runtime/spec.js';
import type { ModelSpec, TrainingData } from '../runtime/types.js';
import type { ExperimentCell, ExperimentRequest } from './types.js';

/** One run to be made. */
export interface Cell {
  index: number;
  cell: ExperimentCell;
  spec: ModelSpec;
  data: TrainingData;
}

/** All of them are held in memory at once. */
const MOST_CELLS = 100_000;

/** Slowest first. */
const AXES = ['data', 'variant', ...SPEC_FIELDS.filter((name) => name !== 'seed'), 'seed'] as const;

interface Axis {
  name: (typeof AXES)[number];
  values: readonly unknown[];
}

type GridRequest = Pick<ExperimentRequest, 'base' | 'data' | 'grid'>;

function axesOf({ grid = {}, data }: GridRequest): Axis[] {
  checkKeys('grid', grid, AXES);
  if (data !== undefined && grid.data !== undefined)
    throw new NormscopeError('bad-option', 'data and grid.data are given; the task is one or the other');
  return AXES.filter((name) => grid[name] !== undefined).map((name) => ({ name, values: checkAxis(name, grid[name]) }));
}

function checkAxis(name: Axis['name'], values: unknown): readonly unknown[] {
  if (!Array.isArray(values) || values.length === 0)
    throw new NormscopeError('bad-option', `grid.${name} is ${show(values)}; expected a list of at least one value`);
  const seen = new Map<string, number>();
  values.forEach((value, i) => {
    if (name !== 'data') checkValue(`grid.${name}[${i}]`, name, value);
    const text = JSON.stringify(value);
    if (seen.has(text))
      throw new NormscopeError(
        'bad-option',
        `grid.${name} has ${text.slice(0, 80)} twice, at ${seen.get(text)} and ${i}`,
      );
    seen.set(text, i);
  });
  return name === 'data' ? values.map((data) => ({ ...data })) : values;
}

function checkValue(place: string, axis: Axis['name'], value: unknown): void {
  if (axis === 'variant') return checkKeys(place, value as object, SPEC_FIELDS);
  if (['string', 'number', 'boolean'].includes(typeof value)) return;
  throw new NormscopeError('bad-option', `${place} is ${show(value)}; expected a text, a number, true or false`);
}

const size = (axes: readonly Axis[]): number => axes.reduce((product, { values }) => product * values.length, 1);

/** How many cells the whole grid has. */
export function countCells(request: GridRequest): number {
  return size(axesOf(request));
}

/** The cells of the request's shard, in grid order. */
export function cellsOf(request: GridRequest & Pick<ExperimentRequest, 'shard'>): Cell[] {
  checkKeys('base', request.base ?? {}, SPEC_FIELDS);
  const axes = axesOf(request);
  const { index, count } = checkShard(request.shard);
  const task: TrainingData = request.data ? { ...request.data } : { kind: 'markov' };
  const nCell = Math.ceil((size(axes) - index) / count);
  if (nCell > MOST_CELLS)
    throw new NormscopeError(
      'too-large',
      `the grid has ${size(axes)} cells${count > 1 ? `, ${nCell} in this shard` : ''}; at most ${MOST_CELLS} are run in one call. Give fewer values, or split the grid with shard`,
    );
  const cells: Cell[] = [];
  for (let i = index; i < size(axes); i += count) cells.push(cellAt(i, axes, request.base ?? {}, task));
  return cells;
}

function checkShard(shard: ExperimentRequest['shard']): { index: number; count: number } {
  if (shard === undefined) return { index: 0, count: 1 };
  checkKeys('shard', shard, ['index', 'count']);
  const count = checkInteger('shard.count', shard.count, 1);
  return { index: checkInteger('shard.index', shard.index, 0, count - 1), count };
}

function cellAt(index: number, axes: readonly Axis[], base: ModelSpec, task: TrainingData): Cell {
  const chosen = new Map<Axis['name'], unknown>();
  let rest = index;
  for (const { name, values } of axes.toReversed()) {
    chosen.set(name, values[rest % values.length]);
    rest = Math.floor(rest / values.length);
  }
  const fields = SPEC_FIELDS.filter((name) => chosen.has(name)).map((name) => [name, chosen.get(name)] as const);
  const cell = { ...(chosen.get('variant') as object), ...Object.fromEntries(fields) } as ExperimentCell;
  const data = (chosen.get('data') as TrainingData | undefined) ?? task;
  return { index, cell, spec: { ...base, ...cell } as ModelSpec, data };
}
