/** Forward: the three moments after each step under their bounds, and growth against total depth. */
import type { Analysis, GrowthAnalysis, MomentAnalysis } from 'normscope';
import type { AnalysisMessages } from '../../locales/analysis.js';
import { curveFigure, depthsOf, placeOf, shortNumber, type Figure } from './figure.js';
import type { AnalysedNet } from './subjects.js';

const square = (values: readonly number[]) => values.map((value) => value * value);

/** The measured moment and its bound, in the moment's own unit. The bound starts from the measured embedding. */
const MOMENTS = {
  meanAbs: { of: (m: MomentAnalysis) => m.meanAbs, bound: (m: MomentAnalysis) => m.boundMeanAbs },
  entryVariance: { of: (m: MomentAnalysis) => m.entryVariance, bound: (m: MomentAnalysis) => square(m.boundStd) },
  dataVariance: { of: (m: MomentAnalysis) => m.dataVariance, bound: (m: MomentAnalysis) => square(m.boundDataStd) },
} as const;

export function momentFigure(
  text: AnalysisMessages,
  nets: readonly AnalysedNet[],
  name: keyof typeof MOMENTS,
): Figure | null {
  const shown = nets.filter(({ analysis }) => analysis.moments);
  const { of, bound } = MOMENTS[name];
  return curveFigure({
    name,
    text,
    nets: shown.map((net) => {
      const moments = net.analysis.moments!;
      const limits = bound(moments);
      const real = limits.slice(1).some(Number.isFinite);
      return { net, x: depthsOf(net.analysis.points), bold: of(moments), ...(real ? { bound: limits } : {}) };
    }),
    places: (shown[0]?.analysis.points ?? []).map((point) => placeOf(text, point)),
    axes: { yLog: true, xWhole: true },
    findings: name === 'meanAbs' ? shown.map(({ name, analysis }) => boundFinding(text, name, analysis)) : [],
  });
}

function boundFinding({ findings }: AnalysisMessages, name: string, { moments, wiring }: Analysis): string {
  const complete = wiring.every(({ bounded }) => bounded);
  if (moments!.holds === null || !complete) return findings.boundNone(name);
  return moments!.holds ? findings.boundHolds(name) : findings.boundBroken(name);
}

export function growthFigure(text: AnalysisMessages, nets: readonly AnalysedNet[]): Figure | null {
  const shown = nets.filter(({ analysis }) => analysis.growth);
  return curveFigure({
    name: 'growth',
    text,
    nets: shown.map((net) => {
      const growth = net.analysis.growth!;
      return { net, x: growth.steps, bold: growth.variance, thin: fitOf(growth) };
    }),
    places: (shown[0]?.analysis.growth?.steps ?? []).map(String),
    axes: { xLog: true, yLog: true },
    thinNote: text.legend.fit,
    findings: shown.map(({ name, analysis }) => growthFinding(text, name, analysis.growth!)),
  });
}

/** The better fit at the measured depths, on top of the embedding's variance; none where none is better. */
function fitOf({ better, power, exponential, steps, startVariance }: GrowthAnalysis): number[][] {
  const above = (fit: (d: number) => number) => [steps.map((d, i) => startVariance[i]! + fit(d))];
  if (better === 'power') return above((d) => power.factor * d ** power.exponent);
  if (better === 'exponential') return above((d) => exponential.factor * Math.exp(exponential.exponent * d));
  return [];
}

function growthFinding({ findings }: AnalysisMessages, name: string, growth: GrowthAnalysis): string {
  const { better, power, exponential } = growth;
  if (!better) return findings.noGrowth(name);
  const [fit, other] = better === 'power' ? [power, exponential] : [exponential, power];
  return findings[better](name, shortNumber(fit.exponent), shortNumber(fit.residual), shortNumber(other.residual));
}
