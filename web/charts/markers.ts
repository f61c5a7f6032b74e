/** Point markers: the third way, beside colour and dash, to tell series apart. */

export type MarkerShape = 'circle' | 'triangle' | 'square' | 'diamond' | 'plus' | 'bar';

type Point = readonly [number, number];

/** Outlines on a unit radius; `circle` has none, it is an arc. */
const OUTLINES: Record<Exclude<MarkerShape, 'circle'>, readonly Point[]> = {
  triangle: [
    [0, -1.1],
    [1, 0.8],
    [-1, 0.8],
  ],
  square: [
    [-0.85, -0.85],
    [0.85, -0.85],
    [0.85, 0.85],
    [-0.85, 0.85],
  ],
  diamond: [
    [0, -1.15],
    [1.15, 0],
    [0, 1.15],
    [-1.15, 0],
  ],
  plus: [
    [-0.35, -1.1],
    [0.35, -1.1],
    [0.35, -0.35],
    [1.1, -0.35],
    [1.1, 0.35],
    [0.35, 0.35],
    [0.35, 1.1],
    [-0.35, 1.1],
    [-0.35, 0.35],
    [-1.1, 0.35],
    [-1.1, -0.35],
    [-0.35, -0.35],
  ],
  bar: [
    [-1.1, -0.4],
    [1.1, -0.4],
    [1.1, 0.4],
    [-1.1, 0.4],
  ],
};

/** SVG path data of a marker centred at (x, y) with radius r. */
export function markerPath(shape: MarkerShape, x: number, y: number, r: number): string {
  if (shape === 'circle') {
    return `M${x - r} ${y}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0Z`;
  }
  const corners = OUTLINES[shape].map(([dx, dy]) => `${x + dx * r} ${y + dy * r}`);
  return `M${corners.join('L')}Z`;
}

/** Fills a marker and draws a thin halo around it so that it stays visible on a line. */
export function drawMarker(
  ctx: CanvasRenderingContext2D,
  mark: { shape: MarkerShape; x: number; y: number; r: number; color: string; halo: string },
): void {
  const path = new Path2D(markerPath(mark.shape, mark.x, mark.y, mark.r));
  ctx.lineWidth = mark.r * 0.6;
  ctx.strokeStyle = mark.halo;
  ctx.stroke(path);
  ctx.fillStyle = mark.color;
  ctx.fill(path);
}

/** A cross: the place where a curve ended before its time. */
export function drawCross(
  ctx: CanvasRenderingContext2D,
  mark: { x: number; y: number; r: number; color: string; halo: string },
): void {
  const { x, y, r } = mark;
  const cross = new Path2D(`M${x - r} ${y - r}L${x + r} ${y + r}M${x + r} ${y - r}L${x - r} ${y + r}`);
  ctx.lineCap = 'round';
  for (const [width, color] of [
    [r * 1.1, mark.halo],
    [r * 0.5, mark.color],
  ] as const) {
    ctx.lineWidth = width;
    ctx.strokeStyle = color;
    ctx.stroke(cross);
  }
}
