/** How near a written text comes to the one that was expected: ROUGE, and greedy matching of embeddings. */
import type { OverlapScore, RougeScores } from './types.js';

/** A side without units gets 0, and so does F1 where nothing matches. */
function score(precision: number, recall: number): OverlapScore {
  const [p, r] = [precision || 0, recall || 0];
  return { precision: p, recall: r, f1: p > 0 && r > 0 ? (2 * p * r) / (p + r) : 0 };
}

function counts(grams: readonly string[]): Map<string, number> {
  const count = new Map<string, number>();
  for (const gram of grams) count.set(gram, (count.get(gram) ?? 0) + 1);
  return count;
}

/** Runs of n units; the separator cannot occur in a unit. */
const nGrams = (units: readonly string[], n: number): string[] =>
  units.slice(n - 1).map((_, i) => units.slice(i, i + n).join('\u0000'));

/** An n-gram of the text counts as often as the reference has it. */
function rougeN(text: readonly string[], reference: readonly string[], n: number): OverlapScore {
  const [mine, theirs] = [nGrams(text, n), nGrams(reference, n)];
  const known = counts(theirs);
  let matched = 0;
  for (const [gram, count] of counts(mine)) matched += Math.min(count, known.get(gram) ?? 0);
  return score(matched / mine.length, matched / theirs.length);
}

function longestCommonSubsequence(a: readonly string[], b: readonly string[]): number {
  let row = new Array<number>(b.length + 1).fill(0);
  for (const unit of a) {
    const next = [0];
    b.forEach((other, j) => next.push(unit === other ? row[j]! + 1 : Math.max(row[j + 1]!, next[j]!)));
    row = next;
  }
  return row[b.length]!;
}

function rougeL(text: readonly string[], reference: readonly string[]): OverlapScore {
  const common = longestCommonSubsequence(text, reference);
  return score(common / text.length, common / reference.length);
}

/**
 * ROUGE-1, ROUGE-2 and ROUGE-L (Lin 2004) of a text against one reference, both as units: words or tokens. No stemming,
 * no stop words. 0 where a side has no unit (for ROUGE-2: fewer than two).
 */
export function rougeScores(text: readonly string[], reference: readonly string[]): RougeScores {
  return {
    rouge1: rougeN(text, reference, 1),
    rouge2: rougeN(text, reference, 2),
    rougeL: rougeL(text, reference),
  };
}

/** The words of a text: what stands between white space, in Unicode's composed form. */
export const wordsOf = (text: string): string[] => text.normalize('NFC').split(/\s+/).filter(Boolean);

/**
 * Matches every token of the text with the token of the reference that is nearest by cosine, and the other way round, as
 * BERTScore does, but on one table of embeddings [n, d] without context. 0 where a side is empty.
 */
export function embeddingSimilarity(
  text: readonly number[],
  reference: readonly number[],
  table: Float32Array,
  d: number,
): OverlapScore {
  const units = new Map<number, number[]>();
  for (const token of [...text, ...reference])
    if (!units.has(token)) units.set(token, unitVector(table.subarray(token * d, (token + 1) * d)));
  const nearest = (token: number, others: readonly number[]): number =>
    Math.max(...others.map((other) => cosine(units.get(token)!, units.get(other)!)));
  const meanNearest = (tokens: readonly number[], others: readonly number[]): number =>
    others.length === 0 ? NaN : mean(tokens.map((token) => nearest(token, others)));
  return score(meanNearest(text, reference), meanNearest(reference, text));
}

/** A vector of zeros stays one: it is near to nothing. */
function unitVector(row: Float32Array): number[] {
  const length = Math.sqrt(row.reduce((sum, value) => sum + value * value, 0));
  return Array.from(row, (value) => (length > 0 ? value / length : 0));
}

/** Of unit vectors; rounding does not take it out of [-1, 1]. */
const cosine = (a: readonly number[], b: readonly number[]): number =>
  a === b ? Math.sign(a.reduce((sum, value) => sum + value * value, 0)) : Math.max(-1, Math.min(1, dot(a, b)));
const dot = (a: readonly number[], b: readonly number[]): number => a.reduce((sum, value, i) => sum + value * b[i]!, 0);
const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;

/** Means of scores of the same kind, field by field. */
export function meanScore(scores: readonly OverlapScore[]): OverlapScore {
  const average = (key: keyof OverlapScore): number => mean(scores.map((each) => each[key]));
  return { precision: average('precision'), recall: average('recall'), f1: average('f1') };
}

export function meanRouge(scores: readonly RougeScores[]): RougeScores {
  const average = (key: keyof RougeScores): OverlapScore => meanScore(scores.map((each) => each[key]));
  return { rouge1: average('rouge1'), rouge2: average('rouge2'), rougeL: average('rougeL') };
}
