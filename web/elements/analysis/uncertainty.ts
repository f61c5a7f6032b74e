/** Uncertainty: how far two clouds of states drift apart, as it is and relative to the stream's spread. */
import type { AnalysisMessages } from '../../locales/analysis.js';
import { curveFigure, depthsOf, placeOf, type Figure } from './figure.js';
import type { AnalysedNet } from './subjects.js';

const measured = (nets: readonly AnalysedNet[]) => nets.filter(({ analysis }) => analysis.uncertainty);
const pointPlaces = (text: AnalysisMessages, [first]: readonly AnalysedNet[]) =>
  (first?.analysis.points ?? []).map((point) => placeOf(text, point));

export function distanceFigure(text: AnalysisMessages, nets: readonly AnalysedNet[]): Figure | null {
  const shown = measured(nets);
  return curveFigure({
    name: 'w2',
    text,
    nets: shown.map((net) => {
      const { exact, bound } = net.analysis.uncertainty!;
      return { net, x: depthsOf(net.analysis.points), bold: exact, ...(hasBound(bound) ? { bound } : {}) };
    }),
    places: pointPlaces(text, shown),
    axes: { yLog: true, xWhole: true },
    findings: shown.map(({ name, analysis }) => {
      const { bound, holds } = analysis.uncertainty!;
      if (holds === null || !hasBound(bound)) return text.findings.w2None(name);
      return holds ? text.findings.w2Holds(name) : text.findings.w2Broken(name);
    }),
    columns: shown.flatMap(({ name, analysis }) => {
      const { sliced, paired } = analysis.uncertainty!;
      return [
        { head: `${name}, ${text.columns.sliced}`, values: sliced },
        { head: `${name}, ${text.columns.paired}`, values: paired },
      ];
    }),
  });
}

/** A bound says something only behind the embedding. */
function hasBound(bound: readonly number[]): boolean {
  return bound.slice(1).some(Number.isFinite);
}

export function relativeDistanceFigure(text: AnalysisMessages, nets: readonly AnalysedNet[]): Figure | null {
  const shown = measured(nets);
  return curveFigure({
    name: 'w2Relative',
    text,
    nets: shown.map((net) => ({
      net,
      x: depthsOf(net.analysis.points),
      bold: net.analysis.uncertainty!.exactRelative,
    })),
    places: pointPlaces(text, shown),
    axes: { xWhole: true, yReach: [0] },
    columns: shown.map(({ name, analysis }) => ({
      head: `${name}, ${text.columns.sliced}`,
      values: analysis.uncertainty!.slicedRelative,
    })),
  });
}
