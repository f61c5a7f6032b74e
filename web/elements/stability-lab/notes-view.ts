import { html, nothing, type TemplateResult } from 'lit';
import { sentenceOf, type ErrorMessages } from '../../locales/errors.js';
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
export function failureView(
  text: LabMessages,
  wrong: ErrorMessages,
  failure: LabFailure | null,
  begun: boolean,
): TemplateResult | typeof nothing {
  if (!failure) return nothing;
  return html`<div class="failure" role="alert">
    <strong>${begun ? text.failure.later : text.failure.title}</strong>
    <p>${sentenceOf(wrong, failure.code)}</p>
    <details>
      <summary>${text.failure.raw}</summary>
      <code>${failure.code}: ${failure.message}</code>
    </details>
  </div>`;
}
