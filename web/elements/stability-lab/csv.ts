/** Records as comma-separated text (RFC 4180, CRLF). NaN and Infinity are written out by name, an absent value is empty. */
import type { RunRecord } from './metric-store.js';

type Cell = string | number | null;

/** One line per run and step. */
export function curvesCsv(records: readonly RunRecord[]): string {
  const header = ['placement', 'seed', 'step', 'loss', 'learning_rate', 'grad_norm', 'max_abs'];
  const rows = records.flatMap((record) =>
    record.steps.map((step, i): Cell[] => [
      record.placement,
      record.seed,
      step,
      record.loss[i]!,
      record.learningRate[i]!,
      record.gradNorm[i]!,
      record.maxAbs[i]!,
    ]),
  );
  return toCsv([header, ...rows]);
}

const PROFILE_COLUMNS = {
  mean_abs: 'meanAbs',
  entry_variance: 'entryVariance',
  data_variance: 'dataVariance',
  max_abs: 'maxAbs',
  max_channel: 'maxChannel',
  bound_mean_abs: 'boundMeanAbs',
  bound_std: 'boundStd',
  bound_data_std: 'boundDataStd',
} as const;

/** One line per placement, kept step and residual point. */
export function profilesCsv(records: readonly RunRecord[]): string {
  const columns = Object.values(PROFILE_COLUMNS);
  const header = ['placement', 'seed', 'step', 'point', ...Object.keys(PROFILE_COLUMNS)];
  const rows = records.flatMap((record) =>
    record.profiles.flatMap((metrics) =>
      record.info.points.map((point, i): Cell[] => [
        record.placement,
        record.seed,
        metrics.step,
        point,
        ...columns.map((column) => metrics[column][i] ?? null),
      ]),
    ),
  );
  return toCsv([header, ...rows]);
}

export function toCsv(rows: readonly (readonly Cell[])[]): string {
  return rows.map((row) => row.map(cellText).join(',') + '\r\n').join('');
}

function cellText(cell: Cell): string {
  if (cell === null) return '';
  if (typeof cell === 'number') return String(Object.is(cell, -0) ? 0 : cell);
  return /[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}
