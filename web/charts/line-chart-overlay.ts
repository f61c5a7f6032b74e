/** What the line chart draws by hand: reference lines and their names, markers, the crosses where curves ended. */
import type uPlot from 'uplot';
import type { ChartColors } from './chart-colors.js';
import { emptiest, freeBox, type Box } from './label-places.js';
import type { LineChartModel, LineSeries, ReferenceLine } from './line-chart.js';
import { leavesAt, markerIndices, type AxisMap } from './line-chart-scales.js';
import { drawCross, drawMarker } from './markers.js';

/** One drawing: the plot, its looks, and where words stand already. */
interface Drawing {
  plot: uPlot;
  map: AxisMap;
  colors: ChartColors;
  ratio: number;
  taken: Box[];
}

interface Look {
  color: string;
  halo: string;
}

/** Below the curves: reference lines and the hair line. */
export function drawGuides(plot: uPlot, model: LineChartModel, map: AxisMap, colors: ChartColors): void {
  const { ctx, bbox } = plot;
  const ratio = devicePixelRatio;
  ctx.save();
  ctx.lineWidth = ratio;
  ctx.strokeStyle = colors.muted;
  ctx.setLineDash([2 * ratio, 3 * ratio]);
  for (const { value } of visible(plot, model, map)) {
    const y = plot.valToPos(map.to(value), 'y', true);
    strokeLine(ctx, bbox.left, y, bbox.left + bbox.width, y);
  }
  if (model.xMark !== null && model.xMark !== undefined) {
    const x = plot.valToPos(model.xMark, 'x', true);
    strokeLine(ctx, x, bbox.top, x, bbox.top + bbox.height);
  }
  ctx.restore();
}

/** Above the curves. */
export function drawOverlay(
  plot: uPlot,
  model: LineChartModel,
  map: AxisMap,
  colors: ChartColors,
  seriesColors: readonly string[],
): void {
  const drawing: Drawing = { plot, map, colors, ratio: devicePixelRatio, taken: [] };
  plot.ctx.save();
  for (const reference of visible(plot, model, map)) nameReference(drawing, reference);
  model.series.forEach((series, index) => {
    drawMarks(drawing, series, index, { color: seriesColors[index] ?? colors.ink, halo: colors.paper });
  });
  plot.ctx.restore();
}

function visible(plot: uPlot, { references = [] }: LineChartModel, { to }: AxisMap): ReferenceLine[] {
  const { min = 0, max = 0 } = plot.scales['y'] as { min?: number; max?: number };
  return references.filter(({ value }) => to(value) >= min && to(value) <= max);
}

/** Beside its line, preferably at the end, where the fewest curves pass. */
function nameReference(drawing: Drawing, { value, label }: ReferenceLine): void {
  const { plot, map, ratio, taken, colors } = drawing;
  const { left: start, width: length } = plot.bbox;
  const y = plot.valToPos(map.to(value), 'y', true);
  const width = textWidth(drawing, label);
  const lefts = [start + length - 2 * ratio - width, start + length * 0.5 - width / 2, start + length * 0.2];
  const tops = [y - 15 * ratio, y + 2 * ratio];
  const boxes = lefts.flatMap((left) =>
    tops.map((top) => ({ left, right: left + width, top, bottom: top + 14 * ratio })),
  );
  const box = emptiest(boxes, taken, points(plot));
  taken.push(box);
  words(drawing, label, box.left, box.bottom - 3 * ratio, colors.muted);
}

/** Every point of every curve, in canvas pixels. */
function points(plot: uPlot): { x: number; y: number }[] {
  const [xs, ...columns] = plot.data;
  return columns.flatMap((column) =>
    Array.from(column as (number | null)[]).flatMap((value, i) =>
      value === null ? [] : [{ x: plot.valToPos(xs[i] as number, 'x', true), y: plot.valToPos(value, 'y', true) }],
    ),
  );
}

function drawMarks(drawing: Drawing, series: LineSeries, index: number, look: Look): void {
  const { plot, ratio } = drawing;
  const values = plot.data[index + 1] as (number | null)[];
  const place = (i: number) => ({
    x: plot.valToPos(plot.data[0][i] as number, 'x', true),
    y: Math.max(plot.bbox.top, plot.valToPos(values[i] as number, 'y', true)),
  });
  const top = (plot.scales['y'] as { max?: number }).max ?? Infinity;
  if (series.marker) {
    const wanted = Math.max(2, Math.round(plot.width / 90));
    for (const i of markerIndices(inView(values, top), wanted, index)) {
      drawMarker(plot.ctx, { shape: series.marker, ...place(i), r: 4 * ratio, ...look });
    }
    const exit = leavesAt(values, top);
    if (exit >= 0) drawExit(drawing, place(exit).x, look);
  }
  const last = values.findLastIndex((value) => value !== null);
  if (series.endedBy !== undefined && last >= 0) drawEnd(drawing, series.endedBy, place(last), look);
}

function inView(values: readonly (number | null)[], top: number): (number | null)[] {
  return values.map((value) => (value !== null && value <= top ? value : null));
}

/** An arrow at the top edge, where the curve goes on above the chart. */
function drawExit({ plot, ratio, taken }: Drawing, x: number, look: Look): void {
  const r = 5.5 * ratio;
  const y = plot.bbox.top + r;
  drawMarker(plot.ctx, { shape: 'triangle', x, y, r, ...look });
  taken.push({ left: x - r, right: x + r, top: y - r, bottom: y + r });
}

function drawEnd(drawing: Drawing, why: string, { x, y }: { x: number; y: number }, look: Look): void {
  const { plot, ratio, taken } = drawing;
  drawCross(plot.ctx, { x, y, r: 5 * ratio, ...look });
  const onRight = x < plot.bbox.left + plot.bbox.width * 0.62;
  const shift = 9 * ratio;
  const baseline = y < plot.bbox.top + 20 * ratio ? y + shift * 2 : y - shift;
  const width = textWidth(drawing, why);
  const left = onRight ? x + shift : x - shift - width;
  const box = freeBox({ left, right: left + width, top: baseline - 11 * ratio, bottom: baseline + 3 * ratio }, taken);
  taken.push(box);
  words(drawing, why, left, box.bottom - 3 * ratio, look.color);
}

function textWidth({ plot, ratio, colors }: Drawing, text: string): number {
  plot.ctx.font = `${12 * ratio}px ${colors.font}`;
  return plot.ctx.measureText(text).width;
}

/** With a halo, so that lines behind stay apart. */
function words(
  { plot: { ctx }, ratio, colors }: Drawing,
  text: string,
  x: number,
  baseline: number,
  color: string,
): void {
  ctx.font = `${12 * ratio}px ${colors.font}`;
  ctx.textAlign = 'left';
  ctx.textBaseline = 'alphabetic';
  ctx.lineJoin = 'round';
  ctx.setLineDash([]);
  ctx.lineWidth = 4 * ratio;
  ctx.strokeStyle = colors.paper;
  ctx.strokeText(text, x, baseline);
  ctx.fillStyle = color;
  ctx.fillText(text, x, baseline);
}

function strokeLine(ctx: CanvasRenderingContext2D, x0: number, y0: number, x1: number, y1: number): void {
  ctx.beginPath();
  ctx.moveTo(x0, y0);
  ctx.lineTo(x1, y1);
  ctx.stroke();
}
