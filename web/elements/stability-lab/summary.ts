/** What a finished experiment showed, in sentences. Each follows from numbers of this run, never from expectation. */
import type { Verdict } from 'normscope';
import type { LabMessages } from '../../locales/lab.js';
import type { RunRecord } from './metric-store.js';
import { largest } from './metric-store.js';
import { endPlace, lossText, placementName, sizeText } from './wording.js';

/** Loss within this of the unigram entropy: only frequencies were learned. */
const UNIGRAM_MARGIN = 0.1;
/** Losses closer than this count as alike, maxima within this factor as of one size. */
const ALIKE_LOSS = 0.15;
const ALIKE_FACTOR = 5;
/** A loss this much above the best of the others: the run learned badly. */
const BEHIND = 0.25;

export interface Outcome {
  record: RunRecord;
  verdict: Verdict;
}

export function summarize(text: LabMessages, outcomes: readonly Outcome[]): string[] {
  const quiet = outcomes.filter((outcome) => survived(outcome, outcomes));
  const many = quiet.length > MANY;
  const told = many ? outcomes.filter((outcome) => !quiet.includes(outcome)) : outcomes;
  const joined = many ? [text.seeds.survivedSome(String(quiet.length), sizeText(Math.max(...quiet.map(peak))))] : [];
  return [...told.flatMap((outcome) => one(text, outcome, outcomes)), ...joined, ...compare(text, outcomes)];
}

/** More runs than this of which the same is to be said share one sentence. */
const MANY = 3;

/** Finished, learned, never left fp16's range – which is worth a word where another run did. */
function survived({ record, verdict }: Outcome, all: readonly Outcome[]): boolean {
  const passed = verdict.passedHalfRange ?? record.passedHalfRange;
  const contrast = all.some((other) => other.verdict.code === 'overflow' || other.record.passedHalfRange !== null);
  return verdict.code === 'finished' && passed === null && !onlyFrequencies(record, verdict) && contrast;
}

function onlyFrequencies(record: RunRecord, { finalLoss }: Verdict): boolean {
  return canLearn(record) && finalLoss > record.info.dataset.unigramLoss - UNIGRAM_MARGIN && record.length >= 200;
}

export function peak({ record }: Pick<Outcome, 'record'>): number {
  return largest(record.maxAbs.filter(Number.isFinite));
}

function one(text: LabMessages, outcome: Outcome, all: readonly Outcome[]): string[] {
  const { record, verdict } = outcome;
  const name = placementName(text, record);
  const say = text.summary;
  const step = String(verdict.step);
  if (verdict.code === 'overflow') return [say.overflow(name, verdict.format ?? 'fp16', step, endPlace(text, verdict))];
  if (verdict.code === 'non-finite') return [say.nonFinite(name, step, endPlace(text, verdict))];
  if (verdict.code !== 'finished') return [];
  const passed = verdict.passedHalfRange ?? record.passedHalfRange;
  const behind = all.some((other) => other.verdict.finalLoss < verdict.finalLoss - BEHIND);
  if (passed !== null) return [behind ? say.stalled(name, String(passed)) : say.passedOnly(name, String(passed))];
  if (onlyFrequencies(record, verdict)) return [say.failedToLearn(name)];
  return survived(outcome, all) ? [say.survived(name, sizeText(peak(outcome)))] : [];
}

/** A net without blocks, or a text of one symbol, shows nothing about placements. */
function canLearn({ info }: RunRecord): boolean {
  return Number(info.spec['n_layer']) > 0 && info.dataset.uniformLoss > 0;
}

function compare(text: LabMessages, outcomes: readonly Outcome[]): string[] {
  const pre = outcomes.find(({ record }) => record.placement === 'pre-ln');
  const peri = outcomes.find(({ record }) => record.placement === 'peri-ln');
  if (!pre || !peri || pre.record.length === 0 || peri.record.length === 0) return [];
  const names = [placementName(text, pre.record), placementName(text, peri.record)] as const;
  const ratio = peak(pre) / peak(peri);
  if (ratio >= ALIKE_FACTOR) return [text.summary.ratio(...names, sizeText(Number(ratio.toPrecision(2))))];
  const finished = pre.verdict.code === 'finished' && peri.verdict.code === 'finished';
  const gap = Math.abs(pre.verdict.finalLoss - peri.verdict.finalLoss);
  if (!finished || !(gap < ALIKE_LOSS) || !canLearn(pre.record) || !canLearn(peri.record)) return [];
  return [text.summary.alike(...names, lossText(pre.verdict.finalLoss), lossText(peri.verdict.finalLoss))];
}
