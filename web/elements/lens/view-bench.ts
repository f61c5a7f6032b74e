import { html, nothing, svg, type TemplateResult } from 'lit';
import { live } from 'lit/directives/live.js';
import { barRow, type Mark } from '../../charts/bars.js';
import { formatRead, formatVector } from '../../locales/numbers.js';
import { sliderStep } from './grid.js';
import type { LensActions, LensView } from './model.js';
import { editable, numberField, problemText } from './number-field.js';
import { featureName, moments } from './slice.js';

const ROW_HEIGHT = 34;

/** The selected token, feature by feature: a bar to drag, its number, and what the norm made of it. */
export function bench(view: LensView, act: LensActions): TemplateResult {
  const { t, grid } = view;
  const name = view.active[view.place]?.name ?? '';
  const row = grid.rows[grid.selected] ?? [];
  return html`<section class="bench" aria-labelledby="bench-heading">
    <h3 id="bench-heading">${t.bench.heading(name)} <span class="aside">${t.bench.hint}</span></h3>
    <div class="bars" role="group" aria-label=${t.figure(name, formatVector(row, 2))}>
      <div class="bar-line head" aria-hidden="true">
        <span></span>
        <span
          >${t.bench.before}
          <em><i class="key ${view.kind}"></i>${view.kind === 'rmsnorm' ? t.bench.rmsMark : t.bench.meanMark}</em></span
        >
        <span></span>
        <span class="after"
          >${t.bench.after} <em><i class="key limit-key"></i>${t.bench.boundMark}</em></span
        >
        <span></span>
      </div>
      ${row.map((value, feature) => barLine(view, act, feature, value))}
    </div>
    ${row.map((_, feature) => problemText(`x-${feature}`, view.problems.get(`x-${feature}`)))} ${pasteForm(view, act)}
    ${facts(view)}
  </section>`;
}

function barLine(view: LensView, act: LensActions, feature: number, value: number): TemplateResult {
  const name = featureName(feature);
  const { t, grid } = view;
  const id = `x-${feature}`;
  const xHat = view.answer?.xHat[view.place]?.[feature];
  return html`<div class="bar-line">
    <span class="feature" aria-hidden="true">${name}</span>
    <div class="track">
      <svg aria-hidden="true" width="100%" height=${ROW_HEIGHT}>${inputBar(view, feature, value)}</svg>
      <input
        type="range"
        aria-label=${t.bench.slider(name)}
        min=${grid.domain[0]}
        max=${grid.domain[1]}
        step=${sliderStep(grid.domain)}
        .value=${live(String(value))}
        @input=${(event: Event) => act.setValue(feature, Number((event.target as HTMLInputElement).value), true)}
      />
    </div>
    ${numberField({
      id,
      label: t.bench.number(name),
      value,
      problem: view.problems.get(id),
      commit: (next) => act.setValue(feature, next),
      reject: (reason) => act.report(id, view.wrong.number[reason]),
    })}
    <svg class="after" aria-hidden="true" width="100%" height=${ROW_HEIGHT}>
      ${xHat === undefined || !Number.isFinite(xHat) ? nothing : outputBar(view, xHat)}
    </svg>
    <span class="value after">${xHat === undefined ? '' : formatRead(xHat, 4)}</span>
  </div>`;
}

/** μ and σ that this feature is measured against: the row's, or its column's with BatchNorm. */
function inputBar(view: LensView, feature: number, value: number) {
  const { domain } = view.grid;
  const at = view.kind === 'batchnorm' ? feature : view.place;
  const mean = view.answer?.mean[at];
  const rstd = view.answer?.rstd[at];
  const zeroInside = domain[0] <= 0 && domain[1] >= 0;
  const zero: Mark[] = zeroInside ? [{ at: 0, kind: 'zero' }] : [];
  const marks = [...zero];
  if (mean === undefined || rstd === undefined) return svg`${barRow({ value, domain, marks, height: ROW_HEIGHT })}`;
  if (view.kind !== 'rmsnorm') marks.push({ at: mean, kind: 'mean' });
  const sigma = Math.sqrt(Math.max(0, 1 / rstd ** 2 - view.eps));
  if (!Number.isFinite(mean + sigma)) return svg`${barRow({ value, domain, marks: zero, height: ROW_HEIGHT })}`;
  const base = zeroInside ? 0 : mean;
  return barRow({ value, domain, base, band: [mean - sigma, mean + sigma], marks, height: ROW_HEIGHT });
}

function outputBar(view: LensView, value: number) {
  const bound = view.slice?.bound ?? 1;
  const reach = Math.max(bound, 0.5) * 1.1;
  const marks: Mark[] = [
    { at: 0, kind: 'zero' },
    { at: bound, kind: 'limit' },
    { at: -bound, kind: 'limit' },
  ];
  return barRow({ value, domain: [-reach, reach], marks, height: ROW_HEIGHT });
}

function pasteForm(view: LensView, act: LensActions): TemplateResult {
  const { t } = view;
  const row = view.grid.rows[view.grid.selected] ?? [];
  const problem = view.problems.get('paste');
  const submit = (event: Event) => {
    event.preventDefault();
    const field = (event.currentTarget as HTMLFormElement).elements.namedItem('vector') as HTMLTextAreaElement;
    act.applyPaste(field.value);
  };
  const enter = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    act.applyPaste((event.target as HTMLTextAreaElement).value);
  };
  return html`<form class="paste" @submit=${submit}>
      <label for="vector">${t.paste.label}</label>
      <textarea
        id="vector"
        name="vector"
        rows="1"
        spellcheck="false"
        autocomplete="off"
        autocapitalize="off"
        aria-invalid=${problem ? 'true' : nothing}
        aria-describedby=${problem ? 'vector-problem' : nothing}
        .value=${live(view.draft || `[${row.map(editable).join(', ')}]`)}
        @input=${(event: Event) => act.draftPaste((event.target as HTMLTextAreaElement).value)}
        @keydown=${enter}
      ></textarea>
      <button type="submit">${t.paste.apply}</button>
      ${view.touched ? html`<button type="button" class="plain" @click=${() => act.reset()}>${t.bench.reset}</button>` : nothing}
    </form>
    ${problemText('vector', problem)}
    <p class="paste-note" role="status">${view.pasteNote}</p>`;
}

function facts(view: LensView): TemplateResult | typeof nothing {
  const { t, slice } = view;
  if (!slice) return nothing;
  const titled = (text: string) =>
    slice.kind === 'batchnorm' ? t.facts.inColumn(text, featureName(view.feature)) : text;
  const { mean, variance } = moments(slice.xHat);
  const largest = slice.xHat.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  return html`<dl class="facts">
    <div>
      <dt>${titled(t.facts.mean)}</dt>
      <dd>${formatRead(mean, 4)}</dd>
    </div>
    <div>
      <dt>${titled(t.facts.variance)}</dt>
      <dd>${formatRead(variance, 4)}</dd>
    </div>
    <div>
      <dt>${titled(t.facts.largest)}</dt>
      <dd>${formatRead(largest, 4)} <span class="limit">≤ ${boundName(view)} = ${formatRead(slice.bound, 4)}</span></dd>
    </div>
  </dl>`;
}

function boundName(view: LensView): string {
  if (view.kind === 'rmsnorm') return '√d';
  return view.kind === 'layernorm' ? '√(d − 1)' : '√(n − 1)';
}
