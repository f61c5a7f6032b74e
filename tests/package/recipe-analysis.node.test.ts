/** What recipes C, E and F are about beyond their records: the trained models of a sweep, under analysis. */
import { analyse, type Analysis, type AnalysisPart, experiment, type ExperimentRequest, RECIPES } from 'normscope';
import { describe, expect, it } from 'vitest';

const full = process.env.NORMSCOPE_RECIPES === 'full';
const limit = full ? 3_600_000 : 300_000;
const data = { kind: 'markov' } as const;

/** One analysis for each cell, in grid order. */
async function analyseCells(request: ExperimentRequest, parts: AnalysisPart[]): Promise<Analysis[]> {
  const analyses: Analysis[] = [];
  const records = await experiment({
    ...request,
    onSnapshot: async ({ index }, snapshot) => void (analyses[index] = await analyse({ snapshot, data, parts })),
  }).records;
  expect(analyses.length).toBe(records.length);
  return analyses;
}

const mean = (values: number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
const lastQuarter = (values: number[]): number => mean(values.slice(-Math.floor(values.length / 4)));
/** Printed in full runs: what README.md says. */
const report = (name: string, rows: unknown): void => void (full && console.log(name, JSON.stringify(rows)));

describe('recipe C', () => {
  it(
    'has level gradients in Post-LN at the start, and falling ones in Pre-LN and Peri-LN',
    async () => {
      const { base } = RECIPES.C.full.request;
      const ratio: Record<string, number> = {};
      for (const placement of ['post-ln', 'pre-ln', 'peri-ln'] as const) {
        const spec = { ...base, placement, nLayer: 12 };
        const { gradients } = await analyse({ spec, data, parts: ['gradients'], nSeed: full ? 8 : 2 });
        ratio[placement] = gradients!.lastOverFirst;
      }
      report('C, last block / first block', ratio);
      expect(ratio['post-ln']).toBeGreaterThan(0.9);
      expect(ratio['pre-ln']).toBeLessThan(0.6);
      expect(ratio['peri-ln']).toBeLessThan(0.6);
    },
    limit,
  );
});

describe('recipe E', () => {
  it(
    'makes moments, Jacobians and distances smaller with the residual step',
    async () => {
      const request: ExperimentRequest = {
        base: { ...RECIPES.E.thin.request.base, nCtx: 16, learningRate: 0.01 },
        grid: { placement: ['pre-ln', 'peri-ln'], dt: [1, 0.3, 0.1], seed: [1] },
        steps: full ? 300 : 60,
      };
      const analyses = await analyseCells(request, ['moments', 'sensitivity', 'uncertainty']);
      const measured = analyses.map(({ moments, sensitivity, uncertainty }) => ({
        variance: moments!.entryVariance.at(-1)!,
        largestStep: Math.max(...sensitivity!.step),
        distance: uncertainty!.exact.at(-1)!,
        relative: uncertainty!.exactRelative.at(-1)!,
      }));
      report('E, Pre-LN then Peri-LN, Δt 1, 0.3, 0.1', measured);
      for (const of of [measured.slice(0, 3), measured.slice(3)])
        for (const quantity of ['variance', 'largestStep', 'distance'] as const) {
          const [one, third, tenth] = of.map((each) => each[quantity]) as [number, number, number];
          expect(one, quantity).toBeGreaterThan(third);
          expect(third, quantity).toBeGreaterThan(tenth);
        }
    },
    limit,
  );
});

describe('recipe F', () => {
  it(
    'has late blocks in deep Pre-LN that hardly turn the stream and are hardly missed',
    async () => {
      const { request } = RECIPES.F[full ? 'full' : 'thin'];
      const grid = { placement: ['pre-ln', 'peri-ln'], seed: [1] } as const;
      const [pre, peri] = (await analyseCells({ ...request, grid }, ['usefulness'])).map(({ usefulness }) => ({
        late: lastQuarter(usefulness!.cosine),
        early: usefulness!.cosine[0]!,
        lateDrop: lastQuarter(usefulness!.dropLoss),
        firstDrop: usefulness!.dropLoss[0]!,
      }));
      report('F, Pre-LN and Peri-LN', [pre, peri]);
      expect(pre!.late).toBeLessThan(pre!.early / 20);
      expect(pre!.lateDrop).toBeLessThan(pre!.firstDrop / 5);
      expect(pre!.late).toBeLessThan(peri!.late);
    },
    limit,
  );
});
