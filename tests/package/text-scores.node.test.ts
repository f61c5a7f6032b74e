/** ROUGE and the embedding score against numbers worked out by hand. */
import { embeddingSimilarity, rougeScores } from 'normscope';
import { describe, expect, it } from 'vitest';
import { meanRouge, wordsOf } from '../../wasm/runtime/text-scores.js';

const words = (text: string): string[] => text.split(' ');
const equal = { precision: 1, recall: 1, f1: 1 };
const nothing = { precision: 0, recall: 0, f1: 0 };

describe('ROUGE', () => {
  it('of a text with itself is 1', () => {
    const text = words('the norm of the branch');
    expect(rougeScores(text, text)).toEqual({ rouge1: equal, rouge2: equal, rougeL: equal });
  });

  it('of texts without a common word is 0', () => {
    expect(rougeScores(words('a b c'), words('d e f'))).toEqual({ rouge1: nothing, rouge2: nothing, rougeL: nothing });
  });

  it('of a worked example is as worked out', () => {
    // Reference of 6 words; the text has 5 of them, 3 of its 5 pairs, and 5 in order.
    const scores = rougeScores(words('the cat on the big mat'), words('the cat sat on the mat'));
    expect(scores.rouge1).toEqual({ precision: 5 / 6, recall: 5 / 6, f1: 5 / 6 });
    expect(scores.rouge2.f1).toBeCloseTo(2 / 5, 12); // "the cat" and "on the"
    expect(scores.rougeL.f1).toBeCloseTo(5 / 6, 12); // the cat on the mat
  });

  it('counts a word no more often than the reference has it', () => {
    const { rouge1 } = rougeScores(words('the the the the'), words('the cat'));
    expect(rouge1).toEqual({ precision: 1 / 4, recall: 1 / 2, f1: 1 / 3 });
  });

  it('tells order by its L and its pairs only', () => {
    const scores = rougeScores(words('c b a'), words('a b c'));
    expect(scores.rouge1).toEqual(equal);
    expect(scores.rouge2).toEqual(nothing);
    expect(scores.rougeL.f1).toBeCloseTo(1 / 3, 12);
  });

  it('is 0 where a side is empty, and no pair is made of one word', () => {
    expect(rougeScores([], words('a'))).toEqual({ rouge1: nothing, rouge2: nothing, rougeL: nothing });
    expect(rougeScores(['a'], ['a']).rouge2).toEqual(nothing);
    expect(rougeScores(['a', 'b'], ['a\u0000b']).rouge1).toEqual(nothing);
  });

  it('averages over samples field by field', () => {
    const mean = meanRouge([rougeScores(['a'], ['a']), rougeScores(['a'], ['b'])]);
    expect(mean.rouge1).toEqual({ precision: 0.5, recall: 0.5, f1: 0.5 });
  });

  it('takes the same Korean word in either Unicode form for one word', () => {
    expect(wordsOf('층 정규화\n'.normalize('NFD'))).toEqual(['층', '정규화']);
  });
});

describe('the embedding score', () => {
  /** Tokens 0 and 1 at a right angle, 2 between them, 3 against 0, 4 without direction. */
  const table = Float32Array.of(...[2, 0], ...[0, 5], ...[1, 1], ...[-1, 0], ...[0, 0]);
  const similarity = (text: number[], reference: number[]): ReturnType<typeof embeddingSimilarity> =>
    embeddingSimilarity(text, reference, table, 2);

  it('of a text with itself is 1', () => {
    expect(similarity([0, 1, 2], [0, 1, 2])).toEqual(equal);
    expect(similarity([2, 1, 0, 0], [0, 1, 2])).toEqual(equal);
  });

  it('of embeddings at right angles is 0, of opposite ones too', () => {
    expect(similarity([0, 0], [1])).toEqual(nothing);
    expect(similarity([0], [3])).toMatchObject({ precision: -1, f1: 0 });
  });

  it('of a worked example is as worked out', () => {
    // 0 meets itself, 2 meets 0 at 45°; of the reference 0 meets itself.
    const { precision, recall, f1 } = similarity([0, 2], [0]);
    expect(precision).toBeCloseTo((1 + Math.SQRT1_2) / 2, 7);
    expect(recall).toBe(1);
    expect(f1).toBeCloseTo((2 * precision) / (precision + 1), 12);
  });

  it('finds nothing near a token without direction, or in an empty text', () => {
    expect(similarity([4], [4])).toEqual(nothing);
    expect(similarity([], [0])).toEqual(nothing);
  });
});
