import { nothing, svg, type SVGTemplateResult } from 'lit';
import { linearScale } from './scale.js';

export interface Mark {
  /** Where, in data units. */
  at: number;
  kind: 'zero' | 'mean' | 'limit';
}

export interface BarRow {
  value: number;
  domain: readonly [number, number];
  /** Where the bar starts. Default 0, or the near end when 0 lies outside. */
  base?: number;
  /** A shaded stretch, e.g. [μ − σ, μ + σ]. */
  band?: readonly [number, number];
  marks?: readonly Mark[];
  height: number;
}

/** One horizontal bar that fills its svg's width; geometry in percent, so no size is ever measured. */
export function barRow({ value, domain, base, band, marks = [], height }: BarRow): SVGTemplateResult {
  const x = linearScale(domain, [0, 100]);
  const at = (data: number) => Math.min(100, Math.max(0, x(data)));
  const from = at(base ?? 0);
  const to = at(value);
  const thickness = Math.min(14, height * 0.5);
  const top = (height - thickness) / 2;
  return svg`
    ${band ? svg`<rect class="band" x="${at(band[0])}%" width="${at(band[1]) - at(band[0])}%" y="0" height=${height} />` : nothing}
    ${marks.map((mark) => svg`<line class="mark mark-${mark.kind}" x1="${at(mark.at)}%" x2="${at(mark.at)}%" y1="0" y2=${height} />`)}
    ${
      Number.isFinite(value)
        ? svg`<rect class="bar ${tone(value - (base ?? 0))}" x="${Math.min(from, to)}%" width="${Math.abs(to - from)}%" y=${top} height=${thickness} rx="2" />`
        : nothing
    }`;
}

export interface SparkBars {
  values: readonly number[];
  domain: readonly [number, number];
  width: number;
  height: number;
}

/** Small upright bars around zero: the shape of a vector at a glance. */
export function sparkBars({ values, domain, width, height }: SparkBars): SVGTemplateResult {
  const y = linearScale(domain, [height - 1, 1]);
  const clamp = (value: number) => Math.min(domain[1], Math.max(domain[0], value));
  const pitch = width / Math.max(values.length, 1);
  const thick = Math.max(1, Math.min(14, pitch * 0.62));
  const zero = y(clamp(0));
  const bars = values.map((value, index) => {
    if (!Number.isFinite(value)) return nothing;
    const end = y(clamp(value));
    const left = pitch * (index + 0.5) - thick / 2;
    return svg`<rect class="bar ${tone(value)}" x=${left} width=${thick} y=${Math.min(zero, end)} height=${Math.max(0.75, Math.abs(end - zero))} rx="1" />`;
  });
  return svg`<line class="mark mark-zero" x1="0" x2=${width} y1=${zero} y2=${zero} />${bars}`;
}

function tone(value: number): 'positive' | 'negative' {
  return value < 0 ? 'negative' : 'positive';
}
