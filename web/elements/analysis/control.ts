/** Control: −p·v of one step against the size of its weights, with its cap, and the ellipsoid that makes the cap. */
import { html, svg, type SVGTemplateResult } from 'lit';
import type { Ellipsoid, HamiltonianAnalysis } from 'normscope';
import type { AnalysisMessages } from '../../locales/analysis.js';
import { projectedOutline, squareDomain, type Pair } from '../../charts/ellipsoid.js';
import { formatSlope } from '../../locales/numbers.js';
import { formatTick } from '../../charts/line-chart-scales.js';
import { linearScale } from '../../charts/scale.js';
import { linearTicks } from '../../charts/ticks.js';
import { curveFigure, shortNumber, type Figure } from './figure.js';
import type { AnalysedNet } from './subjects.js';

/** The Hamiltonian of step `at` (counted from 0). */
export function hamiltonianFigure(text: AnalysisMessages, nets: readonly AnalysedNet[], at: number): Figure | null {
  const shown = nets.filter(({ analysis }) => analysis.hamiltonian?.power[at]);
  const of = ({ analysis }: AnalysedNet) => analysis.hamiltonian!;
  return curveFigure({
    name: 'hamiltonian',
    text,
    nets: shown.map((net) => {
      const { scales, power, steepest, support } = of(net);
      const cap = scales.map(() => support[at]!);
      return { net, x: scales, bold: steepest[at]!, thin: [power[at]!], bound: cap };
    }),
    places: (shown[0]?.analysis.hamiltonian?.scales ?? []).map(String),
    axes: { xLog: true, yLog: true },
    boundName: text.legend.support,
    thinNote: text.legend.ownMatrix,
    findings: shown.flatMap((net) => [
      ...capFindings(text, net.name, of(net), at),
      ...lemmaFinding(text, net.name, of(net)),
    ]),
    columns: shown.map((net) => ({ head: `${net.name}, W`, values: of(net).power[at]! })),
  });
}

function capFindings({ findings }: AnalysisMessages, name: string, h: HamiltonianAnalysis, at: number): string[] {
  const slope = formatSlope(h.exponent[at]!);
  const cap = h.support[at]!;
  if (Number.isFinite(cap)) return [findings.support(name, shortNumber(cap), slope)];
  const regular = h.regularized[at]!;
  const damped = Number.isFinite(regular) ? [findings.regularized(name, shortNumber(regular))] : [];
  return [findings.noSupport(name, slope), ...damped];
}

function lemmaFinding({ findings }: AnalysisMessages, name: string, { lemma1 }: HamiltonianAnalysis): string[] {
  const known = lemma1.filter(({ holds }) => holds !== null);
  if (!known.length) return [];
  const held = known.filter(({ holds }) => holds).length;
  const excess = Math.max(...known.map(({ radiusExcess }) => radiusExcess));
  return [findings.lemma(name, String(held), String(known.length), shortNumber(excess))];
}

/** The ellipsoid of one net's first output norm, seen along one or two pairs of axes; null without one. */
export function ellipsoidFigure(text: AnalysisMessages, net: AnalysedNet | undefined): Figure | null {
  const body = net?.analysis.hamiltonian?.ellipsoid;
  if (!net || !body) return null;
  const pairs: Pair[] =
    body.features.length > 2
      ? [
          [0, 1],
          [0, 2],
        ]
      : [[0, 1]];
  const { color } = net.style;
  const label = text.ellipsoid.label(net.name, body.norm, String(body.outputs.length));
  return {
    name: 'ellipsoid',
    picture: html`<div class="ellipses" role="img" aria-label=${label}>
      ${pairs.map((pair) => ellipse(text, body, pair, color))}
    </div>`,
    legend: [
      {
        name: `${net.name}, ${body.norm} (${body.projection === 'exact' ? text.ellipsoid.exact : text.ellipsoid.projected})`,
      },
      { name: `● ${text.legend.outputs}` },
      { name: `○ ${text.legend.surface}` },
      { name: `+ ${text.legend.maximizers}` },
    ],
    findings: [],
    tables: [
      {
        caption: text.figures.ellipsoid.title,
        heads: [text.columns.token, ...body.features.map((feature) => `${text.figures.ellipsoid.x} ${feature}`)],
        rows: body.outputs.slice(0, 20).map((point, i) => [String(i), ...point.map(shortNumber)]),
      },
    ],
  };
}

function ellipse(text: AnalysisMessages, body: Ellipsoid, [a, b]: Pair, color: string) {
  const outline = projectedOutline(body, [a, b]);
  const points = [...outline, ...[...body.outputs, ...body.maximizers].map((point): Pair => [point[a]!, point[b]!])];
  const [dx, dy] = squareDomain(points);
  const x = linearScale(dx, [0, 100]);
  const y = linearScale(dy, [100, 0]);
  const at = (point: readonly number[]) => ({ x: x(point[a]!), y: y(point[b]!) });
  const path = outline.map(([u, v], i) => `${i ? 'L' : 'M'}${x(u).toFixed(2)} ${y(v).toFixed(2)}`).join('');
  const caption = text.ellipsoid.axes(String(body.features[a]), String(body.features[b]));
  return html`<figure class="ellipse">
    <svg viewBox="-12 -3 116 114" .style=${`color: ${color}`}>
      ${axes(dx, dy, x, y)}
      <path class="outline" d="${path}Z" />
      ${body.outline.map((point) => dot(at(point), 0.6, 'exact'))} ${body.maximizers.map((point) => cross(at(point)))}
      ${body.outputs.map((point) => dot(at(point), 1, 'dot'))}
    </svg>
    <figcaption class="hint">${caption}</figcaption>
  </figure>`;
}

type Domain = readonly [number, number];

function axes(dx: Domain, dy: Domain, x: (v: number) => number, y: (v: number) => number): SVGTemplateResult {
  return svg`<rect class="frame" x="0" y="0" width="100" height="100" />
    ${linearTicks(...dx, 4).map((tick) => svg`<text class="tiny" x=${x(tick)} y="107" text-anchor="middle">${formatTick(tick)}</text>`)}
    ${linearTicks(...dy, 4).map((tick) => svg`<text class="tiny" x="-2" y=${y(tick) + 1.5} text-anchor="end">${formatTick(tick)}</text>`)}`;
}

function dot({ x, y }: { x: number; y: number }, r: number, kind: 'dot' | 'exact'): SVGTemplateResult {
  return svg`<circle class=${kind} cx=${x.toFixed(2)} cy=${y.toFixed(2)} r=${r} />`;
}

function cross({ x, y }: { x: number; y: number }): SVGTemplateResult {
  return svg`<path class="cross" d="M${(x - 1.6).toFixed(2)} ${y.toFixed(2)}h3.2M${x.toFixed(2)} ${(y - 1.6).toFixed(2)}v3.2" />`;
}
