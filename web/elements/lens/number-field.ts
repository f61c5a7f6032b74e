import { html, noChange, nothing, type TemplateResult } from 'lit';
import { live } from 'lit/directives/live.js';
import { parseNumber, type ParsedNumber } from '../../locales/parse.js';

export interface NumberField {
  id: string;
  label: string;
  /** Shown beside the field when `visible` is set, else only spoken. */
  visible?: boolean;
  value: number;
  problem: string | undefined;
  disabled?: boolean;
  commit(value: number): void;
  reject(reason: (ParsedNumber & { kind: 'error' })['reason']): void;
}

/** Characters that a field has room for in its usual size. */
const ROOMY = 8;

/**
 * A text field for one number: phones keep their minus key, and a wrong text keeps the last number in use.
 * Enter during Korean composition is left to the input method.
 */
export function numberField(field: NumberField): TemplateResult {
  const read = (event: Event) => {
    const parsed = parseNumber((event.target as HTMLInputElement).value);
    if (parsed.kind === 'number') field.commit(parsed.value);
    else field.reject(parsed.reason);
  };
  const enter = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && !event.isComposing) read(event);
  };
  return html`${field.visible ? html`<label class="field-label" for=${field.id}>${field.label}</label>` : nothing}<input
      id=${field.id}
      class=${editable(field.value).length > ROOMY ? 'number long' : 'number'}
      type="text"
      autocomplete="off"
      autocapitalize="off"
      spellcheck="false"
      enterkeyhint="done"
      aria-label=${field.visible ? nothing : field.label}
      aria-invalid=${field.problem ? 'true' : nothing}
      aria-describedby=${field.problem ? `${field.id}-problem` : nothing}
      ?disabled=${field.disabled ?? false}
      .value=${field.problem ? noChange : live(editable(field.value))}
      @change=${read}
      @keydown=${enter}
    />`;
}

/** Few digits, but enough to get the same 32-bit number back. */
export function editable(value: number): string {
  if (!Number.isFinite(value)) return String(value);
  const short = Number(value.toPrecision(7));
  return Math.abs(short) < 1e9 ? String(short) : short.toExponential().replace('+', '');
}

/** The sentence under a field; empty when all is well. */
export function problemText(id: string, problem: string | undefined): TemplateResult | typeof nothing {
  return problem ? html`<p class="problem" id="${id}-problem" role="alert">${problem}</p>` : nothing;
}
