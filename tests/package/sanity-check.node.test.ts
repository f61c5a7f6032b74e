/** `sanityCheck` as a program sees it, and how it judges a sweep of rates. */
import { sanityCheck, type ModelSpec, type SanityReport } from 'normscope';
import { describe, expect, it } from 'vitest';
import { firstCured, largestSafe, type Trained } from '../../wasm/analysis/rate-sweep.js';

const tiny: ModelSpec = { nLayer: 2, dModel: 8, nHead: 2, dFF: 12, nCtx: 6, nBatch: 3 };

describe('sanityCheck', () => {
  const check = (spec: ModelSpec): Promise<SanityReport> => sanityCheck({ spec, quick: true });

  it.each<[NonNullable<ModelSpec['placement']>, boolean, boolean]>([
    ['none', false, false],
    ['post-ln', true, false],
    ['pre-ln', false, false],
    ['peri-ln', true, true],
    ['output-ln', true, true],
    ['ln-scaling', false, false],
    ['hybridnorm', false, false],
    ['keel', true, false],
  ])(
    'says of %s: Hamiltonian bounded %s, scale-invariant %s',
    async (placement, bounded, scaleInvariant) => {
      const report = await check({ placement });
      expect(report.hamiltonian.bounded).toBe(bounded);
      expect(report.sensitivity.scaleInvariant).toBe(scaleInvariant);
      expect(report.theory.filter(({ agrees }) => agrees === false)).toEqual([]);
      expect(report.notMeasured).toContain('training');
      expect(report.largestSafeRate).toBeNull();
      expect(JSON.parse(JSON.stringify(report))).toEqual(report);
    },
    60_000,
  );

  it('finds out a wiring that is called Peri-LN and lacks its output norm', async () => {
    const broken = await check({ placement: 'peri-ln', normOutput: false });
    expect(broken.hamiltonian.bounded).toBe(false);
    expect(broken.sensitivity.scaleInvariant).toBe(false);
    expect(broken.hamiltonian.unboundedSteps).toHaveLength(6);
    expect({ ...broken, name: '' }).toEqual({ ...(await check({ placement: 'pre-ln' })), name: '' });
    expect(broken.name).toBe('peri-ln');
  }, 60_000);

  it('says of an output norm that saturates, DyT, that it bounds but does not make invariant', async () => {
    const report = await check({ placement: 'peri-ln', normKind: 'dyt' });
    expect(report.hamiltonian.bounded).toBe(true);
    expect(report.sensitivity.scaleInvariant).toBe(false);
    expect(report.theory.filter(({ agrees }) => agrees === false)).toEqual([]);
  }, 60_000);

  it('tells when ε is not small beside what an output norm sees', async () => {
    const small = await check({ placement: 'output-ln', init: 'gpt2' });
    expect(small.hamiltonian.assumptions).toContain('eps-matters');
    expect((await check({ placement: 'output-ln' })).hamiltonian.assumptions).not.toContain('eps-matters');
  }, 60_000);

  it('answers for a model that is too large to be measured, on a small one of its wiring', async () => {
    const spec: ModelSpec = { placement: 'peri-ln', dModel: 768, nHead: 12, nLayer: 12, nCtx: 1024, nVocab: 50_257 };
    const report = await check(spec);
    expect(report.spec).toMatchObject({ d_model: 768, n_layer: 12, n_ctx: 1024 });
    expect(report.measuredOn).toEqual({ nLayer: 3, dModel: 32, nBatch: 2, nCtx: 16 });
    expect(report.hamiltonian.assumptions).toContain('small-model');
    await expect(check({ ...spec, nHead: 7 })).rejects.toMatchObject({ code: 'bad-spec' });
  }, 60_000);

  it('gives no verdict where there is nothing to measure', async () => {
    const empty = await check({ ...tiny, placement: 'peri-ln', nLayer: 0 });
    expect([empty.hamiltonian.bounded, empty.sensitivity.scaleInvariant]).toEqual([null, null]);
    const silent = await check({ ...tiny, placement: 'rezero' }); // all branches are 0 at first
    expect([silent.hamiltonian.bounded, silent.sensitivity.scaleInvariant]).toEqual([false, null]);
    expect(silent.notMeasured).toEqual(expect.arrayContaining(['activation-scale', 'hamiltonian']));
  }, 60_000);

  it('keeps the first blocks apart also in the small model', async () => {
    const { hamiltonian } = await check({ placement: 'mix-ln', nLayer: 12 });
    expect(hamiltonian.unboundedSteps.filter((step) => step.startsWith('blocks.0.'))).toEqual([]);
    expect(hamiltonian.unboundedSteps).toHaveLength(4);
  }, 60_000);

  it.each<[object, string, RegExp]>([
    [{}, 'bad-option', /^spec takes one object/],
    [{ spec: 'peri-ln' }, 'bad-option', /^spec takes one object.*'peri-ln'/],
    [{ spec: { nLayer: '6' } }, 'bad-number', /^spec\.nLayer/],
    [{ spec: { nLayer: 100.5 } }, 'bad-number', /^spec\.nLayer is 100\.5; expected a whole number/],
    [{ spec: {}, signal: {} }, 'bad-option', /^signal is/],
    [{ spec: {}, onProgress: 3 }, 'bad-option', /^onProgress is 3/],
  ])('refuses %j by name', async (request, code, message) => {
    await expect(sanityCheck(request as never)).rejects.toMatchObject({
      code,
      message: expect.stringMatching(message),
    });
  });

  it('finds out one MLP without an output norm', async () => {
    const report = await check({ placement: 'peri-ln', mlpNorms: 'input' });
    expect(report.hamiltonian.bounded).toBe(false);
    expect(report.hamiltonian.unboundedSteps.every((name) => name.endsWith('mlp.fc2'))).toBe(true);
    expect(report.sensitivity.scaleInvariant).toBe(false);
  }, 60_000);
});

describe('the largest safe rate', () => {
  const points = (...losses: number[]): Trained[] =>
    losses.map((finalLoss, i) => ({ learningRate: i + 1, finalLoss, maxAbs: 9, verdict: finalLoss < 3 ? 'converged' : 'stalled', unigram: 3.1 })); // prettier-ignore

  it('is the last before the first failure', () => {
    expect(largestSafe(points(1.7, 1.6, 3.2, 1.6))).toBe(2);
    expect(largestSafe(points(1.7, 1.6, 1.5))).toBe(3);
  });

  it('does not count it as a failure that small rates are too slow', () => {
    expect(largestSafe(points(3.05, 2.4, 1.7, 1.6, 3.2))).toBe(4);
    expect(largestSafe(points(3.2, 3.3))).toBeNull();
  });

  it('is told from a need of warm-up, which must make a failing rate safe', () => {
    const without = points(1.7, 1.6, 3.2);
    const failing = without.slice(2);
    expect(firstCured(points(1.7), failing, without)).toBe(0);
    expect(firstCured(points(2.6), failing, without)).toBe(-1); // better than without, but not trained
    const hopeless = [{ ...failing[0]!, finalLoss: null }];
    expect(firstCured(points(1.7), hopeless, hopeless)).toBe(0);
  });
});
