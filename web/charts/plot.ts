/** Still pictures of curves and bars as SVG: data in, a template out. Geometry in percent, so no size is ever measured. */
import { html, nothing, svg, type SVGTemplateResult, type TemplateResult } from 'lit';
import { formatTick, linearRange, logRange, markerIndices, valueTicks } from './line-chart-scales.js';
import { markerPath, type MarkerShape } from './markers.js';
import { linearScale } from './scale.js';

/** How a curve or a set of bars is drawn; three signs, so that none carries the meaning alone. */
export interface PlotLook {
  /** Any CSS colour. */
  color: string;
  dash?: readonly number[];
  marker?: MarkerShape | null;
  /** Line width in CSS pixels. Default 2. */
  width?: number;
  /** 0…1. Default 1. */
  alpha?: number;
}

export interface Curve extends PlotLook {
  x: ArrayLike<number>;
  /** Same length as x; what is not finite, or not positive on a log axis, is a gap. */
  y: ArrayLike<number>;
}

export interface PlotModel {
  curves: readonly Curve[];
  xLog?: boolean | undefined;
  yLog?: boolean | undefined;
  /** The x axis shows whole numbers only. */
  xWhole?: boolean | undefined;
  /** Level lines with a name. */
  references?: readonly { value: number; label: string }[];
  /** Values that the y axis must reach. */
  yReach?: readonly number[];
}

/** Pixels that the tick arithmetic takes for the height; the picture itself follows its style. */
const HEIGHT = 220;
/** More points than this get markers only here and there. */
const MANY_POINTS = 16;

interface Frame {
  /** Positions in percent of the picture: x to the right, y downwards. */
  x: (value: number) => number;
  y: (value: number) => number;
  xTicks: readonly number[];
  yTicks: readonly number[];
}

/** Curves over a common x axis. */
export function linePlot(model: PlotModel): TemplateResult {
  const frame = frameOf(model);
  return picture(
    frame,
    svg`${(model.references ?? []).map((reference) => level(frame, reference))}
    ${model.curves.map((curve) => drawCurve(frame, curve, model))}
    ${(model.references ?? []).map((reference) => levelName(frame, reference, clearerEnd(frame, model, reference.value)))}`,
  );
}

/** Ends of both axes, their ticks, and the maps between. */
export function frameOf({ curves, xLog, yLog, xWhole, references = [], yReach = [] }: PlotModel): Frame {
  const xs = curves.flatMap((curve) => shown(curve.x, xLog));
  const ys = curves.flatMap((curve) => shown(curve.y, yLog));
  const wanted = [...ys, ...references.map(({ value }) => value), ...yReach].filter(Number.isFinite);
  const [left, right] = xs.length ? [Math.min(...xs), Math.max(...xs)] : [xLog ? 1 : 0, xLog ? 10 : 1];
  const [low, high] = yLog ? logRange(wanted) : linearRange(wanted);
  return {
    x: axisScale([left, right], [0, 100], xLog),
    y: axisScale([low, high], [100, 0], yLog),
    xTicks: xTicksOf(xs, [left, right], { xLog, xWhole }),
    yTicks: valueTicks(low, high, Boolean(yLog), HEIGHT),
  };
}

/** A logarithmic axis is a linear one of exponents, and may be shorter than a decade. */
function axisScale([low, high]: readonly [number, number], range: readonly [number, number], log = false) {
  if (!log) return linearScale([low, high], range);
  const exponents = linearScale([Math.log10(low), Math.log10(high)], range);
  return (value: number) => exponents(Math.log10(value));
}

/** More ticks than this stand on each other on a phone. */
const MOST_TICKS = 8;

/** On a logarithmic axis with few different values these are the ticks, since nothing lies between. */
function xTicksOf(
  xs: readonly number[],
  [left, right]: readonly [number, number],
  { xLog, xWhole }: Pick<PlotModel, 'xLog' | 'xWhole'>,
): number[] {
  const values = [...new Set(xs)].sort((a, b) => a - b);
  if (xLog && values.length <= MOST_TICKS) return values;
  return valueTicks(left, right, Boolean(xLog), HEIGHT).filter((tick) => !xWhole || Number.isInteger(tick));
}

function shown(values: ArrayLike<number>, log = false): number[] {
  return Array.from(values).filter((value) => Number.isFinite(value) && (!log || value > 0));
}

/** Path data of a curve in percent; every gap begins a new stretch. */
export function curvePath({ x, y }: Pick<Curve, 'x' | 'y'>, frame: Pick<Frame, 'x' | 'y'>, drawn: boolean[]): string {
  let open = false;
  return Array.from(x, (at, i) => {
    const command = open ? 'L' : 'M';
    open = drawn[i]!;
    return drawn[i] ? `${command}${round(frame.x(at))} ${round(frame.y(y[i]!))}` : '';
  }).join('');
}

function drawCurve(frame: Frame, curve: Curve, { xLog, yLog }: PlotModel): SVGTemplateResult {
  const { x, y, color, dash = [], marker = null, width = 2, alpha = 1 } = curve;
  const can = (value: number, log = false) => Number.isFinite(value) && (!log || value > 0);
  const drawn = Array.from(x, (at, i) => can(at, xLog) && can(y[i]!, yLog));
  const places = Array.from(x, (_, i) => (drawn[i] ? i : null));
  const marked = drawn.length > MANY_POINTS ? markerIndices(places, 8) : places.filter((i) => i !== null);
  return svg`<g .style=${`color: ${color}; opacity: ${alpha}`}>
    <svg viewBox="0 0 100 100" preserveAspectRatio="none" width="100%" height="100%">
      <path d=${curvePath(curve, frame, drawn)} fill="none" stroke="currentColor" stroke-width=${width}
        stroke-dasharray=${dash.join(' ') || nothing} stroke-linejoin="round" vector-effect="non-scaling-stroke" />
    </svg>
    ${marker ? marked.map((i) => drawMarker(marker, frame.x(x[i]!), frame.y(y[i]!))) : nothing}
  </g>`;
}

function drawMarker(shape: MarkerShape, x: number, y: number): SVGTemplateResult {
  return svg`<svg x="${round(x)}%" y="${round(y)}%" overflow="visible"><path class="marker" d=${markerPath(shape, 0, 0, 4)} fill="currentColor" /></svg>`;
}

/** The end of a level line from which the curves' own ends are farther away. */
export function clearerEnd({ y }: Pick<Frame, 'y'>, { curves, yLog }: PlotModel, value: number): 'start' | 'end' {
  const ends = curves.map((curve) => shown(curve.y, yLog)).filter((values) => values.length > 0);
  const nearest = (of: (values: readonly number[]) => number) =>
    Math.min(...ends.map((values) => Math.abs(y(of(values)) - y(value))));
  return nearest((values) => values[0]!) > nearest((values) => values.at(-1)!) ? 'start' : 'end';
}

function level({ y }: Frame, { value }: { value: number }): SVGTemplateResult {
  const at = `${round(y(value))}%`;
  return svg`<line class="mark mark-limit" x1="0" x2="100%" y1=${at} y2=${at} />`;
}

/** Above the curves, so that none crosses it. */
function levelName(
  { y }: Frame,
  { value, label }: { value: number; label: string },
  end: 'start' | 'end',
): SVGTemplateResult {
  const x = end === 'end' ? '100%' : '0';
  const dx = end === 'end' ? -2 : 2;
  return svg`<text class="tick halo" x=${x} y=${`${round(y(value))}%`} dx=${dx} dy="-8" text-anchor=${end}>${label}</text>`;
}

export interface BarSet extends PlotLook {
  /** One value per place; what is not finite has no bar. */
  values: readonly number[];
}

/** Bars side by side at each place, from 0 up or down. */
export function barPlot({ places, sets }: { places: readonly string[]; sets: readonly BarSet[] }): TemplateResult {
  const values = sets.flatMap((set) => set.values.filter(Number.isFinite));
  const [low, high] = linearRange([...values, 0]);
  const y = linearScale([low, high], [100, 0]);
  const pitch = 100 / Math.max(places.length, 1);
  const thick = (pitch * 0.76) / Math.max(sets.length, 1);
  const left = (place: number, set: number) => pitch * (place + 0.12) + thick * set;
  const bars = sets.map(
    ({ values, color }, set) =>
      svg`<g .style=${`color: ${color}`}>${values.map((value, place) => bar(y, value, left(place, set), thick, set))}</g>`,
  );
  const every = Math.ceil(places.length / 12);
  const names = places.flatMap((name, i) => (i % every ? [] : [{ at: pitch * (i + 0.5), name }]));
  const yTicks = valueTicks(low, high, false, HEIGHT);
  const zero = `${round(y(0))}%`;
  return grid(
    names,
    yTicks.map((tick) => ({ at: y(tick), name: formatTick(tick) })),
    svg`${bars}<line class="axis" x1="0" x2="100%" y1=${zero} y2=${zero} />`,
  );
}

/** Every other set is only an outline with a light filling, so that colour is not the only sign. */
function bar(y: (value: number) => number, value: number, left: number, thick: number, set: number): unknown {
  if (!Number.isFinite(value)) return nothing;
  const [top, bottom] = [y(Math.max(value, 0)), y(Math.min(value, 0))];
  return svg`<rect class="column ${set % 2 ? 'light' : 'full'}" x="${round(left)}%" width="${round(thick)}%" y="${round(top)}%" height="${round(Math.max(0.3, bottom - top))}%" />`;
}

function picture({ x, y, xTicks, yTicks }: Frame, drawing: SVGTemplateResult): TemplateResult {
  const named = (ticks: readonly number[], place: (value: number) => number) =>
    ticks.map((tick) => ({ at: place(tick), name: formatTick(tick) }));
  return grid(named(xTicks, x), named(yTicks, y), drawing);
}

interface Tick {
  /** In percent of the axis. */
  at: number;
  name: string;
}

/** The drawing with both axes around it: three pictures in a grid, whose texts keep their size at every width. */
function grid(xTicks: readonly Tick[], yTicks: readonly Tick[], drawing: SVGTemplateResult): TemplateResult {
  return html`<div class="still" aria-hidden="true">
    <svg class="y-axis">
      ${yTicks.map(({ at, name }) => svg`<text class="tick" x="100%" y="${round(at)}%" dy="4" text-anchor="end">${name}</text>`)}
    </svg>
    <svg class="drawing">
      ${yTicks.map(({ at }) => svg`<line class="grid-line" x1="0" x2="100%" y1="${round(at)}%" y2="${round(at)}%" />`)}
      ${drawing}
    </svg>
    <svg class="x-axis">
      ${xTicks.map(
        ({ at, name }) => svg`<text class="tick" x="${round(at)}%" y="13" text-anchor="middle">${name}</text>`,
      )}
    </svg>
  </div>`;
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
