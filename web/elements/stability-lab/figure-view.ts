/** A figure of the lab: title, note, legend with readings, the place of the picture. */
import { html, nothing, type TemplateResult } from 'lit';
import type { LabMessages } from '../../locales/lab.js';
import type { LabView } from './chart-models.js';
import { BOUND_DASH } from './profile-models.js';
import { seriesStyle } from '../series-styles.js';
import { swatch } from '../swatch-view.js';
import { placementName } from './wording.js';

/** Value of a placement, for the legend and for the text of the picture. */
export type Reading = { placement: string; value: string };

/** A run that ended before the step in question shows its last value, and says of which step. */
export function dated(text: LabMessages, value: string, step: number, wanted: number): string {
  return step < wanted - 1 ? `${value} (${text.charts.at(String(step))})` : value;
}

export interface FigureRequest {
  view: LabView;
  /** Place of the picture: data-chart. */
  chart: string;
  title: string;
  note: string;
  readings: readonly Reading[];
  /** The step that the readings belong to, in words. */
  when: string;
  xName: string;
  /** Names and colours of dotted bounds. */
  bounds?: readonly { name: string; color: string }[];
}

export function figure({
  view,
  chart,
  title,
  note,
  readings,
  when,
  xName,
  bounds = [],
}: FigureRequest): TemplateResult {
  const { text } = view;
  const words = readings.map((reading) => text.charts.now(placementName(text, reading), reading.value)).join(', ');
  const label = `${title}. ${words ? `${when}: ${words}` : text.charts.none}`;
  return html`<figure class="panel">
    <figcaption>
      <h3>${title}</h3>
      <p class="hint">${note}</p>
    </figcaption>
    ${legend(readings, bounds, view, when)}
    <div class="plot" data-chart=${chart} role="img" aria-label=${label}>
      ${readings.length ? nothing : html`<p class="empty">${text.charts.emptyHint}</p>`}
    </div>
    ${readings.length ? html`<p class="axis-name">${xName}</p>` : nothing}
  </figure>`;
}

function legend(
  readings: readonly Reading[],
  bounds: NonNullable<FigureRequest['bounds']>,
  { text }: LabView,
  when: string,
): TemplateResult {
  return html`<ul class="legend">
    ${readings.map(
      (reading) =>
        html`<li>
          ${swatch(seriesStyle(reading.placement))}<span>${placementName(text, reading)}</span><b>${reading.value}</b>
        </li>`,
    )}
    ${bounds.map(({ name, color }) => html`<li>${swatch({ color, dash: BOUND_DASH, marker: null })}<span>${name}</span></li>`)}
    ${readings.length ? html`<li class="when">${when}</li>` : nothing}
  </ul>`;
}
