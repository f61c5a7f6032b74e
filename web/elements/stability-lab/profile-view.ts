import { html, nothing, type TemplateResult } from 'lit';
import { segments } from '../segments-view.js';
import type { LabView, Quantity } from './chart-models.js';
import { dated, figure, type Reading } from './figure-view.js';
import { checkBounds, profile, type BoundCheck } from './profile-models.js';
import { median } from '../median.js';
import { groupRuns, type RunGroup } from './run-groups.js';
import { seriesStyle } from '../series-styles.js';
import { valueText } from './wording.js';

export const QUANTITIES: readonly Quantity[] = ['maxAbs', 'meanAbs', 'entryVariance', 'dataVariance', 'gradNorm'];

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
  const readings = groupRuns(view.records, view.verdicts).flatMap((group): Reading[] => {
    const value = lastLayer(view, group, quantity, shown);
    return value === null ? [] : [{ placement: group.placement, value }];
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

/** More placements than this that keep their bounds share one sentence. */
const MANY = 3;

/** How near the nearest comes to its bound. */
function percent(checks: readonly BoundCheck[]): string {
  return (100 / Math.min(...checks.map(({ closest }) => closest))).toFixed(0);
}

function boundSentences(view: LabView, quantity: Quantity): TemplateResult | typeof nothing {
  const checks = checkBounds(view, quantity);
  if (!checks.length) return nothing;
  const held = checks.filter(({ broken }) => !broken);
  const told = held.length > MANY ? checks.filter(({ broken }) => broken) : checks;
  const { charts } = view.text;
  const sentence = ({ name, broken, closest }: (typeof checks)[number]) =>
    broken ? charts.boundBroken(name, String(broken)) : charts.boundHolds(name, (100 / closest).toFixed(0));
  return html`<p class="finding">
    ${told.map((check) => html`<span class=${check.broken ? 'broken' : 'held'}>${sentence(check)} </span>`)}
    ${
      told.length < checks.length
        ? html`<span class="held">${view.text.seeds.boundsHold(String(held.length), percent(held))} </span>`
        : nothing
    }
    <span class="hint">${charts.boundNote}</span>
  </p>`;
}

/** The value at the last layer, in words; of several seeds the median. */
function lastLayer(
  { text, shownStep }: LabView,
  { records }: RunGroup,
  quantity: Quantity,
  shown: number,
): string | null {
  const ends = records.flatMap((record) => {
    const metrics = record.at(shownStep);
    return metrics ? [{ record, metrics, value: profile(record, metrics, quantity).at(-1)?.value ?? Number.NaN }] : [];
  });
  if (!ends.length) return null;
  const words = valueText(text, median(ends.map(({ value }) => value)));
  const [{ record, metrics }] = ends as [(typeof ends)[number]];
  return records.length === 1 && record.length < shown ? dated(text, words, metrics.step, shown) : words;
}
