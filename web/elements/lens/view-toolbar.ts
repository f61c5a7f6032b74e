import { html, nothing, type TemplateResult } from 'lit';
import type { NormChoice } from './compute.js';
import type { LensActions, LensView, PresetChoice } from './model.js';
import { PRESET_NAMES } from './presets.js';

const PRESET_CHOICES: readonly PresetChoice[] = [...PRESET_NAMES, 'own'];
const KINDS: readonly NormChoice[] = ['layernorm', 'rmsnorm', 'batchnorm'];

export function toolbar(view: LensView, act: LensActions): TemplateResult {
  const { t } = view;
  return html`<div class="toolbar">
    ${choices('preset', t.presets.label, PRESET_CHOICES, view.preset, (name) => t.presets[name], act.choosePreset)}
    ${choices('kind', t.kind.label, KINDS, view.kind, (name) => t.kind[name], act.chooseKind)}
  </div>`;
}

/** The sentence that belongs to the chosen preset, while its numbers are untouched. */
export function presetNote(view: LensView): TemplateResult | typeof nothing {
  if (view.touched) return nothing;
  if (view.preset === 'course' && view.kind !== 'layernorm') return nothing;
  return html`<p class="note">${view.t.notes[view.preset]}</p>`;
}

/** A row of native radio buttons that looks like one switch. */
export function choices<Name extends string>(
  group: string,
  legend: string,
  names: readonly Name[],
  chosen: Name,
  label: (name: Name) => string,
  choose: (name: Name) => void,
): TemplateResult {
  return html`<fieldset class="choices choices-${group}">
    <legend>${legend}</legend>
    <div class="options">
      ${names.map(
        (name) =>
          html`<label class="option">
            <input type="radio" name=${group} value=${name} .checked=${name === chosen} @change=${() => choose(name)} />
            <span>${label(name)}</span>
          </label>`,
      )}
    </div>
  </fieldset>`;
}
