/** Backward: Jacobians of the steps, their dependence on the weights' size, gradients per block, the norm's own Jacobian. */
import type { AnalysisMessages } from '../../locales/analysis.js';
import { formatSlope } from '../../locales/numbers.js';
import { median } from '../median.js';
import { curveFigure, depthsOf, placeOf, shortNumber, type Figure } from './figure.js';
import type { AnalysedNet } from './subjects.js';

export function sensitivityFigure(text: AnalysisMessages, nets: readonly AnalysedNet[]): Figure | null {
  const shown = nets.filter(({ analysis }) => analysis.sensitivity);
  return curveFigure({
    name: 'sensitivity',
    text,
    nets: shown.map((net) => {
      const { step, branch } = net.analysis.sensitivity!;
      return { net, x: depthsOf(net.analysis.points).slice(1), bold: step, thin: [branch] };
    }),
    places: stepPlaces(text, shown),
    axes: { yLog: true, xWhole: true, references: [{ value: 1, label: text.legend.identity }] },
    thinNote: text.legend.branch,
    findings: shown.map(({ name, analysis }) => {
      const { product, wholeNet } = analysis.sensitivity!;
      return text.findings.product(name, shortNumber(product), shortNumber(wholeNet));
    }),
    columns: shown.map(({ name, analysis }) => ({ head: `${name}, f`, values: analysis.sensitivity!.branch })),
  });
}

/** Names of the steps, after the points that they lead to. */
export function stepPlaces(text: AnalysisMessages, [first]: readonly AnalysedNet[]): string[] {
  return (first?.analysis.points ?? []).slice(1).map((point) => placeOf(text, point));
}

export function scaleFigure(text: AnalysisMessages, nets: readonly AnalysedNet[]): Figure | null {
  const shown = nets.filter(({ analysis }) => analysis.activationScale);
  return curveFigure({
    name: 'activationScale',
    text,
    nets: shown.map((net) => {
      const { scales, branch } = net.analysis.activationScale!;
      const middle = scales.map((_, k) => median(branch.map((step) => step[k]!)));
      return { net, x: scales, bold: middle, thin: branch };
    }),
    places: (shown[0]?.analysis.activationScale?.scales ?? []).map(String),
    axes: { xLog: true, yLog: true },
    thinNote: text.legend.eachStep,
    findings: shown.map(({ name, analysis }) => {
      const slopes = analysis.activationScale!.exponent.filter(Number.isFinite);
      return text.findings.scale(name, formatSlope(Math.min(...slopes)), formatSlope(Math.max(...slopes)));
    }),
  });
}

export function wholeNetFigure(text: AnalysisMessages, nets: readonly AnalysedNet[]): Figure | null {
  const shown = nets.filter(({ analysis }) => analysis.activationScale);
  return curveFigure({
    name: 'wholeNet',
    text,
    nets: shown.map((net) => {
      const { scales, wholeNet } = net.analysis.activationScale!;
      return { net, x: scales, bold: wholeNet.variance.at(-1) ?? [] };
    }),
    places: (shown[0]?.analysis.activationScale?.scales ?? []).map(String),
    axes: { xLog: true, yLog: true },
    findings: shown.map(({ name, analysis }) => {
      const { gain } = analysis.activationScale!.wholeNet;
      return text.findings.gain(name, shortNumber(gain[0] ?? Number.NaN), shortNumber(gain.at(-1) ?? Number.NaN));
    }),
  });
}

export function gradientFigure(text: AnalysisMessages, nets: readonly AnalysedNet[]): Figure | null {
  const shown = nets.filter(({ analysis }) => analysis.gradients);
  return curveFigure({
    name: 'gradients',
    text,
    nets: shown.map((net) => {
      const { lastMatrix, lastMatrixStd } = net.analysis.gradients!;
      const away = (sign: number) => lastMatrix.map((value, i) => value + sign * lastMatrixStd[i]!);
      return { net, x: lastMatrix.map((_, i) => i + 1), bold: lastMatrix, thin: [away(-1), away(1)] };
    }),
    places: (shown[0]?.analysis.gradients?.lastMatrix ?? []).map((_, i) => text.places.block(String(i + 1))),
    axes: { yLog: true, xWhole: true },
    thinNote: text.legend.spread,
    findings: shown.map(({ name, analysis }) => {
      const { lastOverFirst, nSeed } = analysis.gradients!;
      return text.findings.profile(name, shortNumber(lastOverFirst), String(nSeed));
    }),
  });
}

/** Singular values below this fraction of the largest let nothing through. */
const CLOSED = 1e-3;

export function normJacobianFigure(text: AnalysisMessages, nets: readonly AnalysedNet[]): Figure | null {
  const shown = nets.filter(({ analysis }) => analysis.layerNormJacobian);
  return curveFigure({
    name: 'normJacobian',
    text,
    nets: shown.map((net) => {
      const values = net.analysis.layerNormJacobian!.singularValues;
      return { net, x: values.map((_, i) => i + 1), bold: values };
    }),
    places: (shown[0]?.analysis.layerNormJacobian?.singularValues ?? []).map((_, i) => String(i + 1)),
    axes: { xWhole: true },
    findings: shown.map(({ name, analysis }) => {
      const { singularValues, norm } = analysis.layerNormJacobian!;
      const open = singularValues.filter((value) => value > CLOSED * singularValues[0]!).length;
      return text.findings.rank(name, String(open), String(singularValues.length), norm);
    }),
  });
}
