import { html, nothing, type TemplateResult } from 'lit';
import type { LabMessages } from '../../locales/lab.js';
import type { LabFailure } from './training-lab.js';

/** What the experiment shows and what it does not. */
export function explainView({ explain }: LabMessages): TemplateResult {
  return html`<section class="explain">
    <h3>${explain.title}</h3>
    <dl>
      ${explain.items.map(
        ([question, answer]) =>
          html`<div>
            <dt>${question}</dt>
            <dd>${answer}</dd>
          </div>`,
      )}
    </dl>
  </section>`;
}

/** What went wrong, in the reader's words, and the package's own sentence below. */
export function failureView(text: LabMessages, failure: LabFailure | null): TemplateResult | typeof nothing {
  if (!failure) return nothing;
  return html`<div class="failure" role="alert">
    <strong>${text.failure.title}</strong>
    <p>${failureText(text, failure.code)}</p>
    <details>
      <summary>${text.failure.raw}</summary>
      <code>${failure.code}: ${failure.message}</code>
    </details>
  </div>`;
}

/** Codes that mean the same to a reader share a sentence. */
const SAME_AS: Record<string, string> = {
  'bad-number': 'bad-spec',
  'bad-option': 'bad-spec',
  'bad-array': 'bad-size',
  'no-simd': 'no-wasm',
};

export function failureText({ failure }: LabMessages, code: string): string {
  const known = SAME_AS[code] ?? code;
  const texts = failure as Record<string, string>;
  return Object.hasOwn(texts, known) && known !== 'title' && known !== 'raw' ? texts[known]! : failure.other;
}
