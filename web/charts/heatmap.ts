/** A matrix as colours on a logarithmic scale: arrays and a size in, pixels out. */
import { drawCross } from './markers.js';
import { colorAt, type ColorMapName } from './color-maps.js';

export interface HeatmapModel {
  nRow: number;
  nColumn: number;
  /** Row 0 is drawn at the bottom. Values that are not finite get the `broken` colour, 0 or less the lowest one. */
  value: (row: number, column: number) => number;
  /** Ends of the colour scale; both positive. */
  domain: readonly [number, number];
  map?: ColorMapName;
  /** Colour of values that are not finite. Default red. */
  broken?: readonly [number, number, number];
}

const BROKEN: readonly [number, number, number] = [213, 94, 0];

/** Position of a value on a logarithmic colour scale, 0…1. */
export function logPosition(value: number, [low, high]: readonly [number, number]): number {
  if (!(value > 0) || !(high > low)) return 0;
  return Math.min(1, Math.max(0, Math.log(value / low) / Math.log(high / low)));
}

/** One RGBA pixel per cell, row-major from the top, 4 · nRow · nColumn bytes. */
export function heatmapPixels(model: HeatmapModel): Uint8ClampedArray<ArrayBuffer> {
  const { nRow, nColumn, value, domain, map = 'cividis', broken = BROKEN } = model;
  const pixels = new Uint8ClampedArray(4 * nRow * nColumn);
  let at = 0;
  for (let row = nRow - 1; row >= 0; row -= 1) {
    for (let column = 0; column < nColumn; column += 1) {
      const cell = value(row, column);
      const [r, g, b] = Number.isFinite(cell) ? colorAt(map, logPosition(cell, domain)) : broken;
      pixels[at] = r;
      pixels[at + 1] = g;
      pixels[at + 2] = b;
      pixels[at + 3] = 255;
      at += 4;
    }
  }
  return pixels;
}

/**
 * Paints the matrix over the part of the canvas that `share` (0…1) of its width covers and clears the rest.
 * The canvas takes its resolution from its size on the page; one without size is left alone.
 */
export function drawHeatmap(canvas: HTMLCanvasElement, model: HeatmapModel, share = 1): void {
  const { clientWidth, clientHeight } = canvas;
  if (!clientWidth || !clientHeight) return;
  const width = Math.round(clientWidth * devicePixelRatio);
  const height = Math.round(clientHeight * devicePixelRatio);
  if (canvas.width !== width) canvas.width = width;
  if (canvas.height !== height) canvas.height = height;
  const ctx = canvas.getContext('2d');
  if (!ctx) return;
  ctx.clearRect(0, 0, width, height);
  if (model.nRow === 0 || model.nColumn === 0) return;
  ctx.imageSmoothingEnabled = false;
  const covered = width * Math.min(1, share);
  ctx.drawImage(asImage(model), 0, 0, covered, height);
  markBroken(ctx, model, covered, height);
}

/** Half the size of the mark on a broken stretch that is too narrow to be seen, in CSS pixels. */
const MARK = 5;

/** Crosses on columns with values that are not finite where these are narrower than a mark: one per stretch. */
function markBroken(ctx: CanvasRenderingContext2D, model: HeatmapModel, width: number, height: number): void {
  const { nRow, nColumn, broken = BROKEN } = model;
  const r = MARK * devicePixelRatio;
  const color = `rgb(${broken.join(' ')})`;
  for (const { column, length, row } of brokenStretches(model)) {
    if ((length * width) / nColumn >= 2 * r) continue;
    const x = Math.max(r, Math.min(ctx.canvas.width - r, ((column + length / 2) * width) / nColumn));
    const y = Math.max(r, Math.min(height - r, ((nRow - 0.5 - row) * height) / nRow));
    drawCross(ctx, { x, y, r, color, halo: '#fff' });
  }
}

/** Runs of columns with values that are not finite, and the lowest such row of the first column. */
export function brokenStretches({ nRow, nColumn, value }: HeatmapModel): {
  column: number;
  length: number;
  row: number;
}[] {
  const found: { column: number; length: number; row: number }[] = [];
  for (let column = 0; column < nColumn; column += 1) {
    const row = Array.from({ length: nRow }, (_, i) => i).find((i) => !Number.isFinite(value(i, column)));
    if (row === undefined) continue;
    const last = found.at(-1);
    if (last && last.column + last.length === column) last.length += 1;
    else found.push({ column, length: 1, row });
  }
  return found;
}

function asImage(model: HeatmapModel): HTMLCanvasElement {
  const image = document.createElement('canvas');
  image.width = model.nColumn;
  image.height = model.nRow;
  const data = new ImageData(heatmapPixels(model), model.nColumn, model.nRow);
  image.getContext('2d')?.putImageData(data, 0, 0);
  return image;
}
