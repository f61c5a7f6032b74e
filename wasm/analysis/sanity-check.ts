import { checkFlag, checkFunction, checkInteger, checkKeys, checkSignal } from '../runtime/checks.js';
import { startEngine } from '../runtime/core.js';
import { NormscopeError } from '../runtime/errors.js';
import { dataLines, specFromPlan, specLines } from '../runtime/spec.js';
import type { ModelSpec, TrainingData } from '../runtime/types.js';
import { analyse } from './analyse.js';
import { SWEEP_STEPS, sweepRates, type RateSweep } from './rate-sweep.js';
import { isSmaller, smallVersion, type Size } from './small-version.js';
import { theoryLines } from './theory.js';
import type { Analysis, AssumptionCode, GradientAnalysis, SanityReport, SanityRequest, SanityStage } from './types.js';

const STAGES: SanityStage[] = ['sensitivity', 'hamiltonian', 'growth', 'gradients', 'training'];
/** Slopes of log–log lines: below the first a quantity does not follow the scale, above the second it grows. */
const FLAT = 0.05;
const GROWING = 0.5;
const ROUNDING = 1e-9;
/** Wide enough for a stream norm to be saturated by the branch also where the skip path weighs much. */
const WIDE_SCALES = [1, 10, 100, 1e3, 1e4];

/**
 * What theory and measurement say of a wiring, in one report of codes and numbers. Verdicts come from the wiring's fields
 * and from measurements on a model of at most 6 layers and width 32; the name of the placement is not read. The same
 * wiring under two names gives the same report but for `name`.
 * @throws NormscopeError bad-spec | bad-data | bad-option | aborted | …
 */
export async function sanityCheck(request: SanityRequest): Promise<SanityReport> {
  checkKeys('sanityCheck', request, ['spec', 'data', 'quick', 'name', 'onProgress', 'signal', 'thread']);
  checkSignal(request.signal);
  checkFunction('onProgress', request.onProgress);
  specLines(request.spec);
  const quick = checkFlag('quick', request.quick) ?? false;
  const data: TrainingData = request.data ?? { kind: 'markov', ...vocabulary(request.spec) };
  const spec = await canonical(request.spec, data, request.signal);
  const small = smallVersion(spec, quick);
  const measured = await measure(small.spec, data, quick, request);
  return report(request, spec, small.size, measured);
}

/** A given vocabulary must hold the chain's symbols. */
function vocabulary(spec: ModelSpec): { nSymbol?: number } {
  const nVocab = spec.nVocab ?? 0;
  return nVocab > 0 && nVocab < 32 ? { nSymbol: nVocab } : {};
}

/**
 * Every field, as the core understands the request. Planned with one layer and one token, so that a model of any depth
 * can be asked about.
 */
async function canonical(spec: ModelSpec, data: TrainingData, signal?: AbortSignal): Promise<Required<ModelSpec>> {
  const engine = await startEngine({ signal });
  const read = (asked: ModelSpec, lines: string): Required<ModelSpec> => {
    const core = engine.create('model', specLines(asked), lines);
    const { spec: found } = core.describe();
    core.free();
    return specFromPlan(found) as Required<ModelSpec>;
  };
  const usual = read({}, '');
  const { nLayer = usual.nLayer, nCtx = usual.nCtx, nBatch = usual.nBatch } = spec;
  for (const [name, size] of Object.entries({ nLayer, nCtx, nBatch })) checkInteger(`spec.${name}`, size);
  const one = { nLayer: Math.min(nLayer, 1), nCtx: Math.min(nCtx, 1), nBatch: Math.min(nBatch, 1) };
  return { ...read({ ...spec, ...one }, dataLines(data)), nLayer, nCtx, nBatch };
}

interface Measured {
  analysis: Analysis;
  growth: NonNullable<Analysis['growth']>;
  gradients: GradientAnalysis;
  /** Gradient of the last block with 12 layers over that with 3. */
  gradientDepth: number;
  training: RateSweep | null;
}

async function measure(spec: ModelSpec, data: TrainingData, quick: boolean, request: SanityRequest): Promise<Measured> {
  const { signal, thread, onProgress } = request;
  const stages = quick ? STAGES.slice(0, -1) : STAGES;
  const at = (stage: SanityStage) => (part: { fraction: number }) =>
    onProgress?.({ fraction: (stages.indexOf(stage) + part.fraction) / stages.length, stage });
  const shared = { spec, data, ...(signal && { signal }), ...(thread && { thread }) };
  const analysis = await analyse({
    ...shared,
    parts: ['moments', 'sensitivity', 'activationScale', 'uncertainty'],
    onProgress: at('sensitivity'),
  });
  Object.assign(
    analysis,
    await analyse({ ...shared, parts: ['hamiltonian'], scales: WIDE_SCALES, onProgress: at('hamiltonian') }),
  );
  const { growth } = await analyse({
    ...shared,
    parts: ['growth'],
    depths: quick ? [1, 2, 4] : [1, 2, 4, 8],
    nSeed: quick ? 1 : 2,
    onProgress: at('growth'),
  });
  const nSeed = quick ? 2 : 4;
  const profile = async (nLayer: number): Promise<GradientAnalysis> =>
    (await analyse({ ...shared, spec: { ...spec, nLayer }, parts: ['gradients'], nSeed })).gradients!;
  const gradients = await profile(spec.nLayer!);
  at('gradients')({ fraction: 0.3 });
  const gradientDepth = (await profile(12)).lastMatrix.at(-1)! / (await profile(3)).lastMatrix.at(-1)!;
  at('gradients')({ fraction: 1 });
  const training = quick ? null : await sweepRates({ ...spec, format: 'fp32' }, data, { signal, thread });
  if (signal?.aborted)
    throw new NormscopeError('aborted', 'sanityCheck was aborted by its signal', { cause: signal.reason });
  if (!quick) at('training')({ fraction: 1 });
  return { analysis, growth: growth!, gradients, gradientDepth, training };
}

/** JSON has no NaN. */
const number = (value: number | undefined): number | null =>
  value !== undefined && Number.isFinite(value) ? value : null;
const numbers = (values: number[]): (number | null)[] => values.map(number);
/** The largest value that is a number; null when there is none. */
const largest = (values: number[]): number | null =>
  number(Math.max(...values.filter((value) => !Number.isNaN(value))));

function report(request: SanityRequest, spec: Required<ModelSpec>, size: Size, measured: Measured): SanityReport {
  const { analysis, growth, gradients, training } = measured;
  const { placement: _, ...fields } = specLinesAsRecord(analysis, spec);
  const smaller = isSmaller(size, spec);
  return {
    version: 1,
    name: request.name ?? spec.placement,
    spec: fields,
    measuredOn: size,
    hamiltonian: hamiltonianVerdict(analysis, spec, smaller),
    growth: {
      bounded: analysis.wiring.every(({ bounded }) => bounded),
      holds: analysis.moments!.holds,
      steps: growth.steps,
      variance: numbers(growth.variance),
      better: growth.better,
      exponent: number((growth.better === 'exponential' ? growth.exponential : growth.power).exponent),
    },
    sensitivity: sensitivityVerdict(analysis),
    gradientProfile: {
      nSeed: gradients.nSeed,
      lastMatrix: numbers(gradients.lastMatrix),
      firstOverLast: number(1 / gradients.lastOverFirst),
      spread: number(spread(gradients.lastMatrix)),
    },
    warmup: training?.warmup ?? { needed: null, learningRate: null, lossWithout: null, lossWith: null },
    largestSafeRate: training?.largestSafeRate ?? null,
    sweep: training?.sweep ?? [],
    trained: training && { ...size, steps: SWEEP_STEPS },
    theory: theoryLines(analysis, measured.gradientDepth, spec),
    notMeasured: notMeasured(analysis, training),
  };
}

/** The asked model's own fields, in the core's spelling. */
function specLinesAsRecord({ spec: measured }: Analysis, spec: Required<ModelSpec>): SanityReport['spec'] {
  const lines = specLines(spec).trimEnd().split('\n');
  const text = Object.fromEntries(lines.map((line) => line.split(' ') as [string, string]));
  return Object.fromEntries(
    Object.entries(measured).map(([name, value]) => {
      const own = text[name] ?? String(value);
      return [name, typeof value === 'number' ? Number(own) : typeof value === 'boolean' ? own === 'true' : own];
    }),
  );
}

function hamiltonianVerdict(
  analysis: Analysis,
  spec: Required<ModelSpec>,
  smaller: boolean,
): SanityReport['hamiltonian'] {
  const { wiring, steps } = analysis;
  const { exponent, power, steepest, support } = analysis.hamiltonian!;
  const limited = wiring.map(({ normOutput, normStream }) => normOutput || normStream);
  const byWiring = limited.every(Boolean);
  const growth = largest(exponent);
  const overSupport = support.flatMap((most, i) => [...power[i]!, ...steepest[i]!].map((value) => value / most));
  const powerOverSupport = largest(overSupport);
  const grows = exponent.some((value) => value >= GROWING) || overSupport.some((value) => value > 1 + ROUNDING);
  const measured = growth !== null || powerOverSupport !== null;
  return {
    bounded: byWiring && !grows ? measured || null : false,
    byWiring,
    exponent: growth,
    powerOverSupport,
    assumptions: assumptions(analysis, spec, byWiring, smaller),
    unboundedSteps: steps.filter((_, i) => !limited[i]),
  };
}

/** Outputs of an output norm this far inside their ellipsoid feel ε: it is not small beside the branch's variance. */
const FEELS_EPS = -0.05;

function assumptions(
  { hamiltonian, wiring }: Analysis,
  spec: Required<ModelSpec>,
  bounded: boolean,
  smaller: boolean,
): AssumptionCode[] {
  const limited = bounded && wiring.length > 0;
  const codes: [AssumptionCode, boolean][] = [
    ['fixed-gamma-out', limited && spec.normAffine],
    ['gamma-undecayed', limited && spec.normAffine && !(spec.weightDecay > 0 && (spec.decayGamma || spec.decay1d))],
    ['no-affine', limited && !spec.normAffine],
    ['stream-norm', limited && wiring.some(({ normStream }) => normStream)],
    ['no-weight-decay', !bounded && spec.weightDecay === 0],
    ['weight-decay-quadratic', !bounded && spec.weightDecay > 0],
    ['eps-matters', hamiltonian!.lemma1.some(({ radiusExcess }) => radiusExcess < FEELS_EPS)],
    ['at-initialization', true],
    ['small-model', smaller],
  ];
  return codes.filter(([, holds]) => holds).map(([code]) => code);
}

function sensitivityVerdict(analysis: Analysis): SanityReport['sensitivity'] {
  const { exponent } = analysis.activationScale!;
  const { step, product, wholeNet } = analysis.sensitivity!;
  const known = exponent.filter((value) => !Number.isNaN(value));
  return {
    scaleInvariant: known.every((value) => Math.abs(value) < FLAT)
      ? (known.length > 0 && known.length === exponent.length) || null
      : false,
    exponent: largest(known),
    step: numbers(step),
    product: number(product),
    wholeNet: number(wholeNet),
  };
}

function spread(values: number[]): number {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  return Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length) / mean;
}

function notMeasured(
  { activationScale, hamiltonian, moments, uncertainty }: Analysis,
  training: RateSweep | null,
): string[] {
  const missing: [string, boolean][] = [
    ['training', training === null],
    ['warmup', training !== null && training.warmup.needed === null],
    ['largest-safe-rate', training !== null && training.largestSafeRate === null],
    ['activation-scale', activationScale!.exponent.every(Number.isNaN)],
    ['hamiltonian', hamiltonian!.exponent.every(Number.isNaN)],
    ['moment-bounds', moments!.holds === null],
    ['uncertainty-bound', uncertainty!.holds === null],
  ];
  return missing.filter(([, is]) => is).map(([code]) => code);
}
