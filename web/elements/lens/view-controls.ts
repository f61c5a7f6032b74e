import { html, nothing, type TemplateResult } from 'lit';
import { live } from 'lit/directives/live.js';
import type { LensActions, LensView } from './model.js';
import { editable, numberField, problemText } from './number-field.js';

/** γ, β and ε: one slider and one field each; vectors for those who want them. */
export function controls(view: LensView, act: LensActions): TemplateResult {
  const { t } = view;
  const noShift = view.kind === 'rmsnorm';
  return html`<section class="controls" aria-labelledby="controls-heading">
    <h3 id="controls-heading">${t.controls.heading}</h3>
    <div class="knobs">
      ${knob(view, act, { id: 'gamma', label: t.controls.gamma, value: view.gamma[0] ?? 1, reach: [-3, 3], set: act.setGain })}
      ${knob(view, act, {
        id: 'beta',
        label: t.controls.beta,
        value: view.beta[0] ?? 0,
        reach: [-3, 3],
        set: act.setShift,
        disabled: noShift,
        note: noShift ? t.controls.betaUnused : '',
      })}
      ${epsKnob(view, act)}
    </div>
    <details>
      <summary>${t.controls.perFeature}</summary>
      ${vectorField(view, act, 'gamma')} ${vectorField(view, act, 'beta')}
    </details>
  </section>`;
}

interface Knob {
  id: string;
  label: string;
  value: number;
  reach: readonly [number, number];
  set: (value: number) => void;
  disabled?: boolean;
  note?: string;
}

function knob(view: LensView, act: LensActions, knob: Knob): TemplateResult {
  return html`<div class="knob">
    ${numberField({
      id: knob.id,
      label: knob.label,
      visible: true,
      value: knob.value,
      disabled: knob.disabled ?? false,
      problem: view.problems.get(knob.id),
      commit: knob.set,
      reject: (reason) => act.report(knob.id, view.wrong.number[reason]),
    })}
    <input
      type="range"
      aria-label=${knob.label}
      min=${knob.reach[0]}
      max=${knob.reach[1]}
      step="0.05"
      ?disabled=${knob.disabled ?? false}
      .value=${live(String(knob.value))}
      @input=${(event: Event) => knob.set(Number((event.target as HTMLInputElement).value))}
    />
    ${problemText(knob.id, view.problems.get(knob.id))} ${knob.note ? html`<p class="why">${knob.note}</p>` : nothing}
  </div>`;
}

/** ε moves over thirteen powers of ten, so its slider is logarithmic. */
function epsKnob(view: LensView, act: LensActions): TemplateResult {
  const { t, eps } = view;
  const power = eps > 0 ? Math.log10(eps) : -12;
  const positive = (value: number) => (value >= 0 ? act.setEps(value) : act.report('eps', view.wrong.number.negative));
  return html`<div class="knob">
    ${numberField({
      id: 'eps',
      label: t.controls.eps,
      visible: true,
      value: eps,
      problem: view.problems.get('eps'),
      commit: positive,
      reject: (reason) => act.report('eps', view.wrong.number[reason]),
    })}
    <input
      type="range"
      aria-label=${t.controls.epsSlider}
      min="-12"
      max="1"
      step="1"
      .value=${live(String(Math.round(power)))}
      @input=${(event: Event) => act.setEps(Number(`1e${(event.target as HTMLInputElement).value}`))}
    />
    ${problemText('eps', view.problems.get('eps'))}
  </div>`;
}

function vectorField(view: LensView, act: LensActions, which: 'gamma' | 'beta'): TemplateResult {
  const id = `${which}-vector`;
  const values = view[which];
  const problem = view.problems.get(id);
  const label = which === 'gamma' ? view.t.controls.gammaVector : view.t.controls.betaVector;
  const disabled = which === 'beta' && view.kind === 'rmsnorm';
  const read = (event: Event) => act.setVector(which, (event.target as HTMLInputElement).value);
  return html`<div class="vector-field">
    <label for=${id}>${label}</label>
    <input
      id=${id}
      type="text"
      spellcheck="false"
      autocomplete="off"
      autocapitalize="off"
      ?disabled=${disabled}
      aria-invalid=${problem ? 'true' : nothing}
      aria-describedby=${problem ? `${id}-problem` : nothing}
      .value=${live(`[${values.map(editable).join(', ')}]`)}
      @change=${read}
    />
    ${problemText(id, problem)}
  </div>`;
}
