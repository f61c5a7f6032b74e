/** Which placements run: every row of the table, in families, and the reader's own wiring. */
import { html, nothing, type TemplateResult } from 'lit';
import { PLACEMENTS, type Placement } from 'normscope';
import type { LabMessages } from '../../locales/lab.js';
import { equationOf, stepsOf } from '../wiring/steps.js';
import { familiesOf } from './placement-groups.js';
import { seriesStyle } from '../series-styles.js';
import { OWN, type LabSettings, type RunName } from './settings.js';
import { swatch } from '../swatch-view.js';
import { placementName } from './wording.js';

export interface PlacementViewRequest {
  text: LabMessages;
  settings: LabSettings;
  onChange: (change: Partial<LabSettings>) => void;
  /** Shows the table of all rows. */
  onCompare: () => void;
}

export function placementView(request: PlacementViewRequest): TemplateResult {
  const { text, settings, onCompare } = request;
  return html`<fieldset class="choices">
    <legend>${text.placementsTitle}</legend>
    ${familiesOf(PLACEMENTS).map(({ family, rows }) => {
      const chosen = rows.filter(({ name }) => settings.placements.includes(name)).length;
      return html`<details class="family" ?open=${family === 'branch' || chosen > 0}>
        <summary>
          ${text.families[family]}
          <span class="count">${text.familyCount(String(chosen), String(rows.length))}</span>
        </summary>
        ${rows.map((row) => rowChoice(request, row))}
      </details>`;
    })}
    ${ownChoice(request)} ${settings.placements.length ? nothing : html`<p class="problem">${text.noPlacement}</p>`}
    <button class="plain small" @click=${onCompare}>${text.comparePlacements}</button>
  </fieldset>`;
}

function rowChoice(request: PlacementViewRequest, { name, equation, users }: Placement): TemplateResult {
  const on = request.settings.placements.includes(name);
  return html`<label class="check placement">
    ${checkbox(request, name)}
    <span>${placementName(request.text, { placement: name })}</span>${swatch(seriesStyle(name))}
    <span class="equation">${request.text.equationOf(name, equation)}</span>
    ${on && users ? html`<span class="users">${request.text.usersOf(name, users)}</span>` : nothing}
  </label>`;
}

function ownChoice(request: PlacementViewRequest): TemplateResult {
  const equations = stepsOf(request.settings.wiring).map(equationOf);
  return html`<label class="check placement own-row">
    ${checkbox(request, OWN)}
    <span>${placementName(request.text, { placement: OWN })}</span>${swatch(seriesStyle(OWN))}
    <span class="equation">${equations.join(' · ')}</span>
  </label>`;
}

function checkbox({ settings, onChange }: PlacementViewRequest, name: RunName): TemplateResult {
  const toggle = (on: boolean) => {
    const wanted = (other: RunName) => (other === name ? on : settings.placements.includes(other));
    onChange({ placements: [...PLACEMENTS.map((row): RunName => row.name), OWN].filter(wanted) });
  };
  return html`<input
    type="checkbox"
    .checked=${settings.placements.includes(name)}
    @change=${(event: Event) => toggle((event.target as HTMLInputElement).checked)}
  />`;
}
