import { html, type TemplateResult } from 'lit';
import type { LabMessages } from '../../locales/lab.js';
import type { LabView } from './chart-models.js';
import { dated, figure, type Reading } from './figure-view.js';
import type { RunRecord } from './metric-store.js';
import { median } from '../median.js';
import { groupRuns, hasDiverged, type RunGroup } from './run-groups.js';
import { lossText, valueText } from './wording.js';

/** Loss and max |x| over the steps; `hover` is the step under the pointer. */
export function curvesView(view: LabView, hover: number | null): TemplateResult {
  const { text, records } = view;
  const step = hover ?? Math.max(0, ...records.map((record) => record.steps.at(-1) ?? 0));
  const groups = groupRuns(records, view.verdicts);
  const read = (pick: (record: RunRecord, index: number) => number, form?: (value: number) => string): Reading[] =>
    groups.flatMap((group) => {
      const value = readGroup(text, group, step, pick, form);
      return value === null ? [] : [{ placement: group.placement, value }];
    });
  const when = text.charts.at(String(step));
  const losses = read((record, i) => record.smoothLoss[i]!, lossText);
  const maxima = read((record, i) => record.maxAbs[i]!);
  const seeds = groups.some((group) => group.records.length > 1) ? ` ${text.seeds.note}` : '';
  const xName = text.charts.step;
  return html`<div class="pair">
    ${figure({ view, chart: 'loss', title: text.charts.loss, note: text.charts.lossNote + seeds, readings: losses, when, xName })}
    ${figure({ view, chart: 'max-abs', title: text.charts.maxAbs, note: text.charts.maxAbsNote + seeds, readings: maxima, when, xName })}
  </div>`;
}

/** A placement's value at a step, in words: of its one run, or the median of its seeds; null before the first step. */
function readGroup(
  text: LabMessages,
  { records, verdicts }: RunGroup,
  step: number,
  pick: (record: RunRecord, index: number) => number,
  form?: (value: number) => string,
): string | null {
  const [first, ...others] = records;
  if (!first || records.every(({ length }) => length === 0)) return null;
  const index = first.steps.findLastIndex((each) => each <= step);
  if (!others.length)
    return index < 0 ? '–' : dated(text, valueText(text, pick(first, index), form), first.steps[index]!, step);
  const values = records.map((record, k) => {
    const at = record.steps.findLastIndex((each) => each <= step);
    const lost = hasDiverged(verdicts[k]) && (record.steps[at] ?? 0) < step;
    return at < 0 ? Number.NaN : lost ? Infinity : pick(record, at);
  });
  const middle = median(values);
  return middle === Infinity ? text.seeds.mostLost : valueText(text, middle, form);
}
