import { html, nothing, type TemplateResult } from 'lit';
import { cssGradient } from '../../charts/color-maps.js';
import type { LabMessages } from '../../locales/lab.js';
import {
  BOUND_DASH,
  checkBounds,
  heatScale,
  profile,
  type HeatQuantity,
  type HeatScale,
  type LabView,
  type Quantity,
} from './chart-models.js';
import type { RunRecord } from './metric-store.js';
import { seriesStyle } from './series-styles.js';
import { swatch } from './swatch-view.js';
import { lossText, placementName, placementOf, sizeText, valueText } from './wording.js';

export const QUANTITIES: readonly Quantity[] = ['maxAbs', 'meanAbs', 'entryVariance', 'dataVariance', 'gradNorm'];
export const HEAT_QUANTITIES: readonly HeatQuantity[] = ['maxAbs', 'entryVariance'];

/** Name and value of each run, as legend and as text of the picture. */
type Reading = { record: RunRecord; value: string };

/** A run that ended before the step in question shows its last value, and says of which step. */
function dated(text: LabMessages, value: string, step: number, wanted: number): string {
  return step < wanted - 1 ? `${value} (${text.charts.at(String(step))})` : value;
}

interface FigureRequest {
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

function figure({ view, chart, title, note, readings, when, xName, bounds = [] }: FigureRequest): TemplateResult {
  const { text } = view;
  const words = readings.map(({ record, value }) => text.charts.now(placementName(text, record), value)).join(', ');
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
      ({ record, value }) =>
        html`<li>
          ${swatch(seriesStyle(placementOf(record)))}<span>${placementName(text, record)}</span><b>${value}</b>
        </li>`,
    )}
    ${bounds.map(({ name, color }) => html`<li>${swatch({ color, dash: BOUND_DASH, marker: null })}<span>${name}</span></li>`)}
    ${readings.length ? html`<li class="when">${when}</li>` : nothing}
  </ul>`;
}

/** Loss and max |x| over the steps; `hover` is the step under the pointer. */
export function curvesView(view: LabView, hover: number | null): TemplateResult {
  const { text, records } = view;
  const step = hover ?? Math.max(0, ...records.map((record) => record.steps.at(-1) ?? 0));
  const read = (pick: (record: RunRecord, index: number) => string): Reading[] =>
    records
      .filter(({ length }) => length > 0)
      .map((record) => {
        const index = record.steps.findLastIndex((each) => each <= step);
        return { record, value: index < 0 ? '–' : dated(text, pick(record, index), record.steps[index]!, step) };
      });
  const when = text.charts.at(String(step));
  const losses = read((record, i) => valueText(text, record.smoothLoss[i]!, lossText));
  const maxima = read((record, i) => valueText(text, record.maxAbs[i]!));
  const xName = text.charts.step;
  return html`<div class="pair">
    ${figure({ view, chart: 'loss', title: text.charts.loss, note: text.charts.lossNote, readings: losses, when, xName })}
    ${figure({ view, chart: 'max-abs', title: text.charts.maxAbs, note: text.charts.maxAbsNote, readings: maxima, when, xName })}
  </div>`;
}

export interface ProfileViewRequest {
  view: LabView;
  quantity: Quantity;
  log: boolean;
  stepsDone: number;
  onQuantity: (quantity: Quantity) => void;
  onLog: (log: boolean) => void;
  onStep: (step: number | null) => void;
}

export function profileView(request: ProfileViewRequest): TemplateResult {
  const { view, quantity, log, stepsDone, onQuantity, onLog } = request;
  const { text } = view;
  const shown = view.shownStep ?? stepsDone;
  const readings = view.records.flatMap((record): Reading[] => {
    const metrics = record.at(view.shownStep);
    if (!metrics) return [];
    const end = valueText(text, profile(record, metrics, quantity).at(-1)?.value ?? Number.NaN);
    return [{ record, value: record.length < shown ? dated(text, end, metrics.step, shown) : end }];
  });
  const bounds = checkBounds(view, quantity).map(({ placement, name }) => ({
    name: text.charts.boundOf(name),
    color: seriesStyle(placement).color,
  }));
  return html`<section class="block profile">
    <div class="tools">
      ${segments(
        text.charts.quantity,
        'quantity',
        QUANTITIES.map((name) => [name, text.charts.quantities[name]]),
        quantity,
        onQuantity,
      )}
      ${segments(
        text.charts.scale,
        'scale',
        [
          ['log', text.charts.log],
          ['linear', text.charts.linear],
        ],
        log ? 'log' : 'linear',
        (name) => onLog(name === 'log'),
      )}
    </div>
    ${figure({
      view,
      chart: 'profile',
      readings,
      bounds,
      when: text.charts.at(String(shown)),
      xName: text.charts.layer,
      title: `${text.charts.profile}: ${text.charts.quantities[quantity]}`,
      note: text.charts.quantityNote[quantity],
    })}
    ${stepPicker(request, shown)} ${boundSentences(view, quantity)}
  </section>`;
}

function stepPicker({ view, stepsDone, onStep }: ProfileViewRequest, shown: number): TemplateResult {
  const { text } = view;
  return html`<div class="step-picker">
    <label for="shown-step">${text.charts.shownStep}</label>
    <input
      id="shown-step"
      class="slider"
      type="range"
      min="1"
      max=${Math.max(1, stepsDone)}
      step="1"
      ?disabled=${stepsDone === 0}
      .value=${String(shown)}
      aria-valuetext=${text.charts.at(String(shown))}
      @input=${(event: Event) => onStep(Number((event.target as HTMLInputElement).value))}
    />
    <output>${shown}</output>
    <button
      class="small"
      aria-pressed=${view.shownStep === null}
      ?disabled=${stepsDone === 0}
      @click=${() => onStep(null)}
    >
      ${text.charts.latest}
    </button>
  </div>`;
}

function boundSentences(view: LabView, quantity: Quantity): TemplateResult | typeof nothing {
  const checks = checkBounds(view, quantity);
  if (!checks.length) return nothing;
  const { charts } = view.text;
  const sentence = ({ name, broken, closest }: (typeof checks)[number]) =>
    broken ? charts.boundBroken(name, String(broken)) : charts.boundHolds(name, (100 / closest).toFixed(0));
  return html`<p class="finding">
    ${checks.map((check) => html`<span class=${check.broken ? 'broken' : 'held'}>${sentence(check)} </span>`)}
    <span class="hint">${charts.boundNote}</span>
  </p>`;
}

/** A row of mutually exclusive choices. */
function segments<Name extends string>(
  label: string,
  group: string,
  choices: readonly (readonly [Name, string])[],
  current: Name,
  onChoose: (name: Name) => void,
): TemplateResult {
  return html`<div class="options" role="radiogroup" aria-label=${label}>
    ${choices.map(
      ([name, words]) =>
        html`<label class="option">
          <input type="radio" name=${group} .checked=${name === current} @change=${() => onChoose(name)} /><span
            >${words}</span
          >
        </label>`,
    )}
  </div>`;
}

export function heatView(
  view: LabView,
  quantity: HeatQuantity,
  onQuantity: (quantity: HeatQuantity) => void,
): TemplateResult {
  const { text, records } = view;
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
    <p class="hint">${text.charts.heatNote}</p>
    <div class="heat-grid">${records.map((record, index) => heatFigure(view, record, index, quantity, scale))}</div>
    ${records.length ? colorBar(text, scale) : html`<p class="empty inset">${text.charts.emptyHint}</p>`}
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
    <figcaption>${swatch(seriesStyle(placementOf(record)))}<span>${name}</span></figcaption>
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
