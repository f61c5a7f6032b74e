/** Lines of records: the same bytes there and back, torn ends, merging; verdicts and summaries of made-up runs. */
import {
  checkRecipe,
  type Expectation,
  type ExperimentRecord,
  mergeRecords,
  parseRecords,
  recordLine,
  summarize,
  type Verdict,
  wilson,
} from 'normscope';
import { describe, expect, it } from 'vitest';
import { fnv1a64, identifyData } from '../../wasm/experiments/identity.js';
import { judge, SpikeWatch } from '../../wasm/experiments/judge.js';

const record = (more: Partial<ExperimentRecord> = {}): ExperimentRecord => ({
  index: 0,
  cell: { placement: 'pre-ln', seed: 1 },
  spec: { placement: 'pre-ln', learning_rate: 0.1, d_model: 32, seed: 1 },
  data: { kind: 'markov', nSymbol: 32, seed: 7 },
  steps: 400,
  evaluation: null,
  version: '0.1.0',
  backend: 'wasm',
  verdict: 'converged',
  reasons: [{ code: 'below-unigram', value: 1.5, limit: 3.19 }],
  step: 400,
  firstLoss: 3.9,
  finalLoss: 1.5,
  bestLoss: 1.4,
  bestStep: 390,
  unigramLoss: 3.19,
  lrTimesWidth: 3.2,
  nParameter: 1000,
  maxAbs: 300,
  passedHalfRange: null,
  stream: { meanAbs: 1, entryVariance: 2, dataVariance: 3, maxAbs: 4 },
  heldOut: null,
  curve: null,
  ...more,
});
const atSeed = (seed: number, more: Partial<ExperimentRecord> = {}): ExperimentRecord => {
  const made = record({ index: seed - 1, cell: { placement: 'pre-ln', seed }, ...more });
  return { ...made, spec: { ...made.spec, seed } };
};

describe('a line of a record', () => {
  it('gives back the record, with the numbers that JSON lacks', () => {
    const wild = record({ finalLoss: NaN, maxAbs: Infinity, firstLoss: -Infinity, curve: [1, NaN] });
    const line = recordLine(wild);
    expect(parseRecords(line)).toEqual([wild]);
    expect(recordLine(parseRecords(line)[0]!)).toBe(line);
  });

  it('has its keys in one order, whoever made the object', () => {
    const turned = Object.fromEntries(Object.entries(record()).reverse()) as unknown as ExperimentRecord;
    expect(recordLine(turned)).toBe(recordLine(record()));
  });

  it('leaves a text that spells a number a text', () => {
    const [reason] = parseRecords(recordLine(record({ reasons: [{ code: 'error', message: 'NaN' }] })))[0]!.reasons;
    expect(reason!.message).toBe('NaN');
    const cell = { normKind: 'constructor' };
    expect(parseRecords(recordLine(record({ cell })))[0]!.cell).toEqual(cell);
  });
});

describe('a file of records', () => {
  const [first, second] = [recordLine(atSeed(1)), recordLine(atSeed(2))];

  it('loses a torn last line and nothing else, wherever it was torn', () => {
    for (let length = 0; length < second.length - 1; length += 7)
      expect(parseRecords(first + second.slice(0, length)).map(({ index }) => index)).toEqual([0]);
    expect(parseRecords(first + second.slice(0, -1)).length).toBe(2);
  });

  it('may come from Windows: lines that end in CR LF, a byte order mark', () => {
    const windows = `\uFEFF${(first + second).replaceAll('\n', '\r\n')}`;
    expect(parseRecords(windows)).toEqual(parseRecords(first + second));
  });

  it('that is corrupt in the middle is refused with the line', () => {
    const torn = first + second.slice(0, 50) + '\n' + second;
    expect(() => parseRecords(torn)).toThrow(/^line 2 is not a record \(no JSON\): \{"index":1/);
    expect(() => parseRecords('{"index":1}\n' + first)).toThrow(/^line 1 .*lacks 'cell'/);
    expect(() => parseRecords('7\n')).toThrow(/no object/);
  });

  it('merges with others in grid order, a repeated cell once', () => {
    const third = recordLine(atSeed(3));
    expect(mergeRecords([third + first, second])).toBe(first + second + third);
    const rerun = recordLine(atSeed(2, { verdict: 'stalled' }));
    expect(mergeRecords([first + second, rerun + second.slice(0, 40)])).toBe(first + rerun);
  });

  it('does not merge with one of another sweep', () => {
    const other = atSeed(2);
    const strange = recordLine({ ...other, spec: { ...other.spec, learning_rate: 0.2 } });
    expect(() => mergeRecords([second, strange])).toThrow(/index 1.*learning_rate 0\.1 and 0\.2/);
    expect(() => mergeRecords([second, recordLine({ ...other, steps: 2 })])).toThrow(/steps 400 and 2/);
  });
});

describe('the identity of a text', () => {
  it('is its hash, length and kind, not its content', () => {
    const text = '층 정규화'.repeat(1000);
    const identity = identifyData({ kind: 'text', text });
    expect(identity).toEqual({ kind: 'text', jamo: true, length: 5000, hash: fnv1a64(text) });
    expect(identifyData({ kind: 'text', text: text + ' ' })).not.toEqual(identity);
  });

  it('is FNV-1a with 64 bits, as published', () => {
    expect(fnv1a64('')).toBe('cbf29ce484222325');
    expect(fnv1a64('a')).toBe('af63dc4c8601ec8c');
    expect(fnv1a64('foobar')).toBe('85944171f73967e8');
  });
});

describe('the verdict of a run', () => {
  const ended = (more: Partial<Verdict>): Verdict => ({
    ...{ code: 'finished', step: 400, finalLoss: 1.5, bestLoss: 1.4, bestStep: 390, passedHalfRange: null, maxAbs: 9 },
    ...more,
  });
  const named = (more: Partial<Verdict>): string => judge(ended(more), 3.19, null).verdict;

  it('is stalled from 0.1 under the unigram entropy upwards, and then says which side', () => {
    expect(named({ finalLoss: 3.08 })).toBe('converged');
    expect(named({ finalLoss: 3.1 })).toBe('stalled');
    expect(named({ finalLoss: NaN })).toBe('stalled');
    expect(judge(ended({ finalLoss: 3.2 }), 3.19, null).reasons).toEqual([
      { code: 'at-unigram', value: 3.2, limit: 3.19 },
    ]);
    expect(judge(ended({ finalLoss: 9 }), 3.19, null).reasons[0]!.code).toBe('above-unigram');
  });

  it('names the first thing that went wrong, with its numbers', () => {
    const overflow = ended({ code: 'overflow', step: 134, where: 'blocks.0.resid_mid', quantity: 'max|x|', channel: 3, value: Infinity }); // prettier-ignore
    expect(judge(overflow, 3.19, null)).toEqual({
      verdict: 'overflow',
      reasons: [{ code: 'left-format-range', step: 134, where: 'blocks.0.resid_mid', quantity: 'max|x|', channel: 3, value: Infinity }], // prettier-ignore
    });
    expect(named({ code: 'non-finite' })).toBe('non-finite');
    expect(judge(ended({ code: 'failed', error: { code: 'bad-spec', message: 'no' } }), 3.19, null).reasons).toEqual([
      { code: 'error', where: 'bad-spec', message: 'no' },
    ]);
  });

  it('tells of a stream that fp16 could not have held', () => {
    expect(judge(ended({ passedHalfRange: 150 }), 3.19, null).reasons).toEqual([
      { code: 'below-unigram', value: 1.5, limit: 3.19 },
      { code: 'passed-half-range', step: 150 },
    ]);
  });

  const watch = (losses: number[]): ReturnType<typeof judge> => {
    const spike = new SpikeWatch(3);
    losses.forEach((loss, i) => spike.take(i + 1, loss));
    return judge(ended({ finalLoss: losses.at(-1)! }), 3, spike.reason);
  };
  const level = (loss: number, n = 30): number[] => new Array<number>(n).fill(loss);

  it('is spike when more than half of what was learned was lost, also when it came back', () => {
    // Learned 3 − 1 = 2 nats; 1 nat may be lost.
    expect(watch([...level(1), ...level(1.9), ...level(1)]).verdict).toBe('converged');
    const back = watch([...level(1), ...level(2.1), ...level(1)]);
    expect(back.verdict).toBe('spike');
    expect(back.reasons).toEqual([{ code: 'spike-recovered', step: 40, value: expect.closeTo(1.1, 9), limit: 1 }]);
    expect(watch([...level(1), ...level(2.1)]).reasons[0]!.code).toBe('spike-at-end');
  });

  it('is not spike for one bad batch, nor for a loss that rises before anything was learned', () => {
    expect(watch([...level(1), 9, ...level(1)]).verdict).toBe('converged');
    expect(watch([...level(5), ...level(9), ...level(1)]).verdict).toBe('converged');
    expect(watch([...level(2.9), ...level(3.15), ...level(2)]).verdict).toBe('converged');
  });

  it('is stalled with a spike beside it when what was learned is gone', () => {
    const gone = watch([...level(1), ...level(3)]);
    expect(gone.verdict).toBe('stalled');
    expect(gone.reasons.map(({ code }) => code)).toEqual(['at-unigram', 'spike-at-end']);
  });
});

describe('a summary', () => {
  it('gives shares with the interval of Wilson', () => {
    // Worked out: (p + z²/2n ± z √(p(1−p)/n + z²/4n²)) / (1 + z²/n), z = 1.96.
    expect(wilson(3, 5)).toEqual({ n: 3, of: 5, share: 0.6, low: expect.closeTo(0.23072, 4), high: expect.closeTo(0.88238, 4) }); // prettier-ignore
    expect(wilson(0, 5)).toMatchObject({ share: 0, low: 0, high: expect.closeTo(0.43449, 4) });
    expect(wilson(5, 5)).toMatchObject({ share: 1, low: expect.closeTo(0.56551, 4), high: 1 });
    expect(wilson(0, 0)).toEqual({ n: 0, of: 0, share: NaN, low: 0, high: 1 });
  });

  it('counts divergences of a cell over its seeds and leaves failed runs out', () => {
    const { cells } = summarize([
      atSeed(1, { verdict: 'overflow', finalLoss: 2.5 }),
      atSeed(2, { verdict: 'stalled', finalLoss: 3.2, reasons: [{ code: 'at-unigram' }, { code: 'spike-at-end' }] }),
      atSeed(3, { verdict: 'stalled', finalLoss: 3.2 }),
      atSeed(4, { verdict: 'spike', reasons: [{ code: 'spike-recovered' }] }),
      atSeed(5, { verdict: 'failed' }),
    ]);
    expect(cells.length).toBe(1);
    expect(cells[0]).toMatchObject({
      ...{ cell: { placement: 'pre-ln' }, index: 0, seeds: [1, 2, 3, 4, 5], learningRate: 0.1, lrTimesWidth: 3.2 },
      ...{
        diverged: { n: 2, of: 4 },
        unsuccessful: { n: 3, of: 4 },
        overflow: { n: 1, of: 4 },
        stalled: { n: 2, of: 4 },
      },
      verdicts: { overflow: 1, stalled: 2, spike: 1, failed: 1, converged: 0 },
      finalLoss: { n: 2, mean: expect.closeTo(2.35, 9), std: expect.closeTo(1.2021, 4), least: 1.5, most: 3.2 },
    });
  });

  it('gives the sensitivity to the rate as Wortsman et al. define it', () => {
    const at = (rate: number, finalLoss: number, more: Partial<ExperimentRecord> = {}): ExperimentRecord => {
      const made = record({ cell: { placement: 'pre-ln', learningRate: rate }, finalLoss, firstLoss: 4, ...more });
      return { ...made, spec: { ...made.spec, learning_rate: rate } };
    };
    const { sensitivities } = summarize([at(0.3, 9), at(0.01, 1.5), at(0.1, 2), at(1, 1.2, { verdict: 'overflow' })]);
    // Losses 1.5, 2, then 4 and 4: neither a loss above the first nor a diverged run counts for more than ℓ₀ = 4.
    expect(sensitivities).toEqual([
      expect.objectContaining({
        ...{ cell: { placement: 'pre-ln' }, learningRate: [0.01, 0.1, 0.3, 1], loss: [1.5, 2, 4, 4] },
        ...{ sensitivity: (0 + 0.5 + 2.5 + 2.5) / 4, bestLearningRate: 0.01 },
      }),
    ]);
    expect(summarize([at(0.1, 2)]).sensitivities).toEqual([]);
  });
});

describe('what a recipe expects', () => {
  const at = (placement: string, rate: number, finalLoss: number, heldOut: number): ExperimentRecord =>
    record({
      cell: { placement, learningRate: rate },
      spec: { placement, learning_rate: rate },
      finalLoss,
      heldOut: { loss: heldOut } as ExperimentRecord['heldOut'],
    });
  const records = [at('pre-ln', 0.01, 2, 2.5), at('pre-ln', 0.1, 3, 2.4), at('peri-ln', 0.01, 2.2, 2.7), at('peri-ln', 0.1, 1.5, 1.8)]; // prettier-ignore
  const [pre, peri] = [{ placement: 'pre-ln' }, { placement: 'peri-ln' }];
  const measured = (expectation: Omit<Expectation, 'code'>): number =>
    checkRecipe({ expected: [{ code: 'claim', ...expectation }] }, records)[0]!.measured;

  it('is divided by what other cells have, or lessened by it', () => {
    const cells = { ...peri, learningRate: 0.1 };
    const than = { ...pre, learningRate: 0.1 };
    expect(measured({ cells, measure: 'mean-final-loss', over: than })).toBe(0.5);
    expect(measured({ cells, measure: 'mean-final-loss', minus: than })).toBe(-1.5);
    expect(measured({ cells, measure: 'mean-held-out-loss', minus: than })).toBeCloseTo(-0.6, 12);
  });

  it('is held out where training went best, though another rate may do better there by chance', () => {
    expect(measured({ cells: pre, measure: 'best-rate-held-out-loss' })).toBe(2.5);
    expect(measured({ cells: peri, measure: 'best-rate-held-out-loss', minus: pre })).toBeCloseTo(1.8 - 2.5, 12);
  });

  it('is not met where nothing was held out', () => {
    const unmeasured = records.map((each) => ({ ...each, heldOut: null }));
    const expected: Expectation[] = [{ code: 'claim', cells: pre, measure: 'best-rate-held-out-loss' }];
    expect(checkRecipe({ expected }, unmeasured)[0]).toMatchObject({ measured: NaN, holds: false });
  });
});
