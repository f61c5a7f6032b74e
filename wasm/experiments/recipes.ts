/**
 * The experiments that the lab is about, as data: what is run, and between which bounds the outcome lies. The ranges were
 * measured with this core (README.md has the numbers) and are wide enough for other seeds; digits would be luck.
 */
import type { ModelSpec } from '../runtime/types.js';
import type { Expectation, ExperimentCell, Recipe, RecipeName } from './types.js';

/** 12 blocks of width 32 on the Markov task: the model of all recipes unless one says otherwise. */
const DEEP: ModelSpec = { nLayer: 12, dModel: 32, nHead: 4, nBatch: 8, nCtx: 32 };
/** Half the depth and half the batch: a run takes a second or two. */
const SMALL: ModelSpec = { nLayer: 6, dModel: 32, nHead: 4, nBatch: 4, nCtx: 32 };
const FIVE_SEEDS = [1, 2, 3, 4, 5];
const THREE_SEEDS = [1, 2, 3];

const expect = (
  code: string,
  measure: Expectation['measure'],
  cells: ExperimentCell,
  [least, most]: [number, number],
  over?: ExperimentCell,
): Expectation => ({ code, cells, measure, ...(over && { over }), least, most });

/** Pre-LN's stream leaves the range of fp16 at high rates; weight decay puts it off; Peri-LN's stays small. */
const A: Recipe = {
  name: 'A',
  code: 'pre-ln-overflows',
  analysis: ['moments'],
  full: {
    request: {
      base: { ...DEEP, format: 'fp16' },
      steps: 400,
      grid: {
        variant: [
          { placement: 'pre-ln', learningRate: 0.12 },
          { placement: 'pre-ln', learningRate: 0.12, weightDecay: 0.02 },
          { placement: 'pre-ln', learningRate: 0.15 },
          { placement: 'peri-ln', learningRate: 0.15 },
        ],
        seed: FIVE_SEEDS,
      },
    },
    expected: [
      expect('pre-ln-overflows', 'overflow-count', { placement: 'pre-ln', learningRate: 0.15 }, [5, 5]),
      expect('peri-ln-does-not', 'overflow-count', { placement: 'peri-ln', learningRate: 0.15 }, [0, 0]),
      expect('peri-ln-learns', 'most-final-loss', { placement: 'peri-ln', learningRate: 0.15 }, [1.4, 1.7]),
      expect('some-at-a-lower-rate', 'overflow-count', { learningRate: 0.12, weightDecay: 0 }, [1, 5]),
      expect('weight-decay-prevents', 'overflow-count', { learningRate: 0.12, weightDecay: 0.02 }, [0, 0]),
    ],
  },
  thin: {
    request: {
      base: { ...SMALL, format: 'fp16', learningRate: 0.15 },
      steps: 300,
      grid: {
        variant: [{ placement: 'pre-ln' }, { placement: 'pre-ln', weightDecay: 0.02 }, { placement: 'peri-ln' }],
        seed: [1, 2],
      },
    },
    expected: [
      expect('pre-ln-overflows', 'overflow-count', { placement: 'pre-ln', weightDecay: 0 }, [2, 2]),
      expect('weight-decay-prevents', 'overflow-count', { weightDecay: 0.02 }, [0, 0]),
      expect('peri-ln-does-not', 'overflow-count', { placement: 'peri-ln' }, [0, 0]),
      expect('peri-ln-stays-small', 'most-max-abs', { placement: 'peri-ln' }, [0, 1000]),
    ],
  },
};

/** Post-LN needs warm-up, or a smaller residual step, or DeepNorm's factors. */
const B: Recipe = {
  name: 'B',
  code: 'post-ln-needs-warmup',
  analysis: ['gradients'],
  full: {
    request: {
      base: DEEP,
      steps: 500,
      grid: {
        variant: [
          { placement: 'post-ln', learningRate: 3e-3 },
          { placement: 'post-ln', learningRate: 3e-3, dt: 0.45 },
          { placement: 'post-ln', learningRate: 1e-3, warmup: 150 },
          { placement: 'post-ln', learningRate: 1e-3, dt: 0.45 },
          { placement: 'deepnorm', learningRate: 3e-3 },
        ],
        seed: THREE_SEEDS,
      },
    },
    expected: [
      expect('post-ln-stalls', 'stalled-count', { placement: 'post-ln', learningRate: 3e-3, dt: 1 }, [3, 3]),
      expect('warmup-rescues', 'stalled-count', { placement: 'post-ln', warmup: 150 }, [0, 0]),
      expect('small-step-learns', 'most-final-loss', { placement: 'post-ln', dt: 0.45 }, [1.4, 1.65]),
      expect('deepnorm-learns', 'most-final-loss', { placement: 'deepnorm' }, [1.4, 1.65]),
    ],
  },
  thin: {
    request: {
      base: { ...SMALL, nLayer: 12, learningRate: 3e-3 },
      steps: 150,
      grid: { variant: [{ placement: 'post-ln' }, { placement: 'post-ln', dt: 0.45 }], seed: [1, 2] },
    },
    expected: [
      expect('post-ln-stalls', 'stalled-count', { placement: 'post-ln', dt: 1 }, [2, 2]),
      expect('small-step-learns', 'most-final-loss', { placement: 'post-ln', dt: 0.45 }, [1.3, 2]),
    ],
  },
};

/** Gradient size per layer at the start (Xiong et al. 2020): one step each, the profile is analyse's to show. */
const C: Recipe = {
  name: 'C',
  code: 'gradient-profile',
  analysis: ['gradients'],
  full: {
    request: {
      base: { dModel: 64, nHead: 4, nBatch: 8, nCtx: 32, init: 'xavier', activation: 'relu' },
      steps: 1,
      grid: {
        placement: ['post-ln', 'pre-ln', 'peri-ln'],
        nLayer: [6, 12, 24],
        seed: [1, 2, 3, 4, 5, 6, 7, 8],
      },
    },
    expected: [
      expect('post-ln-keeps-variance', 'mean-variance', { placement: 'post-ln', nLayer: 24 }, [0.95, 1.05]),
      expect('pre-ln-grows', 'mean-variance', { placement: 'pre-ln', nLayer: 24 }, [15, 35]),
      expect('peri-ln-adds-one-a-step', 'mean-variance', { placement: 'peri-ln', nLayer: 24 }, [42, 54]),
    ],
  },
  thin: {
    request: {
      base: { dModel: 64, nHead: 4, nBatch: 8, nCtx: 32, init: 'xavier', activation: 'relu' },
      steps: 1,
      grid: { placement: ['post-ln', 'pre-ln', 'peri-ln'], nLayer: [12], seed: [1, 2, 3, 4] },
    },
    expected: [
      expect('post-ln-keeps-variance', 'mean-variance', { placement: 'post-ln' }, [0.95, 1.05]),
      expect('pre-ln-grows', 'mean-variance', { placement: 'pre-ln' }, [7, 18]),
      expect('peri-ln-adds-one-a-step', 'mean-variance', { placement: 'peri-ln' }, [22, 28]),
    ],
  },
};

/** Plain nets get worse with depth; the residual connection cures that, the norm makes it usable without special init. */
const D: Recipe = {
  name: 'D',
  code: 'plain-nets-degrade',
  analysis: [],
  full: {
    request: {
      base: { ...DEEP, learningRate: 3e-3 },
      steps: 300,
      grid: { placement: ['none', 'plain', 'plain-ln', 'pre-ln'], nLayer: [2, 6, 12], seed: [1] },
    },
    expected: [
      expect('shallow-plain-learns', 'most-final-loss', { placement: 'plain', nLayer: 2 }, [1.3, 2.5]),
      expect('deep-plain-stalls', 'stalled-count', { placement: 'plain', nLayer: 12 }, [1, 1]),
      expect('norm-alone-does-not-help', 'stalled-count', { placement: 'plain-ln', nLayer: 12 }, [1, 1]),
      expect('pre-ln-learns-at-depth', 'most-final-loss', { placement: 'pre-ln', nLayer: 12 }, [1.3, 1.6]),
    ],
  },
  thin: {
    request: {
      base: { ...SMALL, learningRate: 3e-3 },
      steps: 200,
      grid: { placement: ['plain', 'pre-ln'], nLayer: [2, 6], seed: [1] },
    },
    expected: [
      expect('shallow-plain-learns', 'most-final-loss', { placement: 'plain', nLayer: 2 }, [1.3, 2.8]),
      expect('deep-plain-stalls', 'stalled-count', { placement: 'plain', nLayer: 6 }, [1, 1]),
      expect('pre-ln-learns-at-depth', 'most-final-loss', { placement: 'pre-ln', nLayer: 6 }, [1.3, 1.8]),
    ],
  },
};

/** A smaller residual step Δt: smaller moments at every rate, and Pre-LN survives where it otherwise stalls. */
const E: Recipe = {
  name: 'E',
  code: 'residual-step',
  analysis: ['moments', 'sensitivity', 'uncertainty'],
  full: {
    request: {
      base: DEEP,
      steps: 300,
      grid: { placement: ['pre-ln', 'peri-ln'], learningRate: [0.01, 0.1], dt: [1, 0.3, 0.1], seed: [1] },
    },
    expected: [
      expect('pre-ln-variance-shrinks', 'mean-variance', { placement: 'pre-ln', dt: 1, learningRate: 0.01 }, [10, 1000], { placement: 'pre-ln', dt: 0.1, learningRate: 0.01 }), // prettier-ignore
      expect('peri-ln-variance-shrinks', 'mean-variance', { placement: 'peri-ln', dt: 1, learningRate: 0.01 }, [10, 200], { placement: 'peri-ln', dt: 0.1, learningRate: 0.01 }), // prettier-ignore
      expect('small-step-rescues-pre-ln', 'mean-final-loss', { placement: 'pre-ln', dt: 0.1, learningRate: 0.1 }, [1.4, 1.7]), // prettier-ignore
      expect('full-step-does-not', 'mean-final-loss', { placement: 'pre-ln', dt: 1, learningRate: 0.1 }, [1.9, 3.3]),
    ],
  },
  thin: {
    request: {
      base: { ...SMALL, learningRate: 0.1 },
      steps: 150,
      grid: { placement: ['pre-ln', 'peri-ln'], dt: [1, 0.1], seed: [1] },
    },
    expected: [
      expect('pre-ln-variance-shrinks', 'mean-variance', { placement: 'pre-ln', dt: 1 }, [10, 1e5], { placement: 'pre-ln', dt: 0.1 }), // prettier-ignore
      expect('peri-ln-variance-shrinks', 'mean-variance', { placement: 'peri-ln', dt: 1 }, [5, 300], { placement: 'peri-ln', dt: 0.1 }), // prettier-ignore
    ],
  },
};

/** Deep Pre-LN: late blocks hardly move the stream. Similarity and dropped blocks are analyse's to show. */
const F: Recipe = {
  name: 'F',
  code: 'late-blocks-idle',
  analysis: ['usefulness'],
  full: {
    request: {
      base: { nLayer: 32, dModel: 32, nHead: 4, nBatch: 4, nCtx: 32, learningRate: 5e-3, warmup: 20 },
      steps: 150,
      grid: { placement: ['pre-ln', 'peri-ln', 'ln-scaling'], seed: [1] },
    },
    expected: [
      expect('scaling-cuts-variance', 'mean-variance', { placement: 'pre-ln' }, [3, 100], { placement: 'ln-scaling' }),
      expect('all-learn', 'most-final-loss', {}, [1.4, 1.8]),
    ],
  },
  thin: {
    request: {
      base: { nLayer: 16, dModel: 32, nHead: 4, nBatch: 4, nCtx: 16, learningRate: 5e-3, warmup: 20 },
      steps: 80,
      grid: { placement: ['pre-ln', 'ln-scaling'], seed: [1] },
    },
    expected: [
      expect('scaling-cuts-variance', 'mean-variance', { placement: 'pre-ln' }, [2, 100], { placement: 'ln-scaling' }),
    ],
  },
};

/** Final loss over the learning rate: an output norm flattens the curve. */
const G: Recipe = {
  name: 'G',
  code: 'rate-sensitivity',
  analysis: ['moments'],
  full: {
    request: {
      base: DEEP,
      steps: 300,
      grid: {
        placement: ['pre-ln', 'peri-ln', 'output-ln'],
        learningRate: [3e-4, 1e-3, 3e-3, 1e-2, 3e-2, 1e-1, 3e-1],
        seed: [1],
      },
    },
    expected: [
      expect('peri-ln-flatter', 'rate-sensitivity', { placement: 'peri-ln' }, [0, 1 / 3], { placement: 'pre-ln' }),
      expect('output-ln-flatter', 'rate-sensitivity', { placement: 'output-ln' }, [0, 1 / 2], { placement: 'pre-ln' }),
    ],
  },
  thin: {
    request: {
      base: SMALL,
      steps: 150,
      grid: { placement: ['pre-ln', 'peri-ln'], learningRate: [1e-2, 1e-1, 3e-1], seed: [1] },
    },
    expected: [
      expect('peri-ln-flatter', 'rate-sensitivity', { placement: 'peri-ln' }, [0, 1 / 3], { placement: 'pre-ln' }),
    ],
  },
};

/** By name. `experiment(RECIPES.A.thin.request)` runs one; `checkRecipe(RECIPES.A.thin, records)` compares. */
export const RECIPES: Readonly<Record<RecipeName, Recipe>> = { A, B, C, D, E, F, G };
