import { html, nothing, type TemplateResult } from 'lit';
import type { LabView, Quantity } from './chart-models.js';
import { tableView } from '../table-view.js';
import { bucketEnds } from './decimate.js';
import { boundOf, isBounded, profile } from './profile-models.js';
import { lossText, placeName, runName, valueText } from './wording.js';

/** Rows of the table of curves: enough to follow, few enough to read. */
const MAX_ROWS = 20;

export interface TablesViewRequest {
  view: LabView;
  quantity: Quantity;
  open: boolean;
  onToggle: (open: boolean) => void;
  onDownload: (which: 'curves' | 'profiles') => void;
}

/** The same data as numbers, and as files. The tables are made only while they are open. */
export function tablesView({
  view,
  quantity,
  open,
  onToggle,
  onDownload,
}: TablesViewRequest): TemplateResult | typeof nothing {
  const { data } = view.text;
  if (!view.records.some(({ length }) => length > 0)) return nothing;
  return html`<section class="block data">
    <details @toggle=${(event: Event) => onToggle((event.target as HTMLDetailsElement).open)}>
      <summary>${data.table}</summary>
      ${open ? html`${curvesTable(view)}${profileTable(view, quantity)}` : nothing}
    </details>
    <div class="downloads">
      <button class="small" @click=${() => onDownload('curves')}>${data.downloadCurves}</button>
      <button class="small" @click=${() => onDownload('profiles')}>${data.downloadProfiles}</button>
      <span class="hint">${data.downloadNote}</span>
    </div>
  </section>`;
}

function curvesTable({ text, records }: LabView): TemplateResult {
  const longest = records.reduce((a, b) => (b.length > a.length ? b : a));
  const picked = bucketEnds(longest.length, MAX_ROWS).map((end) => end - 1);
  const names = records.map((record) => runName(text, record, records));
  const heads = [text.charts.step, ...names.flatMap((name) => [text.data.lossOf(name), text.data.maxOf(name)])];
  const rows = picked.map((i) => [
    String(longest.steps[i]),
    ...records.flatMap((record) =>
      i < record.length ? [valueText(text, record.loss[i]!, lossText), valueText(text, record.maxAbs[i]!)] : ['–', '–'],
    ),
  ]);
  return tableView({ caption: text.data.curvesCaption, heads, rows });
}

function profileTable(view: LabView, quantity: Quantity): TemplateResult {
  const { text } = view;
  const columns = view.records.flatMap((record) => {
    const metrics = record.at(view.shownStep);
    if (!metrics) return [];
    const name = runName(text, record, view.records);
    const values = { name, places: profile(record, metrics, quantity) };
    const bound = boundOf(metrics, quantity);
    if (!isBounded(bound)) return [values];
    return [
      values,
      { name: text.charts.boundOf(name), places: values.places.map((place, i) => ({ ...place, value: bound[i]! })) },
    ];
  });
  const places = columns[0]?.places ?? [];
  const rows = places.map(({ name }, i) => [
    placeName(text, name),
    ...columns.map((column) => valueText(text, column.places[i]?.value ?? Number.NaN)),
  ]);
  const step = String(view.records[0]?.at(view.shownStep)?.step ?? 0);
  const caption = text.data.profileCaption(text.charts.quantities[quantity], step);
  return tableView({ caption, heads: [text.data.place, ...columns.map(({ name }) => name)], rows });
}
