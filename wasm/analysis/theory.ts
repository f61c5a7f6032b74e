/** What the theory predicts for a wiring, beside what was measured. */
import type { ModelSpec } from '../runtime/types.js';
import type { Analysis, TheoryLine } from './types.js';

/** How far a measured slope may be from its prediction. */
const SLOPE = 0.05;
/** Of the sum of uncorrelated branches, one batch at initialization. */
const VARIANCE = 0.3;
/** Of a ratio of gradients over a few seeds. */
const GRADIENT = 0.25;

const mean = (values: number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;

/** Only what is predicted for this wiring and was measured on it. */
export function theoryLines(analysis: Analysis, gradientDepth: number, spec: Required<ModelSpec>): TheoryLine[] {
  return [
    ...bounds(analysis),
    ...initialVariance(analysis, spec),
    ...exponents(analysis, spec),
    ...lemma(analysis),
    ...gradients(analysis, gradientDepth, spec),
  ];
}

const line = (code: TheoryLine['code'], predicted: number, measured: number, agrees: boolean): TheoryLine[] =>
  Number.isFinite(measured) ? [{ code, predicted, measured, agrees }] : [];

/** Largest measured/bound: at most 1. */
function bounds({ moments, uncertainty }: Analysis): TheoryLine[] {
  const { entryVariance, boundStd, holds } = moments!;
  const ratio = (measured: number[], bound: number[]): number =>
    Math.max(...measured.map((value, i) => value / bound[i]!).filter((value, i) => i > 0 && !Number.isNaN(value)));
  return [
    ...(holds === null ? [] : line('variance-bound', 1, ratio(entryVariance.map(Math.sqrt), boundStd), holds)),
    ...(uncertainty!.holds === null
      ? []
      : line('uncertainty-bound', 1, ratio(uncertainty!.exact, uncertainty!.bound), uncertainty!.holds)),
  ];
}

/** Output norms with γ = 1 and Δt = 1: branches of unit variance that hardly correlate add 1 each. */
function initialVariance({ moments, wiring }: Analysis, spec: Required<ModelSpec>): TheoryLine[] {
  const { dt, normKind, branchScale, dModel } = spec;
  const applies =
    ['layernorm', 'rmsnorm'].includes(normKind) &&
    branchScale === 'none' &&
    dt === 1 &&
    dModel > 2 &&
    wiring.length > 0 &&
    wiring.every(({ normOutput, normStream, keep }) => normOutput && !normStream && keep === 1);
  if (!applies) return [];
  const { entryVariance } = moments!;
  const measured = (entryVariance.at(-1)! - entryVariance[0]!) / wiring.length;
  return line('variance-init', 1, measured, Math.abs(measured - 1) < VARIANCE);
}

/** A branch behind an output norm does not follow the scale of its last map, any other does. */
function exponents(
  { activationScale, hamiltonian, wiring }: Analysis,
  { normKind }: Required<ModelSpec>,
): TheoryLine[] {
  const lines = (code: TheoryLine['code'], measured: number[], flat: boolean[]): TheoryLine[] => {
    const known = measured
      .map((value, i) => [value, flat[i] ? 0 : 1] as const)
      .filter(([value]) => !Number.isNaN(value));
    const agrees = known.every(([value, predicted]) => Math.abs(value - predicted) < SLOPE);
    return known.length === 0
      ? []
      : line(code, mean(known.map(([, predicted]) => predicted)), mean(known.map(([value]) => value)), agrees);
  };
  return [
    ...lines(
      'branch-exponent',
      // DyT does not divide by the size of its input: of its slope nothing is predicted.
      activationScale!.exponent.map((value, i) => (normKind === 'dyt' && wiring[i]!.normOutput ? NaN : value)),
      wiring.map(({ normOutput }) => normOutput),
    ),
    ...lines(
      'hamiltonian-exponent',
      hamiltonian!.exponent,
      wiring.map(({ normOutput, normStream }) => normOutput || normStream),
    ),
  ];
}

function lemma({ hamiltonian }: Analysis): TheoryLine[] {
  const known = hamiltonian!.lemma1.filter(({ holds }) => holds !== null);
  if (known.length === 0) return [];
  const measured = Math.max(...known.map(({ radiusExcess }) => radiusExcess));
  return line(
    'lemma-1',
    0,
    measured,
    known.every(({ holds }) => holds!),
  );
}

/** Xiong et al. 2020: the last block's gradient falls as 1/√L, but behind stream norms it does not depend on the depth. */
function gradients({ wiring }: Analysis, measured: number, spec: Required<ModelSpec>): TheoryLine[] {
  const { alpha, alphaRule, branchScale, depthScale, dt, earlyFraction, init, initGain, normKind } = spec;
  const isPlain =
    [alpha, alphaRule, branchScale, depthScale, dt, earlyFraction, initGain].join() === '1,fixed,none,none,1,0,none' &&
    init !== 'gpt2' &&
    ['layernorm', 'rmsnorm'].includes(normKind);
  const streams = wiring.filter(({ normStream }) => normStream).length;
  const applies =
    isPlain &&
    wiring.length > 0 &&
    (streams === wiring.length || (streams === 0 && wiring.every(({ normInput }) => normInput)));
  if (!applies) return [];
  const predicted = streams > 0 ? 1 : 1 / 2;
  return line(
    'gradient-depth',
    predicted,
    measured,
    Math.abs(measured - predicted) < (GRADIENT * (1 + predicted)) / 1.5,
  );
}
