import { html, nothing, type TemplateResult } from 'lit';
import { formatRead } from '../../locales/numbers.js';
import type { ActiveRow } from './active-rows.js';
import type { LensActions, LensView } from './model.js';
import { featureName, largestChange } from './slice.js';

/** Input and output side by side; `beside` is what stands next to them where there is room. */
export function grids(view: LensView, act: LensActions, beside: TemplateResult): TemplateResult {
  const { t } = view;
  const width = view.grid.rows[0]?.length ?? 0;
  return html`<section class="grids ${width > 4 ? 'wide' : ''}" aria-label=${`${t.grid.before}, ${t.grid.after}`}>
    <div class="scroll" tabindex="0" role="group" aria-label=${t.grid.before}>${beforeTable(view, act)}</div>
    <span class="arrow" aria-hidden="true">→</span>
    <div class="scroll" tabindex="0" role="group" aria-label=${t.grid.after}>${afterTable(view)}</div>
    <div class="beside">
      <p class="axis-text"><span class="axis-key ${view.kind}" aria-hidden="true"></span>${t.axis[view.kind]}</p>
      ${beside}
    </div>
  </section>`;
}

function beforeTable(view: LensView, act: LensActions): TemplateResult {
  const { t } = view;
  const largest = largestOf(view.active.map((row) => row.values));
  const decimals = decimalsOf(view.active.map((row) => row.values));
  return html`<table class="grid">
    <caption>
      ${t.grid.before}
    </caption>
    <thead>
      <tr>
        <th scope="col"><span class="quiet">${t.grid.token}</span></th>
        ${featureHeads(view, act)}
      </tr>
    </thead>
    <tbody>
      ${view.active.map(
        (row, index) =>
          html`<tr class=${rowClass(view, row, index)}>
            <th scope="row">${row.token < 0 ? t.grid.padding : tokenChoice(view, row, act)}</th>
            ${row.values.map((value, feature) => cell(view, { value, largest, feature, index, decimals }))}
          </tr>`,
      )}
    </tbody>
  </table>`;
}

function tokenChoice(view: LensView, row: ActiveRow, act: LensActions): TemplateResult {
  return html`<label class="token" title=${view.t.grid.lookAt(row.name)}>
    <input
      type="radio"
      name="token"
      aria-label=${view.t.grid.lookAt(row.name)}
      .checked=${row.token === view.grid.selected}
      @change=${() => act.selectToken(row.token)}
    />
    <span>${row.name}</span>
  </label>`;
}

/** With BatchNorm a column is under the lens, so its head can be chosen. */
function featureHeads(view: LensView, act: LensActions): TemplateResult[] {
  return (view.grid.rows[0] ?? []).map((_, feature) => {
    const name = featureName(feature);
    if (view.kind !== 'batchnorm') return html`<th scope="col">${name}</th>`;
    return html`<th scope="col" class=${feature === view.feature ? 'in-column top' : ''}>
      <label class="token" title=${view.t.grid.feature(name)}>
        <input
          type="radio"
          name="feature"
          aria-label=${view.t.grid.feature(name)}
          .checked=${feature === view.feature}
          @change=${() => act.selectFeature(feature)}
        /><span>${name}</span>
      </label>
    </th>`;
  });
}

function afterTable(view: LensView): TemplateResult {
  const { t, answer } = view;
  const judged = view.touched || view.padded || view.alone;
  const largest = answer ? largestOf(answer.y) : 1;
  return html`<table class="grid after">
    <caption>
      ${t.grid.after}
    </caption>
    <thead>
      <tr>
        <th scope="col"><span class="quiet">${t.grid.token}</span></th>
        ${(view.grid.rows[0] ?? []).map(
          (_, feature) =>
            html`<th scope="col" class=${view.kind === 'batchnorm' && feature === view.feature ? 'in-column top' : ''}>
              ${featureName(feature, 'y')}
            </th>`,
        )}
        <th scope="col" class="verdict"><span class="hidden">${t.grid.compared}</span></th>
      </tr>
    </thead>
    <tbody>
      ${view.active.map(
        (row, index) =>
          html`<tr class=${rowClass(view, row, index)}>
            <th scope="row">${row.token < 0 ? t.grid.padding : row.name}</th>
            ${row.values.map((_, feature) => cell(view, { value: answer?.y[index]?.[feature], largest, feature, index, decimals: 2 }))}
            <td class="verdict">${judged ? badge(view, row, index) : nothing}</td>
          </tr>`,
      )}
    </tbody>
  </table>`;
}

function badge(view: LensView, row: ActiveRow, index: number): TemplateResult | typeof nothing {
  const moved = movement(view, row, index);
  if (moved === null) return nothing;
  const { changed, unchanged } = view.t.grid;
  return moved > 0 ? html`<span class="badge moved">${changed}</span>` : html`<span class="badge">${unchanged}</span>`;
}

/** Largest change of a token's output against the untouched grid; null for padding or before the first answer. */
export function movement(view: LensView, row: ActiveRow, index: number): number | null {
  const now = view.answer?.y[index];
  const then = view.reference?.[row.token];
  return now && then ? largestChange(now, then) : null;
}

interface Cell {
  value: number | undefined;
  /** The value that gets the full colour. */
  largest: number;
  feature: number;
  index: number;
  decimals: number;
}

function cell(view: LensView, { value, largest, feature, index, decimals }: Cell): TemplateResult {
  const inColumn = view.kind === 'batchnorm' && feature === view.feature;
  const bottom = inColumn && index === view.active.length - 1;
  const heat = value === undefined || !Number.isFinite(value) ? 0 : Math.min(1, Math.abs(value) / largest);
  const tone = (value ?? 0) < 0 ? 'negative' : 'positive';
  return html`<td
    class="${tone} ${inColumn ? 'in-column' : ''} ${bottom ? 'bottom' : ''}"
    .style=${`--heat: ${(heat * 42).toFixed(1)}%`}
  >
    ${value === undefined ? '·' : formatRead(value, decimals)}
  </td>`;
}

/** As many digits after the point as the longest value has, at most 3; large values show as powers of ten. */
function decimalsOf(rows: readonly (readonly number[])[]): number {
  const digits = (value: number) => String(Number(value.toFixed(3))).split('.')[1]?.length ?? 0;
  return Math.max(
    0,
    ...rows
      .flat()
      .filter((value) => Math.abs(value) < 1e6)
      .map(digits),
  );
}

function rowClass(view: LensView, row: ActiveRow, index: number): string {
  const classes = [row.token < 0 ? 'padding' : ''];
  if (index === view.place) classes.push(view.kind === 'batchnorm' ? 'picked' : 'picked in-row');
  return classes.join(' ');
}

function largestOf(rows: readonly (readonly number[])[]): number {
  return rows
    .flat()
    .reduce((largest, value) => (Number.isFinite(value) ? Math.max(largest, Math.abs(value)) : largest), 1e-9);
}
