/** What several seeds showed, in sentences: counts and medians, never an expectation. */
import type { LabMessages } from '../../locales/lab.js';
import { median } from '../median.js';
import { hasDiverged, type RunGroup } from './run-groups.js';
import { peak } from './summary.js';
import { lossText, placementName, sizeText } from './wording.js';

/** Maxima whose medians differ by less than this are not compared. */
const CLEAR_FACTOR = 5;

export function summarizeSeeds(text: LabMessages, groups: readonly RunGroup[]): string[] {
  return [...groups.map((group) => oneGroup(text, group)), ...compareGroups(text, groups)];
}

function oneGroup(text: LabMessages, group: RunGroup): string {
  const { verdicts, records } = group;
  const name = placementName(text, group);
  const steps = verdicts.flatMap((verdict) => (verdict && hasDiverged(verdict) ? [verdict.step] : []));
  const total = String(records.length);
  if (steps.length)
    return text.seeds.lostSome(
      name,
      String(steps.length),
      total,
      String(Math.min(...steps)),
      String(Math.max(...steps)),
    );
  const losses = verdicts.map((verdict) => verdict?.finalLoss ?? Number.NaN);
  return text.seeds.finished(
    name,
    total,
    lossText(median(losses)),
    lossText(Math.min(...losses)),
    lossText(Math.max(...losses)),
  );
}

/** The largest and the smallest median of the largest hidden value, where they differ clearly. */
function compareGroups(text: LabMessages, groups: readonly RunGroup[]): string[] {
  const peaks = groups.map((group) => ({ group, value: median(group.records.map((record) => peak({ record }))) }));
  const sorted = peaks.filter(({ value }) => Number.isFinite(value)).sort((a, b) => a.value - b.value);
  const [low, high] = [sorted[0], sorted.at(-1)];
  if (!low || !high || !(high.value / low.value >= CLEAR_FACTOR)) return [];
  const ratio = sizeText(Number((high.value / low.value).toPrecision(2)));
  return [text.seeds.ratio(placementName(text, high.group), placementName(text, low.group), ratio)];
}
