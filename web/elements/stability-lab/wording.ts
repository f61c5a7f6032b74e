/** From codes and numbers to words, by the messages of one language. */
import type { Verdict } from 'normscope';
import type { LabMessages } from '../../locales/lab.js';
import { formatCompact } from '../../locales/numbers.js';
import type { LabView } from './chart-models.js';
import type { RunRecord } from './metric-store.js';
import { residualPoint } from '../residual-points.js';

export function placementName(text: LabMessages, { placement }: Pick<RunRecord, 'placement'>): string {
  return (text.placements as Record<string, string>)[placement] ?? placement;
}

/** The placement, with the seed where several runs share the placement. */
export function runName(text: LabMessages, record: RunRecord, all: readonly RunRecord[]): string {
  const name = placementName(text, record);
  const several = all.some((other) => other !== record && other.placement === record.placement);
  return several ? text.seeds.runOf(name, String(record.seed)) : name;
}

/** 'blocks.3.resid_mid' → "layer 4, after attention"; names it does not know stay as they are. */
export function placeName(text: LabMessages, where: string): string {
  if (where === 'loss') return text.places.loss;
  // Groups outside the blocks, where only a gradient can end a run, have no layer to name.
  if (['gradient', 'head', 'embedding'].includes(where)) return text.places.gradient;
  const point = residualPoint(where);
  if (point.kind === 'embedding') return text.places.embedding;
  if (point.kind === 'other') return where;
  return text.places[point.kind](String(point.block));
}

/** Where and in which channel a run ended, or '–'. */
export function endPlace(text: LabMessages, verdict: Verdict | null): string {
  if (!verdict?.where || (verdict.code !== 'overflow' && verdict.code !== 'non-finite')) return '–';
  const place = placeName(text, verdict.where);
  const known = verdict.channel !== undefined && verdict.channel >= 0;
  return known ? `${place}, ${text.verdicts.channel(String(verdict.channel))}` : place;
}

/** A value in the given form, NaN in words. */
export function valueText(text: LabMessages, value: number, form: (value: number) => string = sizeText): string {
  return Number.isNaN(value) ? text.charts.notFinite : form(value);
}

/** Losses and the like: 3 decimals; everything else in 3 significant digits. */
export function lossText(value: number): string {
  return Number.isFinite(value) && Math.abs(value) < 1000 ? value.toFixed(3) : sizeText(value);
}
export function sizeText(value: number): string {
  if (Math.abs(value) === Infinity) return value > 0 ? '∞' : '−∞';
  return formatCompact(value, 3);
}

export function durationText(text: LabMessages, seconds: number): string {
  const whole = Math.max(1, Math.ceil(seconds));
  if (whole < 90) return text.transport.seconds(String(whole));
  return text.transport.minutes(String(Math.floor(whole / 60)), String(whole % 60));
}

/** How the runs stand, for the ear: step, then loss and size of one run per placement. */
export function progressWords({ text, records, totalSteps }: LabView, stepsDone: number): string {
  const first = records.filter((record, i) => records.findIndex((other) => other.placement === record.placement) === i);
  const values = first.map((record) =>
    text.announce.value(
      placementName(text, record),
      valueText(text, record.smoothLoss.at(-1) ?? Number.NaN, lossText),
      valueText(text, record.maxAbs.at(-1) ?? Number.NaN),
    ),
  );
  return text.announce.progress(String(stepsDone), String(totalSteps), values.join(' '));
}
