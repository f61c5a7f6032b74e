/** `analyse` as a program sees it. */
import { analyse, createSession, NormscopeError, type Analysis, type ModelSpec } from 'normscope';
import { describe, expect, it } from 'vitest';

const tiny: ModelSpec = { nLayer: 2, dModel: 8, nHead: 2, dFF: 12, nCtx: 6, nBatch: 3 };
const data = { kind: 'markov', nSymbol: 9 } as const;
/** The prototype's setting for sensitivity and the gradients at initialization. */
const lab: ModelSpec = { nLayer: 6, dModel: 32, init: 'xavier', nBatch: 4, nCtx: 32 };

const most = (values: number[]): number => Math.max(...values);
const wide = { ...tiny, dModel: 32, nCtx: 12 };

describe('analyse', () => {
  it('has every part that is asked for, in the shapes that it promises', async () => {
    const result = await analyse({
      spec: { ...tiny, placement: 'peri-ln' },
      data,
      parts: [
        ...(['moments', 'sensitivity', 'activationScale', 'hamiltonian', 'uncertainty', 'usefulness'] as const),
        ...(['weights', 'gradients', 'growth', 'layerNormJacobian'] as const),
      ],
      nSeed: 2,
      depths: [1, 2, 3],
    });
    expect(result.points).toEqual([
      'resid_embedding',
      ...['blocks.0.resid_mid', 'blocks.0.resid_post', 'blocks.1.resid_mid', 'blocks.1.resid_post'],
    ]);
    expect(result.steps).toEqual([
      ...['blocks.0.attn.out_proj', 'blocks.0.mlp.fc2', 'blocks.1.attn.out_proj', 'blocks.1.mlp.fc2'],
    ]);
    expect(result.spec.placement).toBe('peri-ln');
    expect(result.moments!.meanAbs).toHaveLength(5);
    expect(result.sensitivity!.step).toHaveLength(4);
    expect(result.activationScale!.branch.map((row) => row.length)).toEqual([3, 3, 3, 3]);
    expect(result.activationScale!.wholeNet.variance).toHaveLength(5);
    expect(result.hamiltonian!.power.map((row) => row.length)).toEqual([3, 3, 3, 3]);
    expect(result.uncertainty!.exact).toHaveLength(5);
    expect(result.uncertainty!.nPoint).toBe(18);
    expect(result.usefulness!.dropLoss).toHaveLength(2);
    expect(result.usefulness!.massive[0]!.top).toHaveLength(5);
    expect(result.weights!.matrices.map(({ name }) => name)).toContain('blocks.1.mlp.fc2.weight');
    expect(result.weights!.gammaOut.rms).toEqual([1, 1, 1, 1]);
    expect(result.gradients!.lastMatrix).toHaveLength(2);
    expect(result.growth!.steps).toEqual([2, 4, 6]);
    expect(result.layerNormJacobian!.matrix).toHaveLength(8);
  });

  it('finds the moments that a training step reports, to the digits of float', async () => {
    const spec: ModelSpec = { ...tiny, placement: 'peri-ln' };
    const { moments, loss } = await analyse({ spec, data, parts: ['moments'] });
    const session = await createSession({ spec, data });
    await session.nextBatch();
    await session.run({ phases: ['forward', 'backward', 'observe'] });
    const ring = await session.read({ name: 'ring' });
    const slot = (k: number): number[] => moments!.meanAbs.map((_, i) => ring[16 + 8 * i + k]!);
    moments!.meanAbs.forEach((value, i) => expect(Math.abs(slot(0)[i]! / value - 1)).toBeLessThan(1e-5));
    moments!.boundStd.forEach((value, i) => expect(Math.abs(slot(5)[i]! / value - 1)).toBeLessThan(1e-5));
    expect(Math.abs(ring[1]! / loss - 1)).toBeLessThan(1e-5);
    session.free();
  });

  it("keeps Peri-LN's moments under their live bounds and states none for Pre-LN", async () => {
    const peri = (await analyse({ spec: { ...lab, placement: 'peri-ln' }, parts: ['moments'] })).moments!;
    expect(peri.holds).toBe(true);
    peri.entryVariance.forEach((variance, i) =>
      expect(Math.sqrt(variance)).toBeLessThanOrEqual(peri.boundStd[i]! * (1 + 1e-9)),
    );
    expect(peri.boundStd.at(-1)).toBeGreaterThan(peri.boundStd[0]! + 11.9);
    const pre = (await analyse({ spec: { ...lab, placement: 'pre-ln' }, parts: ['moments'] })).moments!;
    expect(pre.holds).toBeNull();
    expect(pre.boundStd.slice(1).every(Number.isNaN)).toBe(true);
  });

  it('uses dense Jacobians for tiny models and power iteration above, with steps that multiply to more than the whole', async () => {
    const dense = (await analyse({ spec: { ...tiny, placement: 'pre-ln' }, data, parts: ['sensitivity'] }))
      .sensitivity!;
    expect(dense.method).toBe('dense');
    const power = (await analyse({ spec: { ...wide, placement: 'pre-ln' }, data, parts: ['sensitivity'] }))
      .sensitivity!;
    expect(power.method).toBe('power');
    for (const { disagreement, product, wholeNet } of [dense, power]) {
      expect(disagreement).toBeLessThan(1e-6);
      expect(product).toBeGreaterThanOrEqual(wholeNet);
      expect(wholeNet).toBeGreaterThan(1);
    }
  });

  it("tells Pre-LN's branch Jacobian, which follows the activations' scale, from Peri-LN's, which does not", async () => {
    const of = async (placement: 'pre-ln' | 'peri-ln'): Promise<NonNullable<Analysis['activationScale']>> =>
      (await analyse({ spec: { ...wide, placement }, data, parts: ['activationScale'] })).activationScale!;
    const pre = await of('pre-ln');
    const peri = await of('peri-ln');
    for (const exponent of pre.exponent) expect(Math.abs(exponent - 1)).toBeLessThan(1e-4);
    for (const [one, , hundred] of peri.branch) expect(Math.abs(hundred! / one! - 1)).toBeLessThan(1e-3);
    expect(pre.wholeNet.variance.at(-1)![2]! / pre.wholeNet.variance.at(-1)![0]!).toBeGreaterThan(100);
    expect(peri.wholeNet.variance.at(-1)![2]! / peri.wholeNet.variance.at(-1)![0]!).toBeLessThan(1.001);
  });

  it("grows Pre-LN's −p·v with the weights and caps Peri-LN's by the support function", async () => {
    const spec = { ...tiny, weightDecay: 0.1 };
    const pre = (await analyse({ spec: { ...spec, placement: 'pre-ln' }, data, parts: ['hamiltonian'] })).hamiltonian!;
    expect(pre.support.every(Number.isNaN)).toBe(true);
    expect(pre.lemma1).toEqual([]);
    expect(pre.ellipsoid).toBeNull();
    for (const [one, , hundred] of pre.power) expect(hundred! / one!).toBeCloseTo(100, 6);
    for (const value of pre.regularized) expect(value).toBeGreaterThan(0);
    const peri = (await analyse({ spec: { ...spec, placement: 'peri-ln' }, data, parts: ['hamiltonian'] }))
      .hamiltonian!;
    peri.power.forEach((row, i) => expect(most([...row, ...peri.steepest[i]!])).toBeLessThanOrEqual(peri.support[i]!));
    for (const exponent of peri.exponent) expect(Math.abs(exponent)).toBeLessThan(1e-2);
    expect(peri.lemma1).toHaveLength(4);
    for (const { holds } of peri.lemma1) expect(holds).toBe(true);
    expect(peri.regularized.every(Number.isNaN)).toBe(true);
    expect(peri.ellipsoid!.projection).toBe('largest-axes');
  });

  it.each([2, 3])('draws the exact ellipsoid of %i features', async (dModel) => {
    const spec: ModelSpec = { ...tiny, dModel, nHead: 1, placement: 'peri-ln', eps: 1e-12 };
    const { ellipsoid } = (await analyse({ spec, data, parts: ['hamiltonian'] })).hamiltonian!;
    expect(ellipsoid!.projection).toBe('exact');
    for (const point of [...ellipsoid!.outline, ...ellipsoid!.outputs]) {
      expect(point.reduce((sum, value) => sum + value, 0)).toBeCloseTo(0, 6);
      expect(Math.hypot(...point)).toBeCloseTo(Math.sqrt(dModel), 3);
    }
  });

  it('orders the distances of two clouds and keeps them under the bound of output norms', async () => {
    for (const clouds of ['noise', 'tokens'] as const) {
      const { uncertainty } = await analyse({
        spec: { ...wide, placement: 'peri-ln' },
        data,
        parts: ['uncertainty'],
        clouds,
      });
      const { sliced, exact, paired, holds, slicedRelative, std } = uncertainty!;
      expect(holds).toBe(true);
      exact.forEach((value, i) => {
        expect(sliced[i]!).toBeLessThan(value);
        expect(value).toBeLessThanOrEqual(paired[i]! * (1 + 1e-12));
        expect(slicedRelative[i]).toBe(sliced[i]! / std[i]!);
      });
    }
    const { uncertainty } = await analyse({ spec: { ...wide, placement: 'pre-ln' }, data, parts: ['uncertainty'] });
    expect(uncertainty!.holds).toBeNull();
  });

  it('measures which matrices are scale-invariant: those in front of an output norm', async () => {
    const invariant = async (spec: ModelSpec): Promise<string[]> =>
      (await analyse({ spec: { ...wide, ...spec }, data, parts: ['weights'] }))
        .weights!.matrices.filter(({ scaleInvariant }) => scaleInvariant)
        .map(({ name }) => name);
    expect(await invariant({ placement: 'pre-ln' })).toEqual([]);
    expect(await invariant({ placement: 'peri-ln' })).toEqual(
      expect.arrayContaining(['blocks.0.attn.out_proj.weight', 'blocks.0.mlp.fc2.weight', 'blocks.1.mlp.fc2.weight']),
    );
    expect(await invariant({ placement: 'pre-ln', qkNorm: 'qk' })).toContain('blocks.0.attn.q_proj.weight');
  });

  it("gives LayerNorm's Jacobian two vanishing directions and one size for the others", async () => {
    const vector = [3.2, -1.8, 0.5, 2.1];
    const { layerNormJacobian } = await analyse({
      spec: { ...tiny, dModel: 4, eps: 0 },
      data,
      parts: ['layerNormJacobian'],
      vector,
    });
    const { rstd, singularValues, disagreement, x } = layerNormJacobian!;
    expect(x).toEqual(vector);
    expect(rstd).toBeCloseTo(1 / Math.sqrt(3.535), 12);
    expect(singularValues[0]).toBeCloseTo(rstd, 12);
    expect(singularValues[1]).toBeCloseTo(rstd, 12);
    expect(most(singularValues.slice(2))).toBeLessThan(1e-12);
    expect(disagreement).toBeLessThan(1e-6);
  });

  it('reads a session and a snapshot of it alike, and not the initial model', async () => {
    const spec: ModelSpec = { ...tiny, placement: 'peri-ln', learningRate: 0.05 };
    const session = await createSession({ spec, data });
    for (let step = 0; step < 5; ++step) {
      await session.nextBatch();
      await session.run({ phases: ['forward', 'backward', 'update'] });
    }
    const parts = ['weights', 'moments'] as const;
    const live = await analyse({ session, parts });
    const kept = await analyse({ snapshot: await session.snapshot(), data, parts });
    const fresh = await analyse({ spec, data, parts });
    session.free();
    expect(kept.weights!.matrices.map(({ norm }) => norm)).toEqual(live.weights!.matrices.map(({ norm }) => norm));
    expect(kept.weights!.gammaOut).toEqual(live.weights!.gammaOut);
    expect(kept.weights!.matrices[2]!.norm).not.toBe(fresh.weights!.matrices[2]!.norm);
    expect(live.weights!.gammaOut.maxAbs[0]).toBeGreaterThan(1);
    expect(live.moments!.holds).toBe(true);
  });

  it('follows matrices and output gains through training, and can hold the norms of scale-invariant ones', async () => {
    const spec: ModelSpec = { ...tiny, placement: 'peri-ln', learningRate: 0.05 };
    const path = async (renormalise: boolean): Promise<NonNullable<Analysis['weightPath']>> =>
      (await analyse({ spec, data, parts: ['weightPath'], steps: 30, every: 10, renormalise })).weightPath!;
    const free = await path(false);
    const held = await path(true);
    expect(free.step).toEqual([10, 20, 30]);
    expect(free.loss[2]).toBeLessThan(free.loss[0]!);
    for (const i of [0, 1, 2, 3]) {
      expect(free.norm[2]![i]! / free.norm[0]![i]!).toBeGreaterThan(1.1);
      expect(free.effectiveRate[2]![i]! / free.effectiveRate[0]![i]!).toBeLessThan(1 / 1.1);
      expect(Math.abs(held.norm[2]![i]! / held.norm[0]![i]! - 1)).toBeLessThan(0.1);
      expect(free.gammaMax[2]![i]).not.toBe(free.gammaMax[0]![i]);
    }
  });

  it('answers NaN for a model that has diverged', async () => {
    const session = await createSession({ spec: { ...tiny, placement: 'peri-ln' }, data });
    const snapshot = await session.snapshot();
    session.free();
    snapshot.tensors['blocks.0.mlp.fc2.weight']![0] = NaN;
    const result = await analyse({ snapshot, data });
    expect(result.loss).toBeNaN();
    expect(result.moments!.meanAbs[0]).toBeGreaterThan(0);
    expect(result.moments!.meanAbs.at(-1)).toBeNaN();
    expect(result.moments!.holds).toBe(false);
    expect(result.sensitivity!.step[1]).toBeNaN();
    expect(result.uncertainty!.exact.at(-1)).toBeNaN();
  });

  it.each<[string, ModelSpec]>([
    ['no layer', { ...tiny, nLayer: 0 }],
    ['one layer of width 1', { ...tiny, nLayer: 1, dModel: 1, nHead: 1 }],
    ['width 2 and one token', { ...tiny, dModel: 2, nHead: 1, nCtx: 1, nBatch: 1 }],
    ['sublayers', { ...tiny, block: 'sublayer', placement: 'peri-ln' }],
    ['no norm at all', { ...tiny, normKind: 'none' }],
    ['norms without γ', { ...tiny, placement: 'peri-ln', normAffine: false }],
    ['DyT', { ...tiny, placement: 'peri-ln', normKind: 'dyt' }],
    ['BatchNorm', { ...tiny, placement: 'peri-ln', normKind: 'batchnorm' }],
    ['two symbols', { ...tiny, nVocab: 2 }],
  ])('analyses a model with %s', async (_, spec) => {
    const result = await analyse({ spec, ...(spec.nVocab === undefined && { data }) });
    expect(result.loss).toBeGreaterThan(0);
    expect(result.moments!.meanAbs).toHaveLength(result.steps.length + 1);
    expect(result.moments!.holds).not.toBe(false);
    expect(result.uncertainty!.holds).not.toBe(false);
    expect(result.sensitivity!.product).toBeGreaterThanOrEqual(result.sensitivity!.wholeNet * (1 - 1e-6));
    for (const { holds } of result.hamiltonian!.lemma1) expect(holds).not.toBe(false);
  });

  it.each([
    [{ parts: ['momentz'] }, 'bad-option', /moments/],
    [{ parts: 'moments' }, 'bad-option', /list/],
    [{ scales: [0] }, 'bad-number', /above 0/],
    [{ nPoint: 300 }, 'bad-number', /256/],
    [{ depths: [2.5] }, 'bad-number', /whole/],
    [{ noise: -1 }, 'bad-number', /noise/],
    [{ vector: [1, 2] }, 'bad-size', /8/],
    [{ spec: { nHead: 5 } }, 'bad-spec', /nHead/],
    [{ snapshot: {} }, 'bad-snapshot', /snapshot/],
    [{ part: [] }, 'bad-option', /parts/],
    [{ signal: {} }, 'bad-option', /^signal is an object/],
    [{ onProgress: 3 }, 'bad-option', /^onProgress is 3; expected a function/],
    [{ session: {} }, 'bad-option', /^session is an object.*createSession/],
    [{ snapshot: { version: 1, spec: null, tensors: null } }, 'bad-snapshot', /snapshot/],
  ])('refuses %j by name', async (request, code, message) => {
    const error = await analyse({ spec: tiny, data, ...request } as never).catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(NormscopeError);
    expect((error as NormscopeError).code).toBe(code);
    expect((error as NormscopeError).message).toMatch(message);
  });

  it('refuses a snapshot of another model', async () => {
    const session = await createSession({ spec: tiny, data });
    const snapshot = await session.snapshot();
    session.free();
    await expect(analyse({ spec: { ...tiny, dFF: 16 }, snapshot, data })).rejects.toMatchObject({
      code: 'bad-snapshot',
    });
  });

  it.each(['worker', 'inline'] as const)(
    'reports progress up to 1 and stops when it is aborted (%s)',
    async (thread) => {
      const fractions: number[] = [];
      await analyse({
        spec: tiny,
        data,
        thread,
        parts: ['sensitivity', 'usefulness'],
        onProgress: ({ fraction }) => fractions.push(fraction),
      });
      expect(fractions.at(-1)).toBe(1);
      expect([...fractions].sort((a, b) => a - b)).toEqual(fractions);
      const controller = new AbortController();
      const running = analyse({ spec: lab, thread, signal: controller.signal, onProgress: () => controller.abort() });
      await expect(running).rejects.toMatchObject({ code: 'aborted' });
    },
  );

  it('gives the same numbers in a worker and on this thread', async () => {
    const parts = ['moments', 'sensitivity'] as const;
    const [there, here] = await Promise.all([
      analyse({ spec: tiny, data, parts, thread: 'worker' }),
      analyse({ spec: tiny, data, parts, thread: 'inline' }),
    ]);
    expect(there).toEqual(here);
  });
});

describe('the gradient profile at initialization', () => {
  const profile = async (placement: ModelSpec['placement'], nLayer: number): Promise<number[]> => {
    const spec: ModelSpec = { ...lab, placement, nLayer, dModel: 64, activation: 'relu' };
    return (await analyse({ spec, parts: ['gradients'], nSeed: 8 })).gradients!.lastMatrix;
  };

  it('does not fall with depth for Post-LN, and falls as 1/√L for Pre-LN and Peri-LN (Xiong et al. 2020)', async () => {
    const lastAt = async (placement: ModelSpec['placement']): Promise<number> =>
      (await profile(placement, 24)).at(-1)! / (await profile(placement, 6)).at(-1)!;
    const post = await lastAt('post-ln');
    expect(post).toBeGreaterThan(0.8);
    expect(post).toBeLessThan(1.25);
    for (const placement of ['pre-ln', 'peri-ln'] as const) {
      const ratio = await lastAt(placement);
      expect(ratio).toBeGreaterThan(0.4);
      expect(ratio).toBeLessThan(0.65);
    }
  }, 240_000);
});

describe('growth against total depth', () => {
  it('names the better of two fits, from fresh models and from snapshots', async () => {
    const fresh = (
      await analyse({
        spec: { ...tiny, placement: 'peri-ln' },
        data,
        parts: ['growth'],
        depths: [2, 4, 8, 16],
        nSeed: 4,
      })
    ).growth!;
    expect(fresh.better).toBe('power');
    expect(fresh.power.exponent).toBeGreaterThan(0.6);
    expect(fresh.power.exponent).toBeLessThan(1.2);
    const snapshots = await Promise.all(
      [1, 2, 4].map(async (nLayer) => {
        const session = await createSession({ spec: { ...tiny, placement: 'pre-ln', nLayer }, data });
        const snapshot = await session.snapshot();
        session.free();
        return snapshot;
      }),
    );
    const kept = (await analyse({ spec: tiny, data, parts: ['growth'], snapshots })).growth!;
    expect(kept.of).toBe('snapshots');
    expect(kept.steps).toEqual([2, 4, 8]);
    expect(kept.variance[2]).toBeGreaterThan(kept.variance[0]!);
  });
});
