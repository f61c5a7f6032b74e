/** Weights: size, gradient, their product, effective rate; the gains of the output norms. */
import type { MatrixAnalysis } from 'normscope';
import type { AnalysisMessages } from '../../locales/analysis.js';
import { stepPlaces } from './backward.js';
import { curveFigure, depthsOf, shortNumber, type Figure } from './figure.js';
import type { AnalysedNet } from './subjects.js';

const measured = (nets: readonly AnalysedNet[]) => nets.filter(({ analysis }) => analysis.weights);

const QUANTITIES = { matrixNorm: 'norm', matrixGrad: 'gradNorm', matrixProduct: 'product' } as const;

/** One quantity of the last matrix of every step. */
export function matrixFigure(
  text: AnalysisMessages,
  nets: readonly AnalysedNet[],
  name: keyof typeof QUANTITIES,
): Figure | null {
  const shown = measured(nets);
  const of = QUANTITIES[name];
  const figure = curveFigure({
    name,
    text,
    nets: shown.map((net) => ({
      net,
      x: depthsOf(net.analysis.points).slice(1),
      bold: lastMatrices(net).map((matrix) => matrix?.[of] ?? Number.NaN),
    })),
    places: stepPlaces(text, shown),
    axes: { xWhole: true, ...(name === 'matrixNorm' ? {} : { yLog: true }) },
    findings: name === 'matrixProduct' ? shown.map((net) => invariantFinding(text, net)) : [],
  });
  if (!figure || name !== 'matrixProduct') return figure;
  return { ...figure, tables: [...figure.tables, matrixTable(text, shown)] };
}

/** The last matrix of each step, by the step's name; undefined where it is not listed. */
function lastMatrices({ analysis }: AnalysedNet): (MatrixAnalysis | undefined)[] {
  const matrices = analysis.weights!.matrices;
  return analysis.steps.map((step) => matrices.find(({ name }) => name === `${step}.weight` || name === step));
}

function invariantFinding({ findings }: AnalysisMessages, { name, analysis }: AnalysedNet): string {
  const { matrices } = analysis.weights!;
  const known = matrices.filter(({ scaleInvariant }) => scaleInvariant !== null);
  return findings.invariant(name, String(known.filter((matrix) => matrix.scaleInvariant).length), String(known.length));
}

function matrixTable({ columns: c }: AnalysisMessages, nets: readonly AnalysedNet[]) {
  const yes = (value: boolean | null) => (value === null ? c.unknown : value ? c.yes : c.no);
  const rows = nets.flatMap(({ name, analysis }) =>
    analysis.weights!.matrices.map((matrix) => [
      `${name}: ${matrix.name}`,
      shortNumber(matrix.norm),
      shortNumber(matrix.gradNorm),
      shortNumber(matrix.product),
      shortNumber(matrix.effectiveRank),
      yes(matrix.scaleInvariant),
      shortNumber(matrix.effectiveRate),
    ]),
  );
  return {
    caption: c.allMatrices,
    heads: [c.matrix, c.norm, c.gradNorm, c.product, c.rank, c.invariant, c.rate],
    rows,
  };
}

export function gammaFigure(text: AnalysisMessages, nets: readonly AnalysedNet[]): Figure | null {
  const shown = measured(nets).filter(({ analysis }) => analysis.weights!.gammaOut.rms.some(Number.isFinite));
  return curveFigure({
    name: 'gammaOut',
    text,
    nets: shown.map((net) => ({
      net,
      x: depthsOf(net.analysis.points).slice(1),
      bold: net.analysis.weights!.gammaOut.rms,
    })),
    places: stepPlaces(text, shown),
    axes: { xWhole: true, yReach: [0] },
    columns: shown.map(({ name, analysis }) => ({
      head: `${name}, max |γ|`,
      values: analysis.weights!.gammaOut.maxAbs,
    })),
  });
}
