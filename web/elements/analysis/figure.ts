/** A figure as data, and how the figures' common parts are made. */
import type { TemplateResult } from 'lit';
import { linePlot, type Curve, type PlotModel } from '../../charts/plot.js';
import type { AnalysisMessages, FigureName } from '../../locales/analysis.js';
import { formatCompact } from '../../locales/numbers.js';
import { residualPoint } from '../residual-points.js';
import type { SeriesStyle } from '../series-styles.js';
import type { TableModel } from '../table-view.js';
import type { AnalysedNet } from './subjects.js';

export interface LegendEntry {
  name: string;
  /** Absent: words only. */
  style?: Omit<SeriesStyle, 'marker'> & { marker: SeriesStyle['marker'] | null };
}

export interface Figure {
  name: FigureName;
  picture: TemplateResult;
  legend: readonly LegendEntry[];
  /** Sentences that follow from the numbers shown. */
  findings: readonly string[];
  tables: readonly TableModel[];
}

/** How a bound is drawn: dotted, in its net's colour. */
export const BOUND: { dash: readonly number[]; marker: null; width: number } = {
  dash: [2, 3],
  marker: null,
  width: 1.5,
};
/** A line that accompanies a bold one of the same colour. */
export const THIN = { dash: [] as readonly number[], marker: null, width: 1, alpha: 0.6 } as const;

/** Depth of residual points in blocks: 0 after the embedding, ½ after the first attention. */
export function depthsOf(points: readonly string[]): number[] {
  return points.map((name) => residualPoint(name).depth);
}

/** Name of a residual point, or of the step that leads to it. */
export function placeOf(text: AnalysisMessages, point: string): string {
  const { kind, block } = residualPoint(point);
  if (kind === 'embedding') return text.places.embedding;
  return kind === 'other' ? point : text.places[kind](String(block));
}

export function shortNumber(value: number): string {
  if (Number.isNaN(value)) return '–';
  if (Math.abs(value) === Infinity) return value > 0 ? '∞' : '−∞';
  return formatCompact(value, 3);
}

/** One column of a table: a net, or one of its quantities. */
export interface Column {
  head: string;
  values: ArrayLike<number>;
}

/** A table with a row per place; shorter columns end in dashes. */
export function tableOf(
  caption: string,
  first: string,
  places: readonly string[],
  columns: readonly Column[],
): TableModel {
  const rows = places.map((place, i) => [place, ...columns.map(({ values }) => shortNumber(values[i] ?? Number.NaN))]);
  return { caption, heads: [first, ...columns.map(({ head }) => head)], rows };
}

/** What a figure shows of one net: bold values, and what accompanies them. */
export interface NetCurves {
  net: AnalysedNet;
  x: readonly number[];
  bold: readonly number[];
  thin?: readonly (readonly number[])[];
  bound?: readonly number[];
}

export interface CurveFigure {
  name: FigureName;
  text: AnalysisMessages;
  nets: readonly NetCurves[];
  /** Names of the rows of the table. */
  places: readonly string[];
  axes?: Pick<PlotModel, 'xLog' | 'yLog' | 'xWhole' | 'references' | 'yReach'>;
  /** Name of the dotted line of a net. */
  boundName?: (name: string) => string;
  /** Words on the thin lines. */
  thinNote?: string;
  findings?: readonly string[];
  /** Further columns of the table. */
  columns?: readonly Column[];
}

/** With more nets than this, lines that only accompany the bold ones would bury them. */
const FEW_NETS = 4;

/** A figure of curves, one bold per net; null where no net has anything to show. */
export function curveFigure(request: CurveFigure): Figure | null {
  const { name, text, nets, places, axes = {}, findings = [], columns = [] } = request;
  const { boundName = text.legend.bound, thinNote } = request;
  if (!nets.some(({ bold }) => bold.some(Number.isFinite))) return null;
  const { title, x } = text.figures[name];
  const few = nets.length <= FEW_NETS;
  const bounded = nets.filter(({ bound = [] }) => bound.some(Number.isFinite));
  const boundColumns = bounded.map(({ net, bound = [] }) => ({ head: boundName(net.name), values: bound }));
  const own = nets.map(({ net, bold }) => ({ head: net.name, values: bold }));
  return {
    name,
    picture: linePlot({ ...axes, curves: curvesOf(nets, few) }),
    legend: [
      ...nets.map(({ net }) => ({ name: net.name, style: net.style })),
      ...bounded.map(({ net }) => ({ name: boundName(net.name), style: { ...BOUND, color: net.style.color } })),
      ...(thinNote ? [{ name: few ? thinNote : text.legend.thinLeftOut }] : []),
    ],
    findings,
    tables: [tableOf(title, x, places, [...own, ...boundColumns, ...columns])],
  };
}

function curvesOf(nets: readonly NetCurves[], withThin: boolean): Curve[] {
  const thin = (withThin ? nets : []).flatMap(({ net, x, thin = [] }) =>
    thin.map((y) => ({ ...THIN, color: net.style.color, x, y })),
  );
  const bounds = nets.flatMap(({ net, x, bound }) =>
    bound ? [{ ...BOUND, color: net.style.color, x, y: bound }] : [],
  );
  const bold = nets.map(({ net, x, bold }) => ({ ...net.style, x, y: bold }));
  return [...thin, ...bounds, ...bold];
}
