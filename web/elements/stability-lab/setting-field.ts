import { html, nothing, type TemplateResult } from 'lit';
import { live } from 'lit/directives/live.js';
import type { LabMessages } from '../../locales/lab.js';
import { parseNumber } from '../../locales/parse.js';
import { fromSlider, limitProblem, toSlider, type LimitProblem, type SettingRange } from './settings.js';

export type FieldProblem = 'empty' | 'decimal-comma' | 'not-a-number' | 'beyond-fp32' | LimitProblem;

/** A text that was refused, as typed, and why. The last good value stays in use. */
export interface FieldDraft {
  text: string;
  problem: FieldProblem;
  /** The limit that was passed, for problems that have one. */
  limit?: number;
}

export interface SettingFieldRequest {
  range: SettingRange;
  value: number;
  draft: FieldDraft | undefined;
  /** Why the value in use cannot run, in words. */
  wrong?: string | undefined;
  text: LabMessages;
  note?: TemplateResult | undefined;
  onValue: (value: number) => void;
  onDraft: (draft: FieldDraft) => void;
}

/** A slider and a number field for one setting; the field takes values beyond the slider's ends. */
export function settingField(request: SettingFieldRequest): TemplateResult {
  const { range, value, draft, text, note } = request;
  const { name, hint } = text.settings[range.name];
  const id = `setting-${range.name}`;
  const shown = numberText(value, range.whole);
  const problem = draft ? text.fieldError[draft.problem](shown, String(draft.limit ?? '')) : request.wrong;
  const low = toSlider(range, range.min);
  const high = toSlider(range, range.max);
  return html`<div class="field">
    <label for=${id}>${name}</label>
    <input
      id=${id}
      class="number"
      type="text"
      inputmode=${range.whole ? 'numeric' : 'decimal'}
      autocomplete="off"
      spellcheck="false"
      aria-invalid=${problem ? 'true' : nothing}
      aria-describedby=${problem ? `${id}-error` : hint ? `${id}-hint` : nothing}
      .value=${live(draft?.text ?? shown)}
      @change=${(event: Event) => commit(request, (event.target as HTMLInputElement).value)}
      @keydown=${(event: KeyboardEvent) => enter(event, request)}
    />
    <input
      class="slider"
      type="range"
      aria-label=${text.sliderOf(name)}
      aria-valuetext=${shown}
      min=${low}
      max=${high}
      step=${range.step}
      .value=${live(String(toSlider(range, value)))}
      @input=${(event: Event) => request.onValue(fromSlider(range, Number((event.target as HTMLInputElement).value)))}
    />
    ${hint ? html`<p class="hint" id="${id}-hint">${hint}</p>` : nothing} ${note ?? nothing}
    ${problem ? html`<p class="problem" id="${id}-error" role="alert">${problem}</p>` : nothing}
  </div>`;
}

/** Whole settings digit for digit, others in at most six digits. */
export function numberText(value: number, whole = false): string {
  return whole ? String(value) : String(Number(value.toPrecision(6)));
}

function enter(event: KeyboardEvent, request: SettingFieldRequest): void {
  if (event.key !== 'Enter' || event.isComposing) return;
  commit(request, (event.target as HTMLInputElement).value);
}

function commit({ range, onValue, onDraft }: SettingFieldRequest, text: string): void {
  const parsed = parseNumber(text);
  if (parsed.kind === 'error') onDraft({ text, problem: parsed.reason });
  else {
    const limit = limitProblem(range, parsed.value);
    if (limit) onDraft({ text, ...limit });
    else onValue(parsed.value);
  }
}
