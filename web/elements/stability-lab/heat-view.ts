import { html, nothing, type TemplateResult } from 'lit';
import { segments } from '../segments-view.js';
import { cssGradient } from '../../charts/color-maps.js';
import type { LabMessages } from '../../locales/lab.js';
import type { HeatQuantity, LabView } from './chart-models.js';
import { heatScale, mappedRecords, type HeatScale } from './heat-models.js';
import type { RunRecord } from './metric-store.js';
import { seriesStyle } from '../series-styles.js';
import { swatch } from '../swatch-view.js';
import { placementName, sizeText } from './wording.js';

export const HEAT_QUANTITIES: readonly HeatQuantity[] = ['maxAbs', 'entryVariance'];

export function heatView(
  view: LabView,
  quantity: HeatQuantity,
  onQuantity: (quantity: HeatQuantity) => void,
): TemplateResult {
  const { text } = view;
  const mapped = mappedRecords(view);
  const scale = heatScale(view, quantity);
  return html`<section class="block">
    <div class="heading">
      <h3>${text.charts.heat}</h3>
      ${segments(
        text.charts.quantity,
        'heat-quantity',
        HEAT_QUANTITIES.map((name) => [name, text.charts.heatQuantities[name]]),
        quantity,
        onQuantity,
      )}
    </div>
    <p class="hint">
      ${text.charts.heatNote}
      ${mapped.length < view.records.length ? text.seeds.mapOf(String(mapped[0]!.seed)) : nothing}
    </p>
    <div class="heat-grid">${mapped.map((record, index) => heatFigure(view, record, index, quantity, scale))}</div>
    ${mapped.length ? colorBar(text, scale) : html`<p class="empty inset">${text.charts.emptyHint}</p>`}
  </section>`;
}

function heatFigure(
  view: LabView,
  record: RunRecord,
  index: number,
  quantity: HeatQuantity,
  scale: HeatScale,
): TemplateResult {
  const { text } = view;
  const name = placementName(text, record);
  const label = text.charts.heatLabel(
    name,
    text.charts.heatQuantities[quantity],
    sizeText(scale.domain[0]),
    topText(text, scale),
  );
  const depth = Number(record.info.spec['n_layer'] ?? 0);
  return html`<figure class="heat">
    <figcaption>${swatch(seriesStyle(record.placement))}<span>${name}</span></figcaption>
    <div class="heat-body">
      <span class="heat-rows" aria-hidden="true"
        ><i>${depth ? `${text.charts.layer} ${depth}` : nothing}</i><i>${text.charts.layer} 0</i></span
      >
      <canvas data-heat=${index} role="img" aria-label=${label}></canvas>
      <span class="heat-steps" aria-hidden="true"><i>${text.charts.step} 0</i><i>${view.totalSteps}</i></span>
    </div>
  </figure>`;
}

function topText(text: LabMessages, { domain, clamped }: HeatScale): string {
  return clamped ? text.charts.beyond(sizeText(domain[1])) : sizeText(domain[1]);
}

function colorBar(text: LabMessages, scale: HeatScale): TemplateResult {
  return html`<div class="color-bar">
    <span>${sizeText(scale.domain[0])}</span><span class="bar" .style=${`background: ${cssGradient('cividis')}`}></span
    ><span>${topText(text, scale)}</span> <span class="bar-broken"></span><span>${text.charts.heatOverflow}</span>
  </div>`;
}
