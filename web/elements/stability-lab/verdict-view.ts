import { html, nothing, type TemplateResult } from 'lit';
import type { Verdict } from 'normscope';
import type { LabView } from './chart-models.js';
import { trailingMean, type RunRecord } from './metric-store.js';
import { seriesStyle } from './series-styles.js';
import { peak, summarize, type Outcome } from './summary.js';
import { swatch } from './swatch-view.js';
import { endPlace, lossText, placementName, placementOf, sizeText, valueText } from './wording.js';

/** Steps that the final loss averages over. */
const FINAL_WINDOW = 30;

export function verdictView(view: LabView, sentences: readonly string[]): TemplateResult | typeof nothing {
  const { text, records, verdicts } = view;
  if (!records.length) return nothing;
  const v = text.verdicts;
  const heads = [v.placement, v.state, v.finalLoss, v.maxAbs, v.passed, v.where];
  return html`<section class="block verdict">
    <h3>${v.title}</h3>
    ${
      sentences.length
        ? html`<ul class="findings">
            ${sentences.map((sentence) => html`<li>${sentence}</li>`)}
          </ul>`
        : nothing
    }
    <div class="scroll" tabindex="0" role="region" aria-label=${v.title}>
      <table>
        <thead>
          <tr>
            ${heads.map((head) => html`<th scope="col">${head}</th>`)}
          </tr>
        </thead>
        <tbody>
          ${records.map((record, index) => row(view, record, verdicts[index] ?? null))}
        </tbody>
      </table>
    </div>
    <p class="hint">${v.finalLossNote}</p>
  </section>`;
}

function row({ text, paused = false }: LabView, record: RunRecord, verdict: Verdict | null): TemplateResult {
  const v = text.verdicts;
  const code = verdict?.code ?? (paused ? 'paused' : record.length ? 'running' : 'waiting');
  const loss = verdict?.finalLoss ?? trailingMean(record.loss, FINAL_WINDOW);
  const passed = verdict?.passedHalfRange ?? record.passedHalfRange;
  const broken = code === 'overflow' || code === 'non-finite' || code === 'failed';
  const state = broken && verdict ? `${v[code]}, ${v.atStep(String(verdict.step))}` : v[code];
  return html`<tr>
    <th scope="row">${swatch(seriesStyle(placementOf(record)))}<span>${placementName(text, record)}</span></th>
    <td class=${broken ? 'broken' : ''}>${state}</td>
    <td class="num">${record.length ? valueText(text, loss, lossText) : '–'}</td>
    <td class="num">${record.length ? valueText(text, peak({ record }), sizeText) : '–'}</td>
    <td>${passed === null ? v.never : v.atStep(String(passed))}</td>
    <td>${endPlace(text, verdict)}</td>
  </tr>`;
}

/** Sentences for the runs that have ended. */
export function findings({ text, records, verdicts }: LabView): string[] {
  const outcomes = records.flatMap((record, index): Outcome[] => {
    const verdict = verdicts[index];
    return verdict ? [{ record, verdict }] : [];
  });
  return summarize(text, outcomes);
}
