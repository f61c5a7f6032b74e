/** From records to the models of the layer chart, and whether measured values keep their bounds: pure. */
import type { StepMetrics } from 'normscope';
import type { LineChartModel, LineSeries } from '../../charts/line-chart.js';
import { look, THIN, type LabView, type Quantity } from './chart-models.js';
import { HALF_MAX, type RunRecord } from './metric-store.js';
import { blockGradNorms, residualPoint } from '../residual-points.js';
import { median } from '../median.js';
import { groupRuns, type RunGroup } from './run-groups.js';
import { placementName } from './wording.js';

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

/** The places of a record at the shown step, and its values there; null before its first step. */
interface Shown {
  record: RunRecord;
  metrics: StepMetrics;
  places: ReturnType<typeof profile>;
}

function shownOf(view: LabView, group: RunGroup, quantity: Quantity): Shown[] {
  return group.records.flatMap((record) => {
    const metrics = record.at(view.shownStep);
    return metrics ? [{ record, metrics, places: profile(record, metrics, quantity) }] : [];
  });
}

export function profileModel(view: LabView, quantity: Quantity, log: boolean): LineChartModel {
  const groups = groupRuns(view.records, view.verdicts)
    .map((group) => ({ group, shown: shownOf(view, group, quantity) }))
    .filter(({ shown }) => shown.length > 0);
  const depths = groups.flatMap(({ shown }) => shown.flatMap(({ places }) => places.map(({ depth }) => depth)));
  const x = [...new Set(depths)].sort((a, b) => a - b);
  const onAxis = ({ places }: Shown, values: readonly number[] = places.map(({ value }) => value)) =>
    x.map((depth) => values[places.findIndex((place) => place.depth === depth)] ?? Number.NaN);
  const thin = groups.flatMap(({ group, shown }): LineSeries[] => {
    const { color, label } = look(group, view.text);
    return shown.length > 1 ? shown.map((run) => ({ ...THIN, label, color, values: onAxis(run) })) : [];
  });
  const bold = groups.map(({ group, shown }): LineSeries => {
    const columns = shown.map((run) => onAxis(run));
    return { ...look(group, view.text), values: x.map((_, i) => median(columns.map((column) => column[i]!))) };
  });
  const bounds = groups.flatMap(({ group, shown: [first] }): LineSeries[] => {
    const bound = boundOf(first!.metrics, quantity);
    if (!isBounded(bound)) return [];
    const { label, color } = look(group, view.text);
    const name = view.text.charts.boundOf(label);
    return [{ label: name, color, dash: BOUND_DASH, width: 1.5, values: onAxis(first!, bound) }];
  });
  const references = quantity === 'maxAbs' && log ? [{ value: HALF_MAX, label: view.text.charts.halfMax }] : [];
  return { x, series: [...thin, ...bold, ...bounds], references, log, xWhole: true };
}

export interface BoundCheck {
  placement: string;
  name: string;
  /** Places where the measured value is above its bound, over all seeds. */
  broken: number;
  /** Smallest bound / measured over the places behind the embedding. */
  closest: number;
}

/** Whether measured stays under the bound, for each placement that has one. Rounding in the last digits is forgiven. */
export function checkBounds(view: LabView, quantity: Quantity): BoundCheck[] {
  return groupRuns(view.records, view.verdicts).flatMap((group) => {
    const ratios = shownOf(view, group, quantity).flatMap((shown) => boundRatios(shown, quantity));
    if (!ratios.length) return [];
    const broken = ratios.filter((ratio) => ratio < 1 - 1e-5).length;
    const { placement } = group;
    return [{ placement, name: placementName(view.text, group), broken, closest: Math.min(...ratios) }];
  });
}

/** Bound over measured at each place that has a bound. */
function boundRatios({ metrics, places }: Shown, quantity: Quantity): number[] {
  const bounds = boundOf(metrics, quantity);
  if (!isBounded(bounds)) return [];
  const ratios = bounds.slice(1).map((bound, i) => bound / places[i + 1]!.value);
  return ratios.filter(Number.isFinite);
}
