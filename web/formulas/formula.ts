import { html, type TemplateResult } from 'lit';
import { unsafeHTML } from 'lit/directives/unsafe-html.js';
import { FORMULAS, type FormulaName } from '../../build/generated/formulas.js';
import type { Language } from '../locales/language.js';

/** A formula as MathML for the eye and as a sentence for the ear. Safe: the mark-up is made at build time. */
export function formula(name: FormulaName, language: Language): TemplateResult {
  const { mathml } = FORMULAS[name];
  return html`<span class="formula" role="math" aria-label=${FORMULAS[name][language]}
    ><span aria-hidden="true">${unsafeHTML(mathml)}</span></span
  >`;
}
