/** Curves over a common x axis. Data in, picture out; knows nothing of training, languages or Lit. */
import uPlot from 'uplot';
import type { MarkerShape } from './markers.js';
import { readChartColors, resolveColor, watchTheme, type ChartColors } from './chart-colors.js';
import { drawGuides, drawOverlay } from './line-chart-overlay.js';
import { axisMap, formatTick, linearRange, logRange, valueTicks, type AxisMap } from './line-chart-scales.js';

export interface LineSeries {
  label: string;
  /** Any CSS colour that resolves at the host, e.g. `var(--_series-pre-ln)`. */
  color: string;
  /** Same length as the model's x; NaN and null are gaps. */
  values: ArrayLike<number | null>;
  /** Line width in CSS pixels. Default 2. */
  width?: number;
  dash?: readonly number[];
  marker?: MarkerShape;
  /** 0…1. Default 1. */
  alpha?: number;
  /** Marks the last point with a cross and these words: the curve ended before its time. */
  endedBy?: string;
}

export interface ReferenceLine {
  value: number;
  label: string;
  /** Widen the y axis so that the line is in view. */
  include?: boolean;
}

export interface LineChartModel {
  x: ArrayLike<number>;
  series: readonly LineSeries[];
  references?: readonly ReferenceLine[];
  /** Logarithmic y axis; values at or below 0 become gaps. */
  log?: boolean;
  /** The y axis ends here at the latest; a curve with a marker that goes on gets an arrow where it leaves. */
  yCap?: number;
  xLabel?: string;
  /** Ends of the x axis; else those of the data. */
  xRange?: readonly [number, number];
  /** The x axis shows whole numbers only. */
  xWhole?: boolean;
  /** A vertical hair line, e.g. the step shown elsewhere. */
  xMark?: number | null;
}

export interface LineChartOptions {
  /** Index into the model's x under the pointer, or null. */
  onHover?: (index: number | null) => void;
  /** A click or tap at an index of the model's x. */
  onPick?: (index: number) => void;
}

/**
 * Draws into `host`, whose size the page's style sets, and follows that size; a host without size waits.
 * `destroy()` gives everything back.
 */
export class LineChart {
  #host: HTMLElement;
  #options: LineChartOptions;
  #model: LineChartModel | null = null;
  #plot: uPlot | null = null;
  #shape = '';
  #map: AxisMap = axisMap(false, 1);
  #colors: ChartColors;
  #seriesColors: string[] = [];
  #resize: ResizeObserver;
  #unwatch: () => void;

  constructor(host: HTMLElement, options: LineChartOptions = {}) {
    this.#host = host;
    this.#options = options;
    this.#colors = readChartColors(host);
    this.#resize = new ResizeObserver(() => this.#fit());
    this.#resize.observe(host);
    this.#unwatch = watchTheme(() => this.refresh());
  }

  update(model: LineChartModel): void {
    this.#model = model;
    this.#map = mapOf(model);
    const shape = shapeOf(model);
    if (shape !== this.#shape) {
      this.#drop();
      this.#shape = shape;
      this.#readSeriesColors();
    }
    if (model.x.length === 0) this.#drop();
    else if (this.#plot) this.#plot.setData(toData(model, this.#map), true);
    else this.#build();
  }

  /** Reads the colours again and redraws at once. */
  refresh(): void {
    this.#colors = readChartColors(this.#host);
    this.#readSeriesColors();
    this.#plot?.batch(() => this.#plot?.redraw(false, true));
  }

  destroy(): void {
    this.#resize.disconnect();
    this.#unwatch();
    this.#drop();
  }

  #drop(): void {
    this.#plot?.destroy();
    this.#plot = null;
  }

  #readSeriesColors(): void {
    this.#seriesColors = (this.#model?.series ?? []).map(({ color }) => resolveColor(this.#host, color));
  }

  #fit(): void {
    const { clientWidth: width, clientHeight: height } = this.#host;
    if (!width || !height) return;
    if (!this.#plot) this.#build();
    else if (width !== this.#plot.width || height !== this.#plot.height) this.#plot.setSize({ width, height });
  }

  #build(): void {
    const { clientWidth: width, clientHeight: height } = this.#host;
    const model = this.#model;
    if (!model || model.x.length === 0 || !width || !height) return;
    this.#plot = new uPlot(this.#plotOptions(model, width, height), toData(model, this.#map), this.#host);
  }

  #plotOptions(model: LineChartModel, width: number, height: number): uPlot.Options {
    return {
      width,
      height,
      padding: [14, 12, 0, 0],
      legend: { show: false },
      cursor: {
        y: false,
        drag: { x: false, y: false, setScale: false },
        points: { size: 7 },
        bind: { dblclick: () => null },
      },
      scales: { x: { time: false, range: (_, low, high) => this.#xRange(low, high) }, y: this.#yScale() },
      axes: this.#axes(),
      series: [{}, ...model.series.map((series, index) => this.#plotSeries(series, index))],
      hooks: {
        drawAxes: [(plot) => this.#model && drawGuides(plot, this.#model, this.#map, this.#colors)],
        draw: [(plot) => this.#model && drawOverlay(plot, this.#model, this.#map, this.#colors, this.#seriesColors)],
        setCursor: [(plot) => this.#options.onHover?.(plot.cursor.idx ?? null)],
        ready: [(plot) => plot.over.addEventListener('click', () => this.#pick(plot))],
      },
    };
  }

  #pick(plot: uPlot): void {
    const index = plot.cursor.idx;
    if (index !== null && index !== undefined) this.#options.onPick?.(index);
  }

  #plotSeries(series: LineSeries, index: number): uPlot.Series {
    return {
      label: series.label,
      stroke: () => this.#seriesColors[index] ?? this.#colors.ink,
      width: series.width ?? 2,
      dash: series.dash ? [...series.dash] : [],
      alpha: series.alpha ?? 1,
      points: { show: false },
    };
  }

  #axes(): uPlot.Axis[] {
    const common = {
      stroke: () => this.#colors.muted,
      font: `12px ${this.#colors.font}`,
      ticks: { show: false },
    };
    return [
      {
        ...common,
        grid: { show: false },
        size: 26,
        gap: 4,
        ...(this.#model?.xWhole ? { incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000, 50000] } : {}),
        values: (_, splits) => splits.map((value) => (value === null ? '' : formatTick(value))),
      },
      {
        ...common,
        grid: { stroke: () => this.#colors.grid, width: 1 },
        size: 46,
        gap: 6,
        splits: (plot, _, low, high) => {
          const { from, to } = this.#map;
          return valueTicks(from(low), from(high), Boolean(this.#model?.log), plot.height).map(to);
        },
        filter: (_, splits) => splits,
        values: (_, splits) => splits.map((value) => (value === null ? '' : formatTick(this.#map.from(value)))),
      },
    ];
  }

  #xRange(low: number, high: number): [number, number] {
    const [from, to] = this.#model?.xRange ?? [low, high];
    return to > from ? [from, to] : [from - 0.5, from + 0.5];
  }

  #yScale(): uPlot.Scale {
    return {
      range: (_, low, high) => {
        const { from, to } = this.#map;
        const { references = [], yCap = Infinity, log } = this.#model ?? {};
        const ends = [low, high].filter((value) => Number.isFinite(value)).map((value) => from(value));
        const wanted = references.filter(({ include }) => include).map(({ value }) => value);
        const values = [...ends, ...wanted].map((value) => Math.min(value, yCap));
        const [bottom, top] = log ? logRange(values) : linearRange(values);
        return [to(bottom), to(top)];
      },
    };
  }
}

/** What cannot change without building the plot anew. */
function shapeOf(model: LineChartModel): string {
  const parts = model.series.map(({ label, color, width, dash, alpha }) => [label, color, width, dash, alpha]);
  return JSON.stringify([Boolean(model.log), Boolean(model.xWhole), parts]);
}

/** Far above the cap is as good as anywhere above it, and keeps the drawing's coordinates small. */
const ABOVE_CAP = 8;

function toData({ x, series, log, yCap = Infinity }: LineChartModel, { to }: AxisMap): uPlot.AlignedData {
  const keep = log ? (value: number) => value > 0 && Number.isFinite(value) : Number.isFinite;
  const columns = series.map(({ values }) =>
    Array.from(values, (value) => (value !== null && keep(value) ? to(Math.min(value, yCap * ABOVE_CAP)) : null)),
  );
  return [Array.from(x), ...columns];
}

function mapOf({ series, log, yCap = Infinity }: LineChartModel): AxisMap {
  let largest = 0;
  for (const { values } of series)
    for (let i = 0; i < values.length; i += 1) {
      const size = Math.min(Math.abs(values[i] ?? 0), yCap);
      if (size > largest && size < Infinity) largest = size;
    }
  return axisMap(Boolean(log), largest);
}
