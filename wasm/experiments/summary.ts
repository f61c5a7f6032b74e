/** What many records say together: counts with their uncertainty, spreads over seeds, sensitivity to the learning rate. */
import { toSnakeCase } from '../runtime/spec.js';
import type {
  CellSummary,
  ExperimentCell,
  ExperimentRecord,
  ExperimentSummary,
  Proportion,
  RateSensitivity,
  RunVerdict,
  Spread,
} from './types.js';

/** Standard normal quantile of a two-sided 95 % interval. */
const Z = 1.96;

/** n of `of` with its Wilson score interval (1927): sensible for few runs and for shares of 0 and 1. */
export function wilson(n: number, of: number): Proportion {
  if (of === 0) return { n, of, share: NaN, low: 0, high: 1 };
  const share = n / of;
  const denominator = 1 + Z ** 2 / of;
  const centre = (share + Z ** 2 / (2 * of)) / denominator;
  const half = (Z / denominator) * Math.sqrt((share * (1 - share)) / of + Z ** 2 / (4 * of ** 2));
  const low = n === 0 ? 0 : Math.max(0, centre - half);
  return { n, of, share, low, high: n === of ? 1 : Math.min(1, centre + half) };
}

export function spread(values: readonly number[]): Spread {
  const n = values.length;
  if (n === 0) return { n, mean: NaN, std: NaN, least: NaN, most: NaN };
  const mean = values.reduce((sum, value) => sum + value, 0) / n;
  const std = n < 2 ? NaN : Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (n - 1));
  return { n, mean, std, least: Math.min(...values), most: Math.max(...values) };
}

/** A run that lost what it had, or its numbers: its loss says nothing about how well it learned. */
export const hasDiverged = ({ verdict, reasons }: ExperimentRecord): boolean =>
  verdict === 'overflow' || verdict === 'non-finite' || reasons.some(({ code }) => code === 'spike-at-end');

/** Every cell of the grid over its seeds, in grid order, and every curve over learning rates. */
export function summarize(records: readonly ExperimentRecord[]): ExperimentSummary {
  const cells = groupBy(records, (record) => traitsOf(record, ['seed'])).map(summarizeCell);
  const sensitivities = groupBy(records, (record) => traitsOf(record, ['seed', 'learningRate']))
    .filter((group) => new Set(group.filter(hasRun).map(rateOf)).size > 1)
    .map(rateSensitivity);
  return { cells, sensitivities };
}

/** The record's run without the named fields, as a text to compare. */
function traitsOf({ spec, data, steps, evaluation }: ExperimentRecord, without: string[]): string {
  const names = without.map(toSnakeCase);
  const rest = Object.entries(spec).filter(([name]) => !names.includes(name));
  return JSON.stringify([rest, data, steps, evaluation]);
}

function groupBy<T>(values: readonly T[], key: (value: T) => string): T[][] {
  const groups = new Map<string, T[]>();
  for (const value of values) {
    const name = key(value);
    if (!groups.has(name)) groups.set(name, []);
    groups.get(name)!.push(value);
  }
  return [...groups.values()];
}

function omit(cell: ExperimentCell, names: readonly string[]): ExperimentCell {
  return Object.fromEntries(Object.entries(cell).filter(([name]) => !names.includes(name)));
}

const hasRun = ({ verdict }: ExperimentRecord): boolean => verdict !== 'failed' && verdict !== 'stopped';
const rateOf = ({ spec }: ExperimentRecord): number => Number(spec.learning_rate ?? NaN);

function summarizeCell(records: ExperimentRecord[]): CellSummary {
  const [first] = records as [ExperimentRecord];
  const run = records.filter(hasRun);
  const share = (is: (record: ExperimentRecord) => boolean): Proportion => wilson(run.filter(is).length, run.length);
  const verdicts: Record<RunVerdict, number> = { failed: 0, stopped: 0, overflow: 0, 'non-finite': 0, stalled: 0, spike: 0, converged: 0 }; // prettier-ignore
  for (const { verdict } of records) verdicts[verdict] += 1;
  return {
    cell: omit(first.cell, ['seed']),
    ...{ index: first.index, data: first.data, seeds: records.map(({ spec }) => Number(spec.seed ?? NaN)), verdicts },
    diverged: share(hasDiverged),
    unsuccessful: share((record) => hasDiverged(record) || record.verdict === 'stalled'),
    overflow: share(({ verdict }) => verdict === 'overflow'),
    stalled: share(({ verdict }) => verdict === 'stalled'),
    ...{ learningRate: rateOf(first), lrTimesWidth: first.lrTimesWidth },
    finalLoss: spread(run.filter((record) => !hasDiverged(record)).map(({ finalLoss }) => finalLoss)),
    maxAbs: spread(run.map(({ maxAbs }) => maxAbs)),
    streamVariance: spread(run.map(({ stream }) => stream.entryVariance)),
    heldOutLoss: spread(run.flatMap(({ heldOut }) => (heldOut ? [heldOut.loss] : []))),
  };
}

/** ℓ of one run: its final loss, but no more than before its first update. */
function cappedLoss(record: ExperimentRecord): number {
  const { finalLoss, firstLoss } = record;
  return hasDiverged(record) || !(finalLoss < firstLoss) ? firstLoss : finalLoss;
}

function rateSensitivity(records: ExperimentRecord[]): RateSensitivity {
  const [first] = records as [ExperimentRecord];
  const byRate = groupBy(records.filter(hasRun), (record) => String(rateOf(record))).sort(
    ([a], [b]) => rateOf(a!) - rateOf(b!),
  );
  const loss = byRate.map((group) => spread(group.map(cappedLoss)).mean);
  const least = Math.min(...loss);
  return {
    cell: omit(first.cell, ['seed', 'learningRate']),
    data: first.data,
    learningRate: byRate.map(([each]) => rateOf(each!)),
    lrTimesWidth: byRate.map(([each]) => each!.lrTimesWidth),
    loss,
    sensitivity: spread(loss.map((each) => each - least)).mean,
    bestLearningRate: rateOf(byRate[loss.indexOf(least)]![0]!),
  };
}
