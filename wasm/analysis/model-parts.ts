/** The parts that measure many models: over seeds, over depths. */
import { all, mean, range, type Part, type Variant } from './part.js';
import type { GradientAnalysis, GrowthAnalysis, GrowthFit, MomentAnalysis } from './types.js';

type SeedGradients = { lastMatrix: number[]; group: string[]; groupNorm: number[] };

export const gradients: Part<GradientAnalysis> = {
  count: (_, { nSeed }) => nSeed,
  async compute(run, _, { nSeed, seed }) {
    const each = await all<SeedGradients>(
      run,
      range(nSeed).map((k) => ({ name: 'gradients', of: { seed: seed + k } })),
    );
    const over = (pick: (seed: SeedGradients) => number[]): number[][] =>
      pick(each[0]!).map((_, i) => each.map((one) => pick(one)[i]!));
    const lastMatrix = over((one) => one.lastMatrix);
    const means = lastMatrix.map(mean);
    return {
      nSeed,
      lastMatrix: means,
      lastMatrixStd: lastMatrix.map((values, i) => Math.sqrt(mean(values.map((value) => (value - means[i]!) ** 2)))),
      group: each[0]!.group,
      groupNorm: over((one) => one.groupNorm).map(mean),
      lastOverFirst: means.length ? means.at(-1)! / means[0]! : NaN,
    };
  },
};

type Fits = { power: GrowthFit; exponential: GrowthFit };

export const growth: Part<GrowthAnalysis> = {
  count: (_, { depths, nSeed }, nSnapshot) => 1 + (nSnapshot || depths.length * nSeed),
  async compute(run, model, { depths, nSeed, seed }, nSnapshot) {
    const perLayer = model.spec.block === 'sublayer' ? 1 : 2;
    const models: { nLayer: number; variants: Variant[] }[] = nSnapshot
      ? range(nSnapshot).map((snapshot) => ({ nLayer: NaN, variants: [{ snapshot }] }))
      : depths.map((depth) => ({
          nLayer: depth,
          variants: range(nSeed).map((k) => ({ seed: seed + k, nLayer: depth })),
        }));
    const found: { steps: number; variance: number; start: number; meanAbs: number }[] = [];
    for (const { variants } of models) {
      const each = await all<MomentAnalysis>(
        run,
        variants.map((of) => ({ name: 'moments', of })),
      );
      found.push({
        steps: each[0]!.meanAbs.length - 1,
        variance: mean(each.map(({ entryVariance }) => entryVariance.at(-1)!)),
        start: mean(each.map(({ entryVariance }) => entryVariance[0]!)),
        meanAbs: mean(each.map(({ meanAbs }) => meanAbs.at(-1)!)),
      });
    }
    found.sort((a, b) => a.steps - b.steps);
    const steps = found.map((one) => one.steps);
    const variance = found.map((one) => one.variance);
    const added = found.map((one) => one.variance - one.start);
    const fits = (await run({ name: 'fits', options: { steps, values: added } })) as Fits;
    return {
      of: nSnapshot ? 'snapshots' : 'init',
      nSeed: nSnapshot ? 1 : nSeed,
      nLayer: steps.map((count) => count / perLayer),
      steps,
      variance,
      startVariance: found.map((one) => one.start),
      meanAbs: found.map((one) => one.meanAbs),
      ...fits,
      better: betterFit(fits, new Set(steps.filter((_, i) => added[i]! > 0)).size),
    };
  },
};

/** A power law with an exponent below this is no growth. */
const GROWS = 0.05;

function betterFit({ power, exponential }: Fits, nDepth: number): 'power' | 'exponential' | null {
  if (nDepth < 3 || !(power.exponent > GROWS)) return null;
  return power.residual <= exponential.residual ? 'power' : 'exponential';
}
