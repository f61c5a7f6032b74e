import { html, nothing, svg, type TemplateResult } from 'lit';
import { markerPath } from '../charts/markers.js';
import type { SeriesStyle } from './series-styles.js';

type Swatch = Omit<SeriesStyle, 'marker'> & { marker: SeriesStyle['marker'] | null };

/** A short piece of a series as the charts draw it. */
export function swatch({ color, dash, marker }: Swatch): TemplateResult {
  return html`<svg
    class="swatch"
    viewBox="0 0 34 12"
    width="34"
    height="12"
    aria-hidden="true"
    .style=${`color: ${color}`}
  >
    ${svg`<path d="M1 6H33" stroke="currentColor" stroke-width="2" stroke-dasharray=${dash.join(' ')} fill="none" />
    ${marker ? svg`<path d=${markerPath(marker, 17, 6, 4.2)} fill="currentColor" />` : nothing}`}
  </svg>`;
}
