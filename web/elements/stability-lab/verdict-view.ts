import { html, nothing, type TemplateResult } from 'lit';
import type { Verdict } from 'normscope';
import type { LabView } from './chart-models.js';
import { trailingMean, type RunRecord } from './metric-store.js';
import { median } from '../median.js';
import { groupRuns, hasDiverged, type RunGroup } from './run-groups.js';
import { seriesStyle } from '../series-styles.js';
import { peak, summarize, type Outcome } from './summary.js';
import { summarizeSeeds } from './seed-summary.js';
import { swatch } from '../swatch-view.js';
import { endPlace, lossText, placementName, runName, sizeText, valueText } from './wording.js';

/** Steps that the final loss averages over. */
const FINAL_WINDOW = 30;

export function verdictView(view: LabView, sentences: readonly string[]): TemplateResult | typeof nothing {
  const { text, records } = view;
  if (!records.length) return nothing;
  const v = text.verdicts;
  const seeded = groupRuns(records, view.verdicts).length < records.length;
  return html`<section class="block verdict">
    <h3>${v.title}</h3>
    ${
      sentences.length
        ? html`<ul class="findings">
            ${sentences.map((sentence) => html`<li>${sentence}</li>`)}
          </ul>`
        : nothing
    }
    ${seeded ? seedTable(view) : runTable(view, v.title)}
    ${
      seeded
        ? html`<details>
            <summary>${text.seeds.eachRun(String(records.length))}</summary>
            ${runTable(view, text.seeds.eachRun(String(records.length)))}
          </details>`
        : nothing
    }
    <p class="hint">${v.finalLossNote}</p>
  </section>`;
}

function tableOf(label: string, heads: readonly string[], rows: readonly TemplateResult[]): TemplateResult {
  return html`<div class="scroll" tabindex="0" role="region" aria-label=${label}>
    <table>
      <thead>
        <tr>
          ${heads.map((head) => html`<th scope="col">${head}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${rows}
      </tbody>
    </table>
  </div>`;
}

/** One row per run. */
function runTable(view: LabView, label: string): TemplateResult {
  const { text, records, verdicts } = view;
  const v = text.verdicts;
  const heads = [v.placement, v.state, v.finalLoss, v.maxAbs, v.passed, v.where];
  return tableOf(
    label,
    heads,
    records.map((record, index) => row(view, record, verdicts[index] ?? null)),
  );
}

function stateOf({ paused = false }: LabView, record: RunRecord, verdict: Verdict | null) {
  return verdict?.code ?? (paused ? 'paused' : record.length ? 'running' : 'waiting');
}

function finalLoss(record: RunRecord, verdict: Verdict | null): number {
  return verdict?.finalLoss ?? trailingMean(record.loss, FINAL_WINDOW);
}

function row(view: LabView, record: RunRecord, verdict: Verdict | null): TemplateResult {
  const { text } = view;
  const v = text.verdicts;
  const code = stateOf(view, record, verdict);
  const passed = verdict?.passedHalfRange ?? record.passedHalfRange;
  const broken = code === 'overflow' || code === 'non-finite' || code === 'failed';
  const state = broken && verdict ? `${v[code]}, ${v.atStep(String(verdict.step))}` : v[code];
  return html`<tr>
    <th scope="row">${swatch(seriesStyle(record.placement))}<span>${runName(text, record, view.records)}</span></th>
    <td class=${broken ? 'broken' : ''}>${state}</td>
    <td class="num">${record.length ? valueText(text, finalLoss(record, verdict), lossText) : '–'}</td>
    <td class="num">${record.length ? valueText(text, peak({ record }), sizeText) : '–'}</td>
    <td>${passed === null ? v.never : v.atStep(String(passed))}</td>
    <td>${endPlace(text, verdict)}</td>
  </tr>`;
}

/** One row per placement: how many seeds diverged, median and range of the rest. */
function seedTable(view: LabView): TemplateResult {
  const { text } = view;
  const v = text.verdicts;
  const heads = [v.placement, text.seeds.diverged, text.seeds.finalLoss, text.seeds.maxAbs, text.seeds.passed];
  const groups = groupRuns(view.records, view.verdicts);
  return tableOf(
    v.title,
    heads,
    groups.map((group) => seedRow(text, group)),
  );
}

function seedRow(text: LabView['text'], group: RunGroup): TemplateResult {
  const { records, verdicts } = group;
  const lost = verdicts.filter(hasDiverged).length;
  const losses = records.map((record, k) =>
    hasDiverged(verdicts[k]) ? Infinity : finalLoss(record, verdicts[k] ?? null),
  );
  const peaks = records.map((record) => peak({ record }));
  const passed = records.filter(
    (record, k) => (verdicts[k]?.passedHalfRange ?? record.passedHalfRange) !== null,
  ).length;
  const count = (n: number) => text.seeds.of(String(n), String(records.length));
  return html`<tr>
    <th scope="row">${swatch(seriesStyle(group.placement))}<span>${placementName(text, group)}</span></th>
    <td class=${lost ? 'broken' : ''}>${count(lost)}</td>
    <td class="num">${rangeText(text, losses, lossText)}</td>
    <td class="num">${rangeText(text, peaks, sizeText)}</td>
    <td>${count(passed)}</td>
  </tr>`;
}

/** "1.52 (1.50 – 1.55)"; a diverged run has an infinite loss. */
function rangeText(text: LabView['text'], values: readonly number[], form: (value: number) => string): string {
  const known = values.filter((value) => !Number.isNaN(value));
  if (!known.length) return '–';
  const words = (value: number) => (value === Infinity ? text.seeds.lost : form(value));
  const [low, high] = [Math.min(...known), Math.max(...known)];
  return `${words(median(known))} (${words(low)} – ${words(high)})`;
}

/** Sentences for the runs that have ended. */
export function findings({ text, records, verdicts }: LabView): string[] {
  const groups = groupRuns(records, verdicts);
  if (groups.length < records.length) return verdicts.every(Boolean) ? summarizeSeeds(text, groups) : [];
  const outcomes = records.flatMap((record, index): Outcome[] => {
    const verdict = verdicts[index];
    return verdict ? [{ record, verdict }] : [];
  });
  return summarize(text, outcomes);
}
