/** From records to the models of the curves over the steps: pure. */
import type { Verdict } from 'normscope';
import type { LineChartModel, LineSeries } from '../../charts/line-chart.js';
import type { LabMessages } from '../../locales/lab.js';
import { bucketEnds, reduceBuckets, type Reduction } from './decimate.js';
import { HALF_MAX, type RunRecord } from './metric-store.js';
import { groupRuns, hasDiverged, medianSeries, type RunGroup } from './run-groups.js';
import { seriesStyle } from '../series-styles.js';
import { placementName } from './wording.js';

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
/** How one of several seeds is drawn. */
export const THIN = { width: 1, alpha: 0.4 } as const;

function stepAxis(view: LabView): { x: number[]; ends: number[] } {
  const longest = view.records.reduce((a, b) => (b.length > a.length ? b : a), view.records[0]!);
  const ends = bucketEnds(longest.length, MAX_POINTS);
  return { x: ends.map((end) => longest.steps[end - 1]!), ends };
}

function endedBy(text: LabMessages, verdict: Verdict | null | undefined): { endedBy?: string } {
  if (verdict?.code === 'overflow') return { endedBy: text.charts.overflowAt(String(verdict.step)) };
  if (verdict?.code === 'non-finite') return { endedBy: text.charts.endedAt(String(verdict.step)) };
  return {};
}

export function look(group: RunGroup, text: LabMessages): Pick<LineSeries, 'label' | 'color' | 'dash' | 'marker'> {
  return { label: placementName(text, group), ...seriesStyle(group.placement) };
}

type Series = (record: RunRecord) => ArrayLike<number>;

/** A placement's curve: of its one run, or the median of its seeds. */
function boldCurve(
  { text }: LabView,
  group: RunGroup,
  ends: readonly number[],
  of: Series,
  how: Reduction,
): LineSeries {
  const curves = group.records.map((record) => reduceBuckets(of(record), ends, how));
  if (curves.length === 1) return { ...look(group, text), values: curves[0]!, ...endedBy(text, group.verdicts[0]) };
  const lost = group.verdicts.map(hasDiverged);
  const nLost = lost.filter(Boolean).length;
  const values = medianSeries(curves, lost);
  const broken = nLost * 2 >= lost.length && nLost > 0;
  const count = text.seeds.lostOf(String(nLost), String(lost.length));
  return { ...look(group, text), values, ...(broken ? { endedBy: count } : {}) };
}

/** Each of several seeds, thinly; a cross where one diverged. */
function thinCurves(
  { text }: LabView,
  group: RunGroup,
  ends: readonly number[],
  of: Series,
  how: Reduction,
): LineSeries[] {
  if (group.records.length === 1) return [];
  const { color, label } = look(group, text);
  return group.records.map((record, k) => ({
    ...THIN,
    label,
    color,
    values: reduceBuckets(of(record), ends, how),
    ...(hasDiverged(group.verdicts[k]) ? { endedBy: '' } : {}),
  }));
}

/** The loss axis ends at this multiple of the uniform guess; what explodes leaves the chart at the top. */
const CAP_FACTOR = 2;

const EMPTY: LineChartModel = { x: [], series: [] };

/** Single steps behind the smoothed loss of a placement's one run. */
function faintLoss({ text }: LabView, group: RunGroup, ends: readonly number[]): LineSeries[] {
  const [record, another] = group.records;
  if (!record || another) return [];
  const { color, label } = look(group, text);
  return [{ label, color, values: reduceBuckets(record.loss, ends, 'mean'), width: 1, alpha: 0.28 }];
}

export function lossModel(view: LabView): LineChartModel {
  if (!view.records.length) return EMPTY;
  const { x, ends } = stepAxis(view);
  const { text } = view;
  const groups = groupRuns(view.records, view.verdicts);
  const smooth = (record: RunRecord) => record.smoothLoss;
  const faint = groups.flatMap((group) => [
    ...faintLoss(view, group, ends),
    ...thinCurves(view, group, ends, smooth, 'last'),
  ]);
  const bold = groups.map((group) => boldCurve(view, group, ends, smooth, 'last'));
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
  const groups = groupRuns(view.records, view.verdicts);
  const largest = (record: RunRecord) => record.maxAbs;
  const thin = groups.flatMap((group) => thinCurves(view, group, ends, largest, 'max'));
  const bold = groups.map((group) => boldCurve(view, group, ends, largest, 'max'));
  const references = [{ value: HALF_MAX, label: view.text.charts.halfMax, include: true }];
  return {
    x,
    series: [...thin, ...bold],
    references,
    log: true,
    xRange: [0, view.totalSteps],
    xMark: view.shownStep,
    xWhole: true,
  };
}
