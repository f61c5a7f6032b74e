/** Which pieces each part of an analysis is made of, and how they are put together. */
import { gradients, growth } from './model-parts.js';
import { all, mean, range, type Description, type Part } from './part.js';
import type {
  ActivationScaleAnalysis,
  Analysis,
  AnalysisPart,
  Ellipsoid,
  HamiltonianAnalysis,
  LayerNormJacobian,
  MatrixAnalysis,
  MomentAnalysis,
  SensitivityAnalysis,
  UncertaintyAnalysis,
  UsefulnessAnalysis,
  WeightAnalysis,
  WeightPath,
} from './types.js';

const nLayer = (model: Description): number => Number(model.spec.n_layer);

/** Least squares of log |y| against log x; NaN with fewer than two usable points. */
export function logSlope(x: readonly number[], y: readonly number[]): number {
  const points = x
    .map((value, i) => [Math.log(value), Math.log(Math.abs(y[i]!))] as const)
    .filter(([u, v]) => Number.isFinite(u) && Number.isFinite(v));
  const u0 = mean(points.map(([u]) => u));
  const v0 = mean(points.map(([, v]) => v));
  const square = points.reduce((sum, [u]) => sum + (u - u0) ** 2, 0);
  return square > 0 ? points.reduce((sum, [u, v]) => sum + (u - u0) * (v - v0), 0) / square : NaN;
}

/** Every value under its bound; null where no bound is stated. Room for the rounding of sums in double. */
function keeps(pairs: [measured: number[], bound: number[]][]): boolean | null {
  const stated = pairs.flatMap(([measured, bound]) =>
    bound.map((limit, i) => [measured[i]!, limit] as const).filter(([, limit], i) => i > 0 && !Number.isNaN(limit)),
  );
  return stated.length === 0 ? null : stated.every(([value, limit]) => value <= limit * (1 + 1e-9));
}

const moments: Part<MomentAnalysis> = {
  count: () => 1,
  async compute(run) {
    const found = (await run({ name: 'moments' })) as Omit<MomentAnalysis, 'holds'>;
    const { meanAbs, entryVariance, dataVariance, boundMeanAbs, boundStd, boundDataStd } = found;
    return {
      ...found,
      holds: keeps([
        [meanAbs, boundMeanAbs],
        [entryVariance.map(Math.sqrt), boundStd],
        [dataVariance.map(Math.sqrt), boundDataStd],
      ]),
    };
  },
};

type StepSensitivity = { method: 'dense' | 'power'; step: number; branch: number; disagreement: number };

const sensitivity: Part<SensitivityAnalysis> = {
  count: ({ steps }) => steps.length + 1,
  async compute(run, { steps }) {
    const each = await all<StepSensitivity>(
      run,
      steps.map((_, step) => ({ name: 'sensitivity', options: { step } })),
    );
    const { wholeNet } = (await run({ name: 'sensitivity' })) as { wholeNet: number };
    return {
      method: each[0]?.method ?? 'dense',
      step: each.map(({ step }) => step),
      branch: each.map(({ branch }) => branch),
      product: each.reduce((product, { step }) => product * step, 1),
      wholeNet,
      disagreement: Math.max(0, ...each.map(({ disagreement }) => disagreement)),
    };
  },
};

type ScaledNet = { moments: MomentAnalysis; loss: number; gain: number };

const activationScale: Part<ActivationScaleAnalysis> = {
  count: ({ steps }, { scales }) => scales.length * (steps.length + 1),
  async compute(run, { steps, points }, { scales }) {
    const nets: ScaledNet[] = [];
    const at: { step: number; branch: number }[][] = [];
    for (const scale of scales) {
      nets.push((await run({ name: 'scaled-net', options: { scale } })) as ScaledNet);
      at.push(
        await all(
          run,
          steps.map((_, step) => ({ name: 'scaled-step', options: { scale, step } })),
        ),
      );
    }
    const branch = steps.map((_, step) => at.map((row) => row[step]!.branch));
    return {
      scales: [...scales],
      branch,
      exponent: branch.map((norms) => logSlope(scales, norms)),
      wholeNet: {
        variance: points.map((_, i) => nets.map((net) => net.moments.entryVariance[i]!)),
        meanAbs: points.map((_, i) => nets.map((net) => net.moments.meanAbs[i]!)),
        step: steps.map((_, step) => at.map((row) => row[step]!.step)),
        loss: nets.map(({ loss }) => loss),
        gain: nets.map(({ gain }) => gain),
      },
    };
  },
};

type StepHamiltonian = {
  power: number[];
  steepest: number[];
  support: number;
  regularized: number;
  regularizedPerToken: number;
  lemma1: HamiltonianAnalysis['lemma1'][number];
};

/** What rounding in double may add to a point of the ellipsoid. */
const LEMMA_TOLERANCE = 1e-9;

const hamiltonian: Part<HamiltonianAnalysis> = {
  count: ({ steps }) => steps.length + 1,
  async compute(run, { steps }, { scales }) {
    const each = await all<StepHamiltonian>(
      run,
      steps.map((_, step) => ({ name: 'hamiltonian', options: { step, scales } })),
    );
    const lemmas = each.map(({ lemma1 }) => lemma1).filter((lemma) => typeof lemma === 'object' && lemma !== null);
    const last = Math.max(0, scales.length - 2);
    return {
      scales: [...scales],
      power: each.map(({ power }) => power),
      steepest: each.map(({ steepest }) => steepest),
      support: each.map(({ support }) => support),
      regularized: each.map(({ regularized }) => regularized),
      regularizedPerToken: each.map(({ regularizedPerToken }) => regularizedPerToken),
      exponent: each.map(({ steepest }) => logSlope(scales.slice(last), steepest.slice(last))),
      lemma1: lemmas.map((lemma) => ({
        ...lemma,
        holds: Number.isNaN(lemma.radiusExcess)
          ? null
          : lemma.radiusExcess <= LEMMA_TOLERANCE && !(lemma.planeResidual > LEMMA_TOLERANCE),
      })),
      ellipsoid: (await run({ name: 'ellipsoid' })) as Ellipsoid | null,
    };
  },
};

const N_DIRECTION = 64;
type Distances = { nPoint: number; sliced: number; exact: number; paired: number; std: number };

const uncertainty: Part<UncertaintyAnalysis> = {
  count: ({ points }) => points.length + 1,
  async compute(run, { points }, { clouds, nPoint, noise, seed }) {
    const shared = { tokens: Number(clouds === 'tokens'), n_point: nPoint, noise, seed, n_direction: N_DIRECTION };
    const each = await all<Distances>(
      run,
      points.map((_, point) => ({ name: 'distances', options: { ...shared, point } })),
    );
    const { bound } = (await run({ name: 'distance-bound', options: shared })) as { bound: number[] };
    const exact = each.map((at) => at.exact);
    return {
      clouds,
      nPoint: each[0]!.nPoint,
      nDirection: N_DIRECTION,
      sliced: each.map(({ sliced }) => sliced),
      exact,
      paired: each.map(({ paired }) => paired),
      bound,
      std: each.map(({ std }) => std),
      slicedRelative: each.map(({ sliced, std }) => sliced / std),
      exactRelative: each.map((at) => at.exact / at.std),
      holds: keeps([[exact, bound]]),
    };
  },
};

const usefulness: Part<UsefulnessAnalysis> = {
  count: (model) => 1 + nLayer(model),
  async compute(run, model) {
    const states = (await run({ name: 'usefulness' })) as Omit<UsefulnessAnalysis, 'dropLoss'>;
    const drops = await all<{ dropLoss: number }>(
      run,
      range(nLayer(model)).map((block) => ({ name: 'drop-block', options: { block } })),
    );
    return { ...states, dropLoss: drops.map(({ dropLoss }) => dropLoss) };
  },
};

/** Below this, alignment and loss change count as none: ε and the digits of the parameters leave about 1e-5. */
const INVARIANCE = 1e-3;

const weights: Part<WeightAnalysis> = {
  count: ({ matrices }) => matrices.length + 1,
  async compute(run, { matrices, spec }) {
    const found = await all<Omit<MatrixAnalysis, 'scaleInvariant' | 'effectiveRate'>>(
      run,
      matrices.map((_, index) => ({ name: 'matrix', options: { index } })),
    );
    return {
      matrices: found.map((matrix) => ({
        ...matrix,
        scaleInvariant: isScaleInvariant(matrix),
        effectiveRate: effectiveRate(matrix, spec),
      })),
      gammaOut: (await run({ name: 'output-gains' })) as WeightAnalysis['gammaOut'],
    };
  },
};

function isScaleInvariant({
  alignment,
  lossChange,
  gradNorm,
}: Pick<MatrixAnalysis, 'alignment' | 'lossChange' | 'gradNorm'>): boolean | null {
  if (!(gradNorm > 0) || Number.isNaN(alignment) || Number.isNaN(lossChange)) return null;
  return Math.abs(alignment) < INVARIANCE && lossChange < INVARIANCE;
}

function effectiveRate({ norm, shape }: Pick<MatrixAnalysis, 'norm' | 'shape'>, spec: Description['spec']): number {
  const rate = Number(spec.learning_rate);
  return spec.optimizer === 'sgd' ? rate / norm ** 2 : (rate * Math.sqrt(shape[0]! * shape[1]!)) / norm;
}

type PathPoint = Record<'norm' | 'gradNorm' | 'gammaRms' | 'gammaMax', number[]> &
  Record<'step' | 'rate' | 'loss', number>;

const weightPath: Part<WeightPath> = {
  count: (_, { steps, every }) => Math.ceil(steps / every),
  async compute(run, { spec }, { steps, every, renormalise }) {
    const path = await all<PathPoint>(
      run,
      range(Math.ceil(steps / every)).map((i) => ({
        name: 'train',
        options: { steps: Math.min(every, steps - i * every), renormalise: Number(renormalise) },
      })),
    );
    const d = Number(spec.d_model);
    const dFF = Number(spec.d_ff) || 4 * d;
    const nIn = (i: number): number => (spec.block === 'sublayer' || i % 2 === 0 ? d : dFF);
    return {
      renormalised: renormalise,
      step: path.map(({ step }) => step),
      loss: path.map(({ loss }) => loss),
      norm: path.map(({ norm }) => norm),
      gradNorm: path.map(({ gradNorm }) => gradNorm),
      effectiveRate: path.map(({ norm, rate }) =>
        norm.map((value, i) => effectiveRate({ norm: value, shape: [d, nIn(i)] }, { ...spec, learning_rate: rate })),
      ),
      gammaRms: path.map(({ gammaRms }) => gammaRms),
      gammaMax: path.map(({ gammaMax }) => gammaMax),
    };
  },
};

const layerNormJacobian: Part<LayerNormJacobian | undefined> = {
  count: () => 1,
  async compute(run, _, { vector }) {
    const found = await run({ name: 'norm-jacobian', options: vector ? { vector } : {} });
    return (found as LayerNormJacobian | null) ?? undefined;
  },
};

export const PARTS: { [P in AnalysisPart]: Part<Analysis[P]> } = {
  moments,
  sensitivity,
  activationScale,
  hamiltonian,
  uncertainty,
  usefulness,
  weights,
  gradients,
  growth,
  weightPath,
  layerNormJacobian,
};
