/** The weights over further training: their size, the effective rate, the gains of the output norms, the loss. */
import type { WeightPath } from 'normscope';
import type { AnalysisMessages } from '../../locales/analysis.js';
import { median } from '../median.js';
import { curveFigure, type Figure } from './figure.js';
import type { AnalysedNet } from './subjects.js';

/** Of the residual steps' last matrices or output gains the median; the loss as it is. */
const QUANTITIES = {
  pathNorm: ({ norm }: WeightPath) => norm.map(median),
  pathRate: ({ effectiveRate }: WeightPath) => effectiveRate.map(median),
  pathGamma: ({ gammaRms }: WeightPath) => gammaRms.map(median),
  pathLoss: ({ loss }: WeightPath) => loss,
} as const;

/** Without an output norm nothing is held, and the control is the same run again. */
function isHeld({ gammaRms }: WeightPath): boolean {
  return gammaRms.some((row) => row.some(Number.isFinite));
}

/** One quantity against the steps of training; dotted where the matrices were held at their length. */
export function pathFigure(
  text: AnalysisMessages,
  nets: readonly AnalysedNet[],
  name: keyof typeof QUANTITIES,
): Figure | null {
  const of = QUANTITIES[name];
  const shown = nets.filter(({ path }) => path && of(path).some(Number.isFinite));
  return curveFigure({
    name,
    text,
    nets: shown.map((net) => {
      const { path, control } = net;
      return { net, x: path!.step, bold: of(path!), ...(control && isHeld(path!) ? { bound: of(control) } : {}) };
    }),
    places: (shown[0]?.path?.step ?? []).map(String),
    axes: { xWhole: true, ...(name === 'pathRate' ? { yLog: true } : {}) },
    boundName: text.legend.held,
  });
}
