/** From records to chart models: pure. */
import type { PlacementName, StepMetrics, Verdict } from 'normscope';
import type { LineChartModel, LineSeries } from '../../charts/line-chart.js';
import type { HeatmapModel } from '../../charts/heatmap.js';
import type { LabMessages } from '../../locales/lab.js';
import { bucketEnds, reduceBuckets } from './decimate.js';
import { HALF_MAX, type RunRecord } from './metric-store.js';
import { blockGradNorms, residualPoint } from './residual-points.js';
import { seriesStyle } from './series-styles.js';
import { placementName, placementOf } from './wording.js';

export type Quantity = 'maxAbs' | 'meanAbs' | 'entryVariance' | 'dataVariance' | 'gradNorm';
export type HeatQuantity = 'maxAbs' | 'entryVariance';

export interface LabView {
  text: LabMessages;
  records: readonly RunRecord[];
  verdicts: readonly (Verdict | null)[];
  /** The step whose layers are shown; null for the newest. */
  shownStep: number | null;
  totalSteps: number;
  paused?: boolean;
}

/** More points than a chart has pixels only cost time. */
const MAX_POINTS = 500;

function stepAxis(view: LabView): { x: number[]; ends: number[] } {
  const longest = view.records.reduce((a, b) => (b.length > a.length ? b : a), view.records[0]!);
  const ends = bucketEnds(longest.length, MAX_POINTS);
  return { x: ends.map((end) => longest.steps[end - 1]!), ends };
}

function endedBy(view: LabView, index: number): { endedBy?: string } {
  const verdict = view.verdicts[index];
  if (verdict?.code === 'overflow') return { endedBy: view.text.charts.overflowAt(String(verdict.step)) };
  if (verdict?.code === 'non-finite') return { endedBy: view.text.charts.endedAt(String(verdict.step)) };
  return {};
}

function look(record: RunRecord, text: LabMessages): Pick<LineSeries, 'label' | 'color' | 'dash' | 'marker'> {
  return { label: placementName(text, record), ...seriesStyle(placementOf(record)) };
}

/** The loss axis ends at this multiple of the uniform guess; what explodes leaves the chart at the top. */
const CAP_FACTOR = 2;

const EMPTY: LineChartModel = { x: [], series: [] };

export function lossModel(view: LabView): LineChartModel {
  if (!view.records.length) return EMPTY;
  const { x, ends } = stepAxis(view);
  const { text } = view;
  const faint = view.records.map((record): LineSeries => {
    const { color, label } = look(record, text);
    return { label, color, values: reduceBuckets(record.loss, ends, 'mean'), width: 1, alpha: 0.28 };
  });
  const bold = view.records.map((record, index): LineSeries => ({
    ...look(record, text),
    values: reduceBuckets(record.smoothLoss, ends, 'last'),
    ...endedBy(view, index),
  }));
  const { uniformLoss, unigramLoss, bestLoss } = view.records[0]!.info.dataset;
  const references = [
    { value: uniformLoss, label: text.charts.uniform, include: true },
    { value: unigramLoss, label: text.charts.unigram, include: true },
    { value: bestLoss, label: text.charts.best, include: true },
  ].filter(({ value }) => Number.isFinite(value));
  return {
    x,
    series: [...faint, ...bold],
    references,
    ...(uniformLoss > 0 ? { yCap: CAP_FACTOR * uniformLoss } : {}),
    xRange: [0, view.totalSteps],
    xMark: view.shownStep,
    xWhole: true,
  };
}

export function maxAbsModel(view: LabView): LineChartModel {
  if (!view.records.length) return EMPTY;
  const { x, ends } = stepAxis(view);
  const series = view.records.map((record, index): LineSeries => ({
    ...look(record, view.text),
    values: reduceBuckets(record.maxAbs, ends, 'max'),
    ...endedBy(view, index),
  }));
  const references = [{ value: HALF_MAX, label: view.text.charts.halfMax, include: true }];
  return { x, series, references, log: true, xRange: [0, view.totalSteps], xMark: view.shownStep, xWhole: true };
}

/** Value of a quantity at each place of the net: depth in blocks, name of the place, value. */
export function profile(
  record: RunRecord,
  metrics: StepMetrics,
  quantity: Quantity,
): { depth: number; value: number; name: string }[] {
  if (quantity === 'gradNorm') {
    const norms = blockGradNorms(record.info.groups, metrics.groupGradNorm);
    return norms.map(({ block, norm }) => ({ depth: block, value: norm, name: `blocks.${block - 1}` }));
  }
  return record.info.points.map((name, i) => ({
    depth: residualPoint(name).depth,
    value: metrics[quantity][i]!,
    name,
  }));
}

/** The live bound of a quantity, in its own unit; NaN where the wiring gives none. Empty for quantities without one. */
export function boundOf(metrics: StepMetrics, quantity: Quantity): number[] {
  if (quantity === 'meanAbs') return Array.from(metrics.boundMeanAbs);
  if (quantity === 'entryVariance') return Array.from(metrics.boundStd, (bound) => bound * bound);
  if (quantity === 'dataVariance') return Array.from(metrics.boundDataStd, (bound) => bound * bound);
  return [];
}

/** A bound says something only beyond the embedding, where it starts from the measured value. */
export function isBounded(bound: readonly number[]): boolean {
  return bound.slice(1).some(Number.isFinite);
}

/** How a bound is drawn: a thin dotted line in its placement's colour. */
export const BOUND_DASH: readonly number[] = [2, 3];

export function profileModel(view: LabView, quantity: Quantity, log: boolean): LineChartModel {
  const shown = view.records.flatMap((record) => {
    const metrics = record.at(view.shownStep);
    return metrics ? [{ record, metrics, places: profile(record, metrics, quantity) }] : [];
  });
  const x = [...new Set(shown.flatMap(({ places }) => places.map(({ depth }) => depth)))].sort((a, b) => a - b);
  const onAxis = (places: { depth: number }[], values: readonly number[]) =>
    x.map((depth) => values[places.findIndex((place) => place.depth === depth)] ?? Number.NaN);
  const series = shown.map(({ record, places }): LineSeries => ({
    ...look(record, view.text),
    values: onAxis(
      places,
      places.map(({ value }) => value),
    ),
  }));
  const bounds = shown.flatMap(({ record, metrics, places }): LineSeries[] => {
    const bound = boundOf(metrics, quantity);
    if (!isBounded(bound)) return [];
    const { label, color } = look(record, view.text);
    return [
      { label: view.text.charts.boundOf(label), color, dash: BOUND_DASH, width: 1.5, values: onAxis(places, bound) },
    ];
  });
  const references = quantity === 'maxAbs' && log ? [{ value: HALF_MAX, label: view.text.charts.halfMax }] : [];
  return { x, series: [...series, ...bounds], references, log, xWhole: true };
}

export interface BoundCheck {
  placement: PlacementName;
  name: string;
  /** Places where the measured value is above its bound. */
  broken: number;
  /** Smallest bound / measured over the places behind the embedding. */
  closest: number;
}

/** Whether measured stays under the bound, for each run that has one. Rounding in the last digits is forgiven. */
export function checkBounds(view: LabView, quantity: Quantity): BoundCheck[] {
  return view.records.flatMap((record) => {
    const metrics = record.at(view.shownStep);
    if (!metrics) return [];
    const bounds = boundOf(metrics, quantity);
    const values = profile(record, metrics, quantity).map(({ value }) => value);
    if (!isBounded(bounds)) return [];
    const ratios = bounds
      .slice(1)
      .map((bound, i) => bound / values[i + 1]!)
      .filter(Number.isFinite);
    const broken = ratios.filter((ratio) => ratio < 1 - 1e-5).length;
    const placement = placementOf(record);
    return [{ placement, name: placementName(view.text, record), broken, closest: Math.min(...ratios) }];
  });
}

/** Colours end here, however far a run explodes: some decades past everything that still learns. */
const HEAT_TOP: Record<HeatQuantity, number> = { maxAbs: 1e8, entryVariance: 1e16 };

/** A run that broke off widens the scale to here at most: as far as fp16 reaches. */
const BROKEN_TOP: Record<HeatQuantity, number> = { maxAbs: HALF_MAX, entryVariance: HALF_MAX * HALF_MAX };

export interface HeatScale {
  domain: readonly [number, number];
  /** Some values lie above the domain and share its last colour. */
  clamped: boolean;
}

/**
 * Common colour scale of all heat maps of a quantity, at least two decades: the positive finite values of the runs that
 * have not broken off up to a fixed top, those of the others as far as fp16 reaches.
 */
export function heatScale({ records, verdicts }: LabView, quantity: HeatQuantity): HeatScale {
  const sound = records.filter((_, i) => verdicts[i]?.code !== 'overflow' && verdicts[i]?.code !== 'non-finite');
  const [low, all] = ends(records, quantity);
  if (!(all > 0)) return { domain: [0.1, 10], clamped: false };
  const top = Math.min(all, HEAT_TOP[quantity], Math.max(ends(sound, quantity)[1], BROKEN_TOP[quantity]));
  return { domain: [Math.min(low, top / 100), top], clamped: all > top };
}

function ends(records: readonly RunRecord[], quantity: HeatQuantity): [number, number] {
  let low = Infinity;
  let high = 0;
  for (const record of records) {
    for (const metrics of record.profiles) {
      for (const value of metrics[quantity]) {
        if (!(value > 0) || !Number.isFinite(value)) continue;
        if (value < low) low = value;
        if (value > high) high = value;
      }
    }
  }
  return [low, high];
}

export function heatModel(record: RunRecord, quantity: HeatQuantity, domain: readonly [number, number]): HeatmapModel {
  const columns = record.profiles;
  return {
    nRow: record.info.points.length,
    nColumn: columns.length,
    value: (row, column) => columns[column]![quantity][row]!,
    domain,
  };
}
