import { html, nothing, type TemplateResult } from 'lit';
import { dotHistogram, dotHistogramHeight } from '../../charts/histogram.js';
import { extent } from '../../charts/scale.js';
import { formatCompact } from '../../locales/numbers.js';
import type { LensView } from './model.js';

const WIDTH = 420;
const MOST = 150;

/** The averaged numbers as two heaps of dots: before and after. */
export function histograms(view: LensView): TemplateResult | typeof nothing {
  const { t, slice } = view;
  if (!slice) return nothing;
  const height = Math.max(heightOf(slice.x), heightOf(slice.xHat));
  return html`<section class="shapes" aria-labelledby="shapes-heading">
    <h3 id="shapes-heading">${t.histogram.heading}</h3>
    <p class="why">${t.histogram.text}</p>
    <div class="pair">
      ${figure(view, t.histogram.before, slice.x, height)} ${figure(view, t.histogram.after, slice.xHat, height)}
    </div>
  </section>`;
}

function figure(view: LensView, title: string, values: readonly number[], height: number): TemplateResult {
  const [low, high] = extent(values);
  const label = view.t.histogram.summary(String(values.length), formatCompact(low), formatCompact(high));
  return html`<figure>
    <figcaption>${title}</figcaption>
    <svg role="img" aria-label="${title}: ${label}" viewBox="0 0 ${WIDTH} ${height}">
      ${dotHistogram({ values, domain: padded(low, high), width: WIDTH, height })}
    </svg>
  </figure>`;
}

function heightOf(values: readonly number[]): number {
  const [low, high] = extent(values);
  return Math.min(MOST, dotHistogramHeight(values, padded(low, high), WIDTH));
}

/** The data's own ends with a margin in proportion, so that equal shapes look equal. */
function padded(low: number, high: number): [number, number] {
  const margin = high > low ? (high - low) * 0.08 : Math.max(Math.abs(low), 1);
  return [low - margin, high + margin];
}
