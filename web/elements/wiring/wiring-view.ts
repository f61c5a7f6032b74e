/** The editor of a wiring: its fields on one side, the diagrams that follow from them on the other. */
import { html, nothing, type TemplateResult } from 'lit';
import { live } from 'lit/directives/live.js';
import { unsafeHTML } from 'lit/directives/unsafe-html.js';
import { PLACEMENTS } from 'normscope';
import { blockDiagram } from '../../charts/block-diagram.js';
import { parseNumber } from '../../locales/parse.js';
import type { PlacementMessages } from '../../locales/placements.js';
import type { WiringMessages } from '../../locales/wiring.js';
import { equationOf, stepsOf } from './steps.js';
import { isIdle, WIRING_FIELDS, wiringOfRow, type FieldKind, type Wiring, type WiringField } from './wiring.js';

export interface WiringViewRequest {
  text: WiringMessages;
  rows: PlacementMessages;
  wiring: Wiring;
  /** Fields whose last text was no fitting number. */
  wrong: ReadonlySet<WiringField>;
  onChange: (wiring: Wiring) => void;
  onWrong: (field: WiringField) => void;
}

export function wiringView(request: WiringViewRequest): TemplateResult {
  return html`<div class="editor">
    <div class="fields">${startFrom(request)} ${parts(request)}</div>
    ${diagrams(request)}
  </div>`;
}

/** Names of the rows that have exactly these fields. */
export function rowsLike(wiring: Wiring): string[] {
  const wanted = JSON.stringify(wiring, Object.keys(wiring).sort());
  return PLACEMENTS.filter((row) => {
    const fields = wiringOfRow(row);
    return JSON.stringify(fields, Object.keys(fields).sort()) === wanted;
  }).map(({ name }) => name);
}

function startFrom({ text, rows, wiring, onChange }: WiringViewRequest): TemplateResult {
  const same = rowsLike(wiring);
  const names = rows.placements as Record<string, string>;
  const choose = (event: Event) => {
    const row = PLACEMENTS.find(({ name }) => name === (event.target as HTMLSelectElement).value);
    if (row) onChange(wiringOfRow(row));
  };
  return html`<div class="start">
    <label>
      ${text.startFrom}
      <select .value=${live(same[0] ?? '')} @change=${choose}>
        <option value="" ?selected=${!same.length}>${text.custom}</option>
        ${PLACEMENTS.map(
          ({ name }) => html`<option value=${name} ?selected=${name === same[0]}>${names[name] ?? name}</option>`,
        )}
      </select>
    </label>
    ${same.length ? html`<p class="hint">${text.same(same.map((name) => names[name] ?? name).join(', '))}</p>` : nothing}
  </div>`;
}

function parts(request: WiringViewRequest): TemplateResult[] {
  const names = Object.keys(WIRING_FIELDS) as (keyof typeof WIRING_FIELDS)[];
  return names.map(
    (part) =>
      html`<fieldset class="choices part">
        <legend>${request.text.parts[part]}</legend>
        ${(Object.entries(WIRING_FIELDS[part]) as [WiringField, FieldKind][]).map(([field, kind]) =>
          fieldView(request, field, kind),
        )}
      </fieldset>`,
  );
}

function fieldView(request: WiringViewRequest, field: WiringField, kind: FieldKind): TemplateResult {
  const { wiring, text } = request;
  const idle = isIdle(wiring, field);
  const set = (value: unknown) => request.onChange({ ...wiring, [field]: value });
  if (kind.kind === 'flag')
    return html`<label class="check">
      <input
        type="checkbox"
        ?disabled=${idle}
        .checked=${live(Boolean(wiring[field]))}
        @change=${(event: Event) => set((event.target as HTMLInputElement).checked)}
      />
      <span>${text.fields[field]}</span>
    </label>`;
  if (kind.kind === 'choice') {
    const words = choiceWords(text, field);
    return html`<label class="line">
      <span>${text.fields[field]}</span>
      <select
        ?disabled=${idle}
        .value=${live(String(wiring[field]))}
        @change=${(event: Event) => set((event.target as HTMLSelectElement).value)}
      >
        ${kind.choices.map(
          (choice) =>
            html`<option value=${choice} ?selected=${choice === wiring[field]}>${words[choice] ?? choice}</option>`,
        )}
      </select>
    </label>`;
  }
  return numberField(request, field, kind, idle);
}

/** Words for a field's choices. Both fields that list norms share theirs. */
function choiceWords({ choices }: WiringMessages, field: WiringField): Record<string, string> {
  if (field === 'mlpNorms' || field === 'earlyNorms') return choices.norms;
  return (choices as Partial<Record<WiringField, Record<string, string>>>)[field] ?? {};
}

function numberField(
  { wiring, text, wrong, onChange, onWrong }: WiringViewRequest,
  field: WiringField,
  { least, most }: { least: number; most: number },
  idle: boolean,
): TemplateResult {
  const bad = wrong.has(field);
  const commit = (event: Event) => {
    const parsed = parseNumber((event.target as HTMLInputElement).value);
    if (parsed.kind === 'number' && parsed.value >= least && parsed.value <= most)
      onChange({ ...wiring, [field]: parsed.value });
    else onWrong(field);
  };
  return html`<label class="line">
      <span>${text.fields[field]}</span>
      <input
        class="number"
        type="text"
        inputmode="decimal"
        autocomplete="off"
        ?disabled=${idle}
        aria-invalid=${bad ? 'true' : nothing}
        aria-describedby=${bad ? `wrong-${field}` : nothing}
        .value=${String(wiring[field])}
        @change=${commit}
      />
    </label>
    ${bad ? html`<p class="problem" id="wrong-${field}" role="alert">${text.wrongNumber(String(least), String(most))}</p>` : nothing}`;
}

function diagrams({ text, rows, wiring }: WiringViewRequest): TemplateResult {
  return html`<div class="diagrams">
    ${stepsOf(wiring).map((step) => {
      const name = rows.steps[step.name];
      const equation = equationOf(step);
      return html`<figure>
        ${unsafeHTML(blockDiagram(step, text.diagramOf(name, equation)))}
        <figcaption><strong>${name}</strong><span>${equation}</span></figcaption>
      </figure>`;
    })}
  </div>`;
}
