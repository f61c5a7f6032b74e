/** A matrix as colours on a logarithmic scale: arrays and a size in, pixels out. */
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

/** Position of a value on a logarithmic colour scale, 0…1. */
export function logPosition(value: number, [low, high]: readonly [number, number]): number {
  if (!(value > 0) || !(high > low)) return 0;
  return Math.min(1, Math.max(0, Math.log(value / low) / Math.log(high / low)));
}

/** One RGBA pixel per cell, row-major from the top, 4 · nRow · nColumn bytes. */
export function heatmapPixels(model: HeatmapModel): Uint8ClampedArray<ArrayBuffer> {
  const { nRow, nColumn, value, domain, map = 'cividis', broken = [213, 94, 0] } = model;
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
  ctx.drawImage(asImage(model), 0, 0, width * Math.min(1, share), height);
}

function asImage(model: HeatmapModel): HTMLCanvasElement {
  const image = document.createElement('canvas');
  image.width = model.nColumn;
  image.height = model.nRow;
  const data = new ImageData(heatmapPixels(model), model.nColumn, model.nRow);
  image.getContext('2d')?.putImageData(data, 0, 0);
  return image;
}
