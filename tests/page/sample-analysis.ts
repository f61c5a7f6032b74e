/** Made-up analyses with the shapes that theory gives, for tests of what is drawn from them. */
import type { Analysis, SanityReport, WeightPath } from 'normscope';

const SCALES = [1, 10, 100];

/** A net of two blocks and four features, with an output norm (invariant, bounded) or without (neither). */
export function sampleAnalysis(outputNorm: boolean, nLayer = 2): Analysis {
  const points = ['resid_embedding'];
  const steps: string[] = [];
  for (let l = 0; l < nLayer; l += 1) {
    points.push(`blocks.${l}.resid_mid`, `blocks.${l}.resid_post`);
    steps.push(`blocks.${l}.attn.out_proj`, `blocks.${l}.mlp.fc2`);
  }
  const D = steps.length;
  const atPoints = (value: (i: number) => number) => Array.from({ length: D + 1 }, (_, i) => value(i));
  const atSteps = (value: (i: number) => number) => Array.from({ length: D }, (_, i) => value(i));
  const slope = outputNorm ? 0 : 1;
  const fit = { factor: 1, exponent: 1.2, residual: 0.01 };
  return {
    spec: { n_layer: nLayer, d_model: 4 },
    points,
    steps,
    loss: 3.1,
    wiring: atSteps(() => 0).map(() => ({
      normInput: true,
      normOutput: outputNorm,
      normStream: false,
      keep: 1,
      bounded: outputNorm,
    })),
    moments: {
      meanAbs: atPoints((i) => 1 + 0.3 * i),
      entryVariance: atPoints((i) => 1 + i),
      dataVariance: atPoints((i) => 1 + 0.9 * i),
      maxAbs: atPoints((i) => 3 + i),
      boundMeanAbs: atPoints((i) => (outputNorm ? 1 + i : Number.NaN)),
      boundStd: atPoints((i) => (outputNorm ? 1 + i : Number.NaN)),
      boundDataStd: atPoints((i) => (outputNorm ? 1 + i : Number.NaN)),
      holds: outputNorm ? true : null,
    },
    sensitivity: {
      method: 'dense',
      step: atSteps((i) => 3 / (i + 1) + slope),
      branch: atSteps((i) => 2 / (i + 1)),
      product: 24,
      wholeNet: 4.2,
      disagreement: 1e-9,
    },
    activationScale: {
      scales: SCALES,
      branch: atSteps((i) => i).map((i) => SCALES.map((c) => (2 / (i + 1)) * c ** slope)),
      exponent: atSteps(() => slope),
      wholeNet: {
        variance: atPoints((i) => i).map((i) => SCALES.map((c) => 1 + i * c ** (2 * slope))),
        meanAbs: atPoints((i) => i).map((i) => SCALES.map((c) => 1 + i * c ** slope)),
        step: atSteps((i) => i).map((i) => SCALES.map(() => 2 / (i + 1))),
        loss: SCALES.map(() => 3.1),
        gain: SCALES.map((c) => 2 * c ** slope),
      },
    },
    hamiltonian: {
      scales: SCALES,
      power: atSteps(() => 0).map(() => SCALES.map((c) => (outputNorm ? 0.1 : -0.1 * c))),
      steepest: atSteps(() => 0).map(() => SCALES.map((c) => (outputNorm ? 0.3 : 0.2 * c))),
      support: atSteps(() => (outputNorm ? 0.5 : Number.NaN)),
      regularized: atSteps(() => Number.NaN),
      regularizedPerToken: atSteps(() => Number.NaN),
      exponent: atSteps(() => slope),
      lemma1: outputNorm
        ? [{ norm: 'blocks.0.ln_attn_out', kind: 'layernorm', radiusExcess: -1e-6, planeResidual: 1e-9, holds: true }]
        : [],
      ellipsoid: outputNorm
        ? {
            norm: 'blocks.0.ln_attn_out',
            projection: 'largest-axes',
            features: [2, 0, 1],
            center: [0, 0, 0],
            matrix: [
              [2, 0, 0],
              [0, 1.5, 0],
              [0, 0, 1],
            ],
            outline: [],
            outputs: Array.from({ length: 24 }, (_, i) => [1.8 * Math.cos(i), 1.3 * Math.sin(i), 0.2]),
            maximizers: [[1.9, 0.2, 0.1]],
          }
        : null,
    },
    uncertainty: {
      clouds: 'noise',
      nPoint: 64,
      nDirection: 64,
      sliced: atPoints((i) => 0.01 + 0.002 * i),
      exact: atPoints((i) => 0.02 + 0.004 * i),
      paired: atPoints((i) => 0.03 + 0.004 * i),
      bound: atPoints((i) => (outputNorm ? 0.02 + 4 * i : i ? Number.NaN : 0.02)),
      std: atPoints((i) => 1 + i),
      slicedRelative: atPoints(() => 0.01),
      exactRelative: atPoints(() => 0.02),
      holds: outputNorm ? true : null,
    },
    usefulness: {
      cosine: atSteps((i) => 0.1 / (i + 1)),
      relativeChange: atSteps((i) => 0.4 / (i + 1)),
      dropLoss: Array.from({ length: nLayer }, (_, l) => 0.4 - 0.25 * l),
      tokenSimilarity: atPoints((i) => 0.1 + 0.05 * i),
      massive: atPoints((i) => i).map((i) => ({
        maxOverMedian: 5 + i,
        top: [{ channel: 3, token: 7, value: 4 + i }],
      })),
    },
    weights: {
      matrices: steps.map((step, i) => ({
        name: `${step}.weight`,
        shape: [4, 4],
        norm: 2 + i,
        gradNorm: 0.1 / (i + 1),
        product: 0.2,
        spectralNorm: 1,
        effectiveRank: 3.2,
        alignment: outputNorm ? 1e-9 : 0.2,
        lossChange: outputNorm ? 1e-9 : 0.2,
        scaleInvariant: outputNorm,
        effectiveRate: 0.01,
      })),
      gammaOut: {
        meanAbs: atSteps(() => (outputNorm ? 1 : Number.NaN)),
        rms: atSteps(() => (outputNorm ? 1 : Number.NaN)),
        maxAbs: atSteps(() => (outputNorm ? 1 : Number.NaN)),
        minAbs: atSteps(() => (outputNorm ? 1 : Number.NaN)),
      },
    },
    gradients: {
      nSeed: 8,
      lastMatrix: Array.from({ length: nLayer }, (_, l) => 1 / (l + 1)),
      lastMatrixStd: Array.from({ length: nLayer }, () => 0.05),
      group: ['embedding', 'head'],
      groupNorm: [1, 2],
      lastOverFirst: 1 / nLayer,
    },
    growth: {
      of: 'init',
      nSeed: 8,
      nLayer: [2, 4, 8],
      steps: [4, 8, 16],
      variance: [4, 8, 17],
      startVariance: [1, 1, 1],
      meanAbs: [1, 2, 4],
      power: fit,
      exponential: { ...fit, exponent: 0.1, residual: 0.2 },
      better: 'power',
    },
    layerNormJacobian: {
      norm: 'blocks.0.ln_attn_in',
      kind: 'layernorm',
      x: [1, 2, 3, 4],
      rstd: 0.9,
      matrix: [],
      eigenvalues: [],
      singularValues: [0.9, 0.9, 1e-6, 0],
      disagreement: 1e-9,
    },
  };
}

/** Weights over five steps of training; without an output norm there is no gain to follow. */
export function samplePath(outputNorm: boolean, renormalised: boolean): WeightPath {
  const step = [1, 2, 3, 4, 5];
  const rows = (value: (i: number) => number) => step.map((_, i) => [value(i), value(i)]);
  return {
    renormalised,
    step,
    loss: step.map((i) => 3.4 - 0.2 * i),
    norm: rows((i) => (renormalised ? 2 : 2 + i)),
    gradNorm: rows(() => 0.1),
    effectiveRate: rows((i) => 0.01 / (renormalised ? 1 : 1 + i)),
    gammaRms: rows((i) => (outputNorm ? 1 + 0.1 * i : Number.NaN)),
    gammaMax: rows((i) => (outputNorm ? 1 + 0.2 * i : Number.NaN)),
  };
}

export function sampleReport(outputNorm: boolean): SanityReport {
  return {
    version: 1,
    name: null,
    spec: {},
    measuredOn: { nLayer: 2, dModel: 8, nBatch: 2, nCtx: 8 },
    hamiltonian: {
      bounded: outputNorm,
      byWiring: outputNorm,
      exponent: outputNorm ? 0 : 1,
      powerOverSupport: outputNorm ? 0.61 : null,
      assumptions: outputNorm ? ['fixed-gamma-out', 'gamma-undecayed'] : ['no-weight-decay'],
      unboundedSteps: outputNorm ? [] : ['blocks.0.attn.out_proj', 'blocks.0.mlp.fc2'],
    },
    growth: {
      bounded: outputNorm,
      holds: outputNorm ? true : null,
      steps: [4, 8, 16],
      variance: [4, 8, 17],
      better: 'power',
      exponent: 1.04,
    },
    sensitivity: {
      scaleInvariant: outputNorm,
      exponent: outputNorm ? 0 : 1,
      step: [2, 3],
      product: 6,
      wholeNet: 4,
    },
    gradientProfile: { nSeed: 8, lastMatrix: [1, 0.5], firstOverLast: 2, spread: 0.3 },
    warmup: { needed: null, learningRate: null, lossWithout: null, lossWith: null },
    largestSafeRate: null,
    sweep: [],
    trained: null,
    theory: [
      { code: 'branch-exponent', predicted: outputNorm ? 0 : 1, measured: outputNorm ? 0 : 1, agrees: true },
      { code: 'gradient-depth', predicted: 0.5, measured: null, agrees: null },
    ],
    notMeasured: ['warmup', 'largest-safe-rate'],
  };
}
