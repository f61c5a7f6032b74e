/** Where the norms of one residual step stand. */
export interface BlockWiring {
  residual: boolean;
  normInput: boolean;
  normOutput: boolean;
  normStream: boolean;
  /** α on the skip path. */
  skipScaled?: boolean;
  /** A learned factor s on the branch. */
  branchScaled?: boolean;
  /** The branch input is divided by √l. */
  depthScaled?: boolean;
  /** The skip path begins behind the input norm. */
  skipNormed?: boolean;
}

const WIDTH = 220;
const HEIGHT = 250;
const ROAD = 70;
const BRANCH = 158;

interface Box {
  x: number;
  y: number;
  text: string;
  norm: boolean;
  small?: boolean;
}

/**
 * A residual step as an SVG string, drawn upwards: the stream on the left, the branch on the right. Without style
 * attributes; classes wire, box, box-norm, plus and label are for the theme.
 */
export function blockDiagram(wiring: BlockWiring, label: string): string {
  const { residual, skipNormed = false } = wiring;
  const branch = branchBoxes(wiring);
  const stream: Box[] = wiring.normStream ? [{ x: ROAD, y: 48, text: 'N', norm: true }] : [];
  if (residual && wiring.skipScaled) stream.push({ x: ROAD, y: 140, text: 'α', norm: false, small: true });
  const plus = wiring.normStream ? 94 : 62;
  const below = HEIGHT - 40;
  const parts = [
    line(ROAD, HEIGHT - 22, ROAD, residual && !skipNormed ? plus + 11 : below),
    arrow(ROAD, plus - (residual ? 11 : 0), ROAD, 8),
    path(`M${ROAD} ${below}H${BRANCH}V${plus}H${ROAD + (residual ? 17 : 0)}`),
    residual ? head(ROAD + 12, plus, 'left') + circle(ROAD, plus) : '',
    residual && skipNormed ? path(`M${BRANCH} ${TAP}H${ROAD}V${plus + 11}`) : '',
    ...[...branch, ...stream].map(box),
    text(ROAD, HEIGHT - 6, 'x'),
  ];
  return `<svg class="block-diagram" role="img" aria-label="${escape(label)}" viewBox="0 0 ${WIDTH} ${HEIGHT}">${parts.join('')}</svg>`;
}

/** Where a skip path that begins behind the input norm leaves the branch. */
const TAP = 159;

function branchBoxes({ normInput, normOutput, branchScaled, depthScaled }: BlockWiring): Box[] {
  const boxes = [{ x: BRANCH, y: 136, text: 'f', norm: false }];
  if (normInput) boxes.push({ x: BRANCH, y: 182, text: depthScaled ? 'N/√l' : 'N', norm: true });
  if (normOutput) boxes.push({ x: BRANCH, y: 90, text: branchScaled ? 's⊙N' : 'N', norm: true });
  else if (branchScaled) boxes.push({ x: BRANCH, y: 90, text: 's', norm: false });
  return boxes;
}

function box({ x, y, text: label, norm, small = false }: Box): string {
  const kind = norm ? 'box box-norm' : 'box';
  const half = small ? 17 : 32;
  return `<rect class="${kind}" x="${x - half}" y="${y - 15}" width="${2 * half}" height="30" rx="8"/>${text(x, y + 5, label, norm)}`;
}

function text(x: number, y: number, label: string, norm = false): string {
  return `<text class="label${norm ? ' label-norm' : ''}" x="${x}" y="${y}" text-anchor="middle">${label}</text>`;
}

function circle(x: number, y: number): string {
  return `<circle class="plus" cx="${x}" cy="${y}" r="11"/>${path(`M${x - 5} ${y}H${x + 5}M${x} ${y - 5}V${y + 5}`)}`;
}

function line(x1: number, y1: number, x2: number, y2: number): string {
  return path(`M${x1} ${y1}L${x2} ${y2}`);
}

function arrow(x1: number, y1: number, x2: number, y2: number): string {
  return line(x1, y1, x2, y2 + 6) + head(x2, y2, 'up');
}

function head(x: number, y: number, to: 'up' | 'left'): string {
  const d = to === 'up' ? `M${x} ${y}l-5 9h10z` : `M${x} ${y}l9 -5v10z`;
  return `<path class="head" d="${d}"/>`;
}

function path(d: string): string {
  return `<path class="wire" d="${d}"/>`;
}

function escape(label: string): string {
  return label.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
}
