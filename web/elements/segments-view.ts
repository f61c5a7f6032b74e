import { html, type TemplateResult } from 'lit';

/** A row of mutually exclusive choices. */
export function segments<Name extends string>(
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
