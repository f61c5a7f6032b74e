/** What a recipe promised beside what its records say. */
import { toSnakeCase } from '../runtime/spec.js';
import { hasDiverged, spread, summarize } from './summary.js';
import type { Expectation, ExperimentCell, ExperimentRecord, Finding, RecipeRun, Spread } from './types.js';

/** One finding for each expectation, in their order. Without a record to judge by, measured is NaN and nothing holds. */
export function checkRecipe(
  { expected }: Pick<RecipeRun, 'expected'>,
  records: readonly ExperimentRecord[],
): Finding[] {
  return expected.map((expectation) => {
    const { cells, over, minus, least = -Infinity, most = Infinity } = expectation;
    const of = (these: ExperimentCell): number => measure(expectation, select(records, these));
    const measured = (of(cells) - (minus ? of(minus) : 0)) / (over ? of(over) : 1);
    return { ...expectation, measured, holds: measured >= least && measured <= most };
  });
}

/** Records whose spec has these values: fields that a cell leaves alone count with their defaults. */
const select = (records: readonly ExperimentRecord[], cells: ExperimentCell): ExperimentRecord[] =>
  records.filter(({ spec }) => Object.entries(cells).every(([name, value]) => spec[toSnakeCase(name)] === value));

function measure({ measure: what }: Expectation, records: ExperimentRecord[]): number {
  if (records.length === 0) return NaN;
  const count = (is: (record: ExperimentRecord) => boolean): number => records.filter(is).length;
  const over = (value: (record: ExperimentRecord) => number): Spread => spread(records.map(value));
  switch (what) {
    case 'overflow-count':
      return count(({ verdict }) => verdict === 'overflow');
    case 'stalled-count':
      return count(({ verdict }) => verdict === 'stalled');
    case 'diverged-count':
      return count(hasDiverged);
    case 'unsuccessful-count':
      return count((record) => hasDiverged(record) || record.verdict === 'stalled');
    case 'least-final-loss':
      return over(({ finalLoss }) => finalLoss).least;
    case 'most-final-loss':
      return over(({ finalLoss }) => finalLoss).most;
    case 'mean-final-loss':
      return over(({ finalLoss }) => finalLoss).mean;
    case 'least-max-abs':
      return over(({ maxAbs }) => maxAbs).least;
    case 'most-max-abs':
      return over(({ maxAbs }) => maxAbs).most;
    case 'mean-variance':
      return over(({ stream }) => stream.entryVariance).mean;
    case 'mean-held-out-loss':
      return over(({ heldOut }) => heldOut?.loss ?? NaN).mean;
    case 'best-rate-held-out-loss': {
      const rate = summarize(records).sensitivities[0]?.bestLearningRate;
      return spread(
        records.filter(({ spec }) => spec.learning_rate === rate).map(({ heldOut }) => heldOut?.loss ?? NaN),
      ).mean;
    }
    case 'rate-sensitivity':
      return summarize(records).sensitivities[0]?.sensitivity ?? NaN;
  }
}
