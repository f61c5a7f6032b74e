import { PLACEMENTS, type RunInfo, type StepMetrics } from 'normscope';
import { describe, expect, test } from 'vitest';
import { lab } from '../../locales/lab.js';
import { lossModel, maxAbsModel, type LabView } from './chart-models.js';
import { curvesCsv, profilesCsv, toCsv } from './csv.js';
import { bucketEnds, reduceBuckets } from './decimate.js';
import { heatScale, mappedRecords } from './heat-models.js';
import { largest, RunRecord, trailingMean } from './metric-store.js';
import { Pace } from './pace.js';
import { familiesOf, familyOf } from './placement-groups.js';
import { checkBounds, profileModel } from './profile-models.js';
import { median } from '../median.js';
import { groupRuns, medianSeries } from './run-groups.js';
import { blockGradNorms, residualPoint } from '../residual-points.js';
import {
  EXPERIMENTS,
  experimentOf,
  fromSlider,
  RANGES,
  RECIPE,
  settingProblems,
  toSlider,
  toRuns,
  type LabSettings,
} from './settings.js';
import { numberText } from './setting-field.js';
import { checkText, decodeText, MIN_CHARACTERS } from './text-source.js';
import { summarizeSeeds } from './seed-summary.js';
import { summarize } from './summary.js';
import { placeName } from './wording.js';

const POINTS = ['resid_embedding', 'blocks.0.resid_mid', 'blocks.0.resid_post'];

function info(placement: string): RunInfo {
  const dataset = {
    kind: 'text' as const,
    nVocab: 50,
    uniformLoss: Math.log(50),
    unigramLoss: 3,
    bestLoss: NaN,
    symbols: [],
    nToken: 900,
  };
  return {
    run: placement,
    spec: { placement, n_layer: 1 },
    dataset,
    points: POINTS,
    groups: ['blocks.0.attn', 'blocks.0.mlp', 'head'],
    nParameter: 9,
    device: 'wasm',
    thread: 'worker',
    choice: { device: 'wasm', reason: 'asked', adapter: null, message: null },
    gpuBytes: 0,
  };
}

function metrics(step: number, change: Partial<StepMetrics> = {}): StepMetrics {
  const all = (value: number) => Float32Array.from(POINTS, () => value);
  return {
    run: 'r',
    step,
    loss: 3,
    learningRate: 0.2,
    gradNorm: 1,
    meanAbs: all(1),
    entryVariance: all(2),
    dataVariance: all(1),
    maxAbs: all(step),
    maxChannel: all(0),
    boundMeanAbs: all(NaN),
    boundStd: all(NaN),
    boundDataStd: all(NaN),
    groupGradNorm: Float32Array.of(3, 4, 1),
    ...change,
  };
}

function view(records: RunRecord[], shownStep: number | null = null): LabView {
  return { text: lab.en, records, verdicts: records.map(() => null), shownStep, totalSteps: 100 };
}

describe('records', () => {
  test('the first step past the fp16 range is kept, also when it is NaN that appears', () => {
    const grown = new RunRecord(info('pre-ln'));
    for (const value of [1, 65_504, 65_505, 10])
      grown.append(metrics(grown.length + 1, { maxAbs: Float32Array.of(1, value, 2) }));
    expect(grown.passedHalfRange).toBe(3);
    const broken = new RunRecord(info('pre-ln'));
    broken.append(metrics(1, { maxAbs: Float32Array.of(1, NaN, 2) }));
    expect(broken.passedHalfRange).toBe(1);
    expect(broken.maxAbs).toEqual([Infinity]);
  });

  test('profiles stay evenly spaced and bounded in number, however long the run', () => {
    const record = new RunRecord(info('pre-ln'));
    for (let step = 1; step <= 3000; step += 1) record.append(metrics(step));
    const steps = record.profiles.map((each) => each.step);
    expect(steps.length).toBeLessThanOrEqual(400);
    expect(new Set(steps.slice(1).map((step, i) => step - steps[i]!)).size).toBe(1);
    expect(record.length).toBe(3000);
    expect(record.at(null)!.step).toBe(3000);
    expect(record.at(steps[5]! + 1)!.step).toBe(steps[5]);
  });

  test('means skip what is not finite, the largest value does not', () => {
    expect(trailingMean([5, 1, NaN, 3], 3)).toBe(2);
    expect(trailingMean([NaN], 3)).toBeNaN();
    expect(largest([1, 7, 3])).toBe(7);
    expect(largest([])).toBeNaN();
  });
});

describe('thinning', () => {
  test('buckets cover everything once', () => {
    expect(bucketEnds(10, 4)).toEqual([3, 5, 8, 10]);
    expect(bucketEnds(3, 500)).toEqual([1, 2, 3]);
    expect(bucketEnds(0, 5)).toEqual([]);
  });

  test('a spike survives as the largest of its bucket, a gap stays a gap', () => {
    expect(reduceBuckets([1, 9, 2, NaN, NaN, 3], [3, 5, 6, 8], 'max')).toEqual([9, NaN, 3, NaN]);
    expect(reduceBuckets([1, 9, 2], [3], 'mean')).toEqual([4]);
    expect(reduceBuckets([1, 9, NaN], [3], 'last')).toEqual([9]);
  });
});

describe('time left', () => {
  test('follows the recent pace and is unknown at first', () => {
    const pace = new Pace();
    expect(pace.secondsLeft(100)).toBeNaN();
    pace.mark(0, 1000);
    expect(pace.secondsLeft(100)).toBeNaN();
    for (let step = 1; step <= 50; step += 1) pace.mark(step, 1000 + step * 100);
    expect(pace.perSecond).toBeCloseTo(10, 6);
    expect(pace.secondsLeft(100)).toBeCloseTo(5, 6);
  });

  test('does not count a pause', () => {
    const pace = new Pace();
    pace.mark(1, 0);
    pace.mark(11, 1000);
    pace.reset();
    pace.mark(11, 60_000);
    pace.mark(21, 61_000);
    expect(pace.secondsLeft(31)).toBeCloseTo(1, 6);
  });
});

describe('files', () => {
  test('NaN and Infinity are written by name, an absent value is empty, quotes are doubled', () => {
    expect(
      toCsv([
        ['a', 'b"c'],
        [NaN, -Infinity],
        [null, -0],
      ]),
    ).toBe('a,"b""c"\r\nNaN,-Infinity\r\n,0\r\n');
  });

  test('curves have a line per placement and step, layers one per point', () => {
    const record = new RunRecord(info('peri-ln'), { placement: 'peri-ln', seed: 3 });
    record.append(metrics(1, { loss: NaN }));
    record.append(metrics(2));
    expect(curvesCsv([record]).split('\r\n')).toEqual([
      'placement,seed,step,loss,learning_rate,grad_norm,max_abs',
      'peri-ln,3,1,NaN,0.2,1,1',
      'peri-ln,3,2,3,0.2,1,2',
      '',
    ]);
    const lines = profilesCsv([record]).split('\r\n');
    expect(lines).toHaveLength(1 + 2 * POINTS.length + 1);
    expect(lines[1]).toBe('peri-ln,3,1,resid_embedding,1,2,1,1,0,NaN,NaN,NaN');
  });
});

describe('places in the net', () => {
  test('points have their depth in blocks', () => {
    expect(POINTS.map((name) => residualPoint(name).depth)).toEqual([0, 0.5, 1]);
    expect(placeName(lab.en, 'blocks.3.resid_mid')).toBe('block 4, after attention');
    expect(placeName(lab.ko, 'blocks.3.resid_post')).toBe('블록 4, MLP 뒤');
    expect(placeName(lab.ko, 'something_new')).toBe('something_new');
  });

  test('gradient norms of one block are joined as a root of squares; a whole block wins over its parts', () => {
    expect(blockGradNorms(['blocks.0.attn', 'blocks.0.mlp', 'head'], [3, 4, 9])).toEqual([{ block: 1, norm: 5 }]);
    expect(blockGradNorms(['blocks.1', 'blocks.0', 'blocks.1.attn'], [7, 2, 1])).toEqual([
      { block: 1, norm: 2 },
      { block: 2, norm: 7 },
    ]);
  });
});

describe('charts', () => {
  test('a run that ended early leaves a gap, not a NaN line, and says why it ended', () => {
    const long = new RunRecord(info('peri-ln'));
    const short = new RunRecord(info('pre-ln'));
    for (let step = 1; step <= 4; step += 1) long.append(metrics(step));
    for (let step = 1; step <= 2; step += 1) short.append(metrics(step));
    const verdict = {
      code: 'overflow' as const,
      step: 2,
      finalLoss: 3,
      bestLoss: 3,
      bestStep: 1,
      passedHalfRange: 2,
      maxAbs: 7e4,
    };
    const model = lossModel({ ...view([long, short]), verdicts: [null, verdict] });
    expect(model.x).toEqual([1, 2, 3, 4]);
    expect(Array.from(model.series[3]!.values)).toEqual([3, 3, NaN, NaN]);
    expect(model.series[3]!.endedBy).toBe('overflow, step 2');
    expect(model.references!.map(({ label }) => label)).toEqual(['uniform guess', 'letter frequencies only']);
  });

  test('the bound is drawn and checked only where the wiring gives one beyond the embedding', () => {
    const peri = new RunRecord(info('peri-ln'));
    const pre = new RunRecord(info('pre-ln'));
    peri.append(metrics(1, { meanAbs: Float32Array.of(1, 2, 3), boundMeanAbs: Float32Array.of(1, 4, 4) }));
    pre.append(metrics(1, { boundMeanAbs: Float32Array.of(1, NaN, NaN) }));
    const model = profileModel(view([peri, pre]), 'meanAbs', true);
    expect(model.series.map(({ label }) => label)).toEqual(['Peri-LN', 'Pre-LN', 'bound, Peri-LN']);
    expect(checkBounds(view([peri, pre]), 'meanAbs')).toEqual([
      { placement: 'peri-ln', name: 'Peri-LN', broken: 0, closest: 4 / 3 },
    ]);
    peri.append(metrics(2, { meanAbs: Float32Array.of(1, 2, 3), boundMeanAbs: Float32Array.of(1, 4, 2.9) }));
    expect(checkBounds(view([peri]), 'meanAbs')[0]!.broken).toBe(1);
  });

  test('heat maps share a scale of at least two decades that ignores what is not finite', () => {
    const record = new RunRecord(info('pre-ln'));
    record.append(metrics(1, { maxAbs: Float32Array.of(50, Infinity, NaN) }));
    record.append(metrics(2, { maxAbs: Float32Array.of(100, 80, 0) }));
    expect(heatScale(view([record]), 'maxAbs')).toEqual({ domain: [1, 100], clamped: false });
    expect(heatScale(view([]), 'maxAbs')).toEqual({ domain: [0.1, 10], clamped: false });
  });

  test('a run that broke off widens the heat maps’ scale to fp16’s range at most, an explosion that goes on to a fixed top', () => {
    const sound = new RunRecord(info('peri-ln'));
    sound.append(metrics(1, { maxAbs: Float32Array.of(1, 10, 100) }));
    const wild = new RunRecord(info('none'));
    wild.append(metrics(1, { maxAbs: Float32Array.of(1, 10, 1e16) }));
    const broke = {
      code: 'non-finite' as const,
      step: 1,
      finalLoss: 3,
      bestLoss: 3,
      bestStep: 1,
      passedHalfRange: 1,
      maxAbs: 1e16,
    };
    const both = { ...view([sound, wild]), verdicts: [null, broke] };
    expect(heatScale(both, 'maxAbs')).toEqual({ domain: [1, 65_504], clamped: true });
    expect(heatScale(view([sound, wild]), 'maxAbs')).toEqual({ domain: [1, 1e8], clamped: true });
  });

  test('the loss axis ends at twice the uniform guess', () => {
    const record = new RunRecord(info('none'));
    record.append(metrics(1, { loss: 1e16 }));
    expect(lossModel(view([record])).yCap).toBeCloseTo(2 * Math.log(50), 12);
  });
});

describe('several seeds', () => {
  const diverged = {
    code: 'overflow' as const,
    step: 3,
    finalLoss: 3,
    bestLoss: 3,
    bestStep: 1,
    passedHalfRange: 2,
    maxAbs: 7e4,
  };
  const ended = { ...diverged, code: 'finished' as const, step: 4, passedHalfRange: null };
  function seeds(placement: string, lengths: readonly number[]): RunRecord[] {
    return lengths.map((length, k) => {
      const record = new RunRecord(info(placement), { placement, seed: k + 1 });
      for (let step = 1; step <= length; step += 1) record.append(metrics(step, { loss: 1 + k }));
      return record;
    });
  }

  test('the middle value counts a lost seed as infinitely large, so the survivors alone make no median', () => {
    expect(median([3, 1, Infinity])).toBe(3);
    expect([median([]), median([NaN, 4])]).toEqual([NaN, 4]);
    expect(
      medianSeries(
        [
          [1, 1, NaN],
          [2, 2, 2],
          [3, 3, 3],
        ],
        [true, false, false],
      ),
    ).toEqual([2, 2, 3]);
    expect(
      medianSeries(
        [
          [1, NaN],
          [2, NaN],
          [3, 3],
        ],
        [true, true, false],
      ),
    ).toEqual([2, NaN]);
  });

  test('each is drawn thinly below its placement’s median, and the median ends where half of them are lost', () => {
    const records = [...seeds('pre-ln', [2, 3, 4]), ...seeds('peri-ln', [4])];
    const model = maxAbsModel({ ...view(records), verdicts: [diverged, diverged, ended, ended] });
    expect(model.series.map(({ width }) => width ?? 2)).toEqual([1, 1, 1, 2, 2]);
    expect(Array.from(model.series[3]!.values)).toEqual([1, 2, 3, NaN]);
    expect(model.series[3]!.endedBy).toBe('2 of 3 diverged');
    expect(model.series[4]!.endedBy).toBeUndefined();
  });

  test('a heat map is that of the first seed', () => {
    const mapped = mappedRecords(view([...seeds('pre-ln', [1, 1]), ...seeds('peri-ln', [1, 1])]));
    expect(mapped.map(({ placement, seed }) => `${placement} ${seed}`)).toEqual(['pre-ln 1', 'peri-ln 1']);
  });

  test('are told as counts and medians', () => {
    const records = seeds('pre-ln', [2, 3, 4]);
    const told = (verdicts: (typeof diverged)[]) => summarizeSeeds(lab.en, groupRuns(records, verdicts as never));
    expect(told([diverged, { ...diverged, step: 7 }, ended as never])[0]).toBe(
      'Pre-LN diverged in 2 of 3 seeds (steps 3 to 7).',
    );
    expect(told([2, 1, 3].map((finalLoss) => ({ ...ended, finalLoss })) as never)[0]).toBe(
      'Pre-LN finished with all 3 seeds; final loss 2.000 in the median (1.000 to 3.000).',
    );
  });
});

describe('families of placements', () => {
  test('every row has exactly one, in the order of the table', () => {
    const shown = familiesOf(PLACEMENTS).flatMap(({ rows }) => rows.map(({ name }) => name));
    expect([...shown].sort()).toEqual(PLACEMENTS.map(({ name }) => name).sort());
  });

  test('follow from the slots, not from the name', () => {
    const { wiring } = RECIPE;
    expect(familyOf(wiring)).toBe('branch');
    expect(familyOf({ ...wiring, normOutput: false, normStream: true })).toBe('stream');
    expect(familyOf({ ...wiring, mlpNorms: 'input' })).toBe('mixed');
    expect(familyOf({ ...wiring, residual: false })).toBe('no-skip');
    expect(familyOf({ ...wiring, normOutput: false })).toBe('scaled');
  });
});

describe('settings', () => {
  test('each experiment is recognised, a changed setting is not', () => {
    for (const [name, settings] of Object.entries(EXPERIMENTS))
      expect(experimentOf({ ...settings, source: 'markov' })).toBe(name);
    expect(experimentOf({ ...RECIPE, source: 'own', placements: ['peri-ln', 'pre-ln'] })).toBe('high-rate');
    expect(experimentOf({ ...RECIPE, source: 'own', steps: 299 })).toBeNull();
  });

  test('specs differ in their placement alone', () => {
    const [pre, peri] = toRuns({ ...RECIPE, source: 'markov' }).map(({ spec }) => spec);
    expect(pre).toMatchObject({
      placement: 'pre-ln',
      nLayer: 6,
      dModel: 32,
      nBatch: 4,
      nCtx: 32,
      learningRate: 0.2,
      format: 'fp32',
    });
    expect({ ...peri, placement: 'pre-ln' }).toEqual(pre);
  });

  test('runs are placements × seeds, and every seed is a run of its own', () => {
    const runs = toRuns({ ...RECIPE, source: 'markov', seed: 4, nSeed: 3 });
    expect(runs.map(({ placement, seed }) => `${placement} ${seed}`)).toEqual(
      ['pre-ln', 'peri-ln'].flatMap((name) => [4, 5, 6].map((seed) => `${name} ${seed}`)),
    );
    expect(runs.map(({ spec }) => spec.seed)).toEqual([4, 5, 6, 4, 5, 6]);
  });

  test('the reader’s own wiring carries its slots and no name of a row that could decide anything', () => {
    const wiring = { ...RECIPE.wiring, normOutput: true, normInput: true };
    const [own] = toRuns({ ...RECIPE, source: 'markov', placements: ['own'], wiring, normKind: 'rmsnorm' });
    expect(own!.spec).toMatchObject({ placement: 'none', normInput: true, normOutput: true, normKind: 'layernorm' });
  });

  test('decay of γ reaches the runs and is no part of a ready-made experiment', () => {
    const settings: LabSettings = { ...RECIPE, source: 'markov', decayGamma: true, weightDecay: 0.1 };
    expect(toRuns(settings)[0]!.spec).toMatchObject({ decayGamma: true, weightDecay: 0.1 });
    expect(experimentOf({ ...RECIPE, source: 'markov', decayGamma: true })).toBeNull();
  });

  test('settings survive JSON', () => {
    const settings: LabSettings = { ...RECIPE, source: 'markov', placements: ['own', 'pre-ln'] };
    expect(toRuns(JSON.parse(JSON.stringify(settings)) as LabSettings)).toEqual(toRuns(settings));
  });

  test('limits and heads are named with the numbers that meet', () => {
    const wrong = (change: Partial<LabSettings>) => settingProblems({ ...RECIPE, source: 'markov', ...change });
    expect(wrong({})).toEqual([]);
    expect(wrong({ nHead: 5 })).toEqual([{ name: 'nHead', problem: 'heads', limit: 4 }]);
    expect(wrong({ nHead: 0 })).toEqual([{ name: 'nHead', problem: 'too-small', limit: 1 }]);
    expect(wrong({ learningRate: 0, steps: 1.5 }).map(({ problem }) => problem)).toEqual(['not-above', 'whole']);
    expect(wrong({ seed: 2 ** 32 - 2, nSeed: 3 })).toEqual([{ name: 'nSeed', problem: 'above-most', limit: 2 }]);
    expect(wrong({ seed: 2 ** 32 })).toEqual([{ name: 'seed', problem: 'above-most', limit: 4_294_967_295 }]);
  });

  test('whole settings are shown digit for digit', () => {
    expect([numberText(4_294_967_295, true), numberText(0.1 + 0.2)]).toEqual(['4294967295', '0.3']);
  });

  test('the rate slider keeps two digits and comes back to where it was', () => {
    const rate = RANGES.find(({ name }) => name === 'learningRate')!;
    for (const value of [1e-4, 3e-3, 0.2, 1]) expect(fromSlider(rate, toSlider(rate, value))).toBe(value);
  });
});

describe('texts', () => {
  test('empty and short texts are refused by name, with the count', () => {
    expect(checkText(' \n')).toEqual({ code: 'empty' });
    expect(checkText('가나다')).toEqual({ code: 'too-short', count: 3, least: MIN_CHARACTERS });
    expect(checkText('가'.repeat(MIN_CHARACTERS))).toBeNull();
  });

  test('only UTF-8 is read', () => {
    expect(decodeText(new TextEncoder().encode('\ufeff한글\r\n가').buffer)).toBe('한글\n가');
    expect(decodeText(Uint8Array.of(0xb0, 0xa1, 0xff).buffer)).toEqual({ code: 'not-utf8' });
  });
});

describe('what the experiment showed', () => {
  const finished = {
    code: 'finished' as const,
    step: 4,
    finalLoss: 2,
    bestLoss: 2,
    bestStep: 4,
    passedHalfRange: null,
    maxAbs: 4,
  };
  const outcome = (placement: string, change: Partial<StepMetrics>, verdict = {}) => {
    const record = new RunRecord(info(placement));
    record.append(metrics(1, change));
    return { record, verdict: { ...finished, ...verdict } };
  };
  const big = { maxAbs: Float32Array.of(1, 3, 1e5) };
  const small = { maxAbs: Float32Array.of(1, 3, 100) };

  test('an overflow is named with step, place and channel', () => {
    const verdict = { code: 'overflow', step: 141, where: 'blocks.2.resid_post', channel: 17, format: 'fp16' };
    const [first] = summarize(lab.en, [outcome('pre-ln', big, verdict)]);
    expect(first).toBe('Pre-LN overflowed fp16 at step 141 (block 3, after the MLP, channel 17).');
  });

  test('growth in fp32 is told as growth, with the ratio', () => {
    const sentences = summarize(lab.en, [
      outcome('pre-ln', big, { finalLoss: 3, passedHalfRange: 140 }),
      outcome('peri-ln', small),
    ]);
    expect(sentences).toEqual([
      lab.en.summary.stalled('Pre-LN', '140'),
      lab.en.summary.survived('Peri-LN', '100'),
      lab.en.summary.ratio('Pre-LN', 'Peri-LN', '1000'),
    ]);
  });

  test('what is the same for many runs is said once', () => {
    const quiet = ['peri-ln', 'output-ln', 'sandwich-ln', 'keel'].map((name) => outcome(name, small));
    const sentences = summarize(lab.en, [outcome('pre-ln', big, { finalLoss: 3, passedHalfRange: 140 }), ...quiet]);
    expect(sentences[1]).toBe(lab.en.seeds.survivedSome('4', '100'));
    expect(sentences).toHaveLength(3);
  });

  test('nothing is concluded from a net without blocks or a text of one symbol', () => {
    const pair = [outcome('pre-ln', small), outcome('peri-ln', small)] as const;
    for (const { record } of pair) record.info.dataset.uniformLoss = 0;
    expect(summarize(lab.en, pair)).toEqual([]);
  });

  test('two runs that train alike are said to train alike', () => {
    const sentences = summarize(lab.ko, [outcome('pre-ln', small, { finalLoss: 2.02 }), outcome('peri-ln', small)]);
    expect(sentences).toEqual([lab.ko.summary.alike('Pre-LN', 'Peri-LN', '2.020', '2.000')]);
  });
});
