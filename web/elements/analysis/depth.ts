/** Depth: whether late blocks still turn the state, whether the loss misses them, and the largest activations. */
import { barPlot } from '../../charts/plot.js';
import type { AnalysisMessages } from '../../locales/analysis.js';
import { stepPlaces } from './backward.js';
import { curveFigure, depthsOf, placeOf, shortNumber, tableOf, type Figure } from './figure.js';
import type { AnalysedNet } from './subjects.js';

const measured = (nets: readonly AnalysedNet[]) => nets.filter(({ analysis }) => analysis.usefulness);

/** Change of the state by each step. */
export function changeFigure(
  text: AnalysisMessages,
  nets: readonly AnalysedNet[],
  name: 'cosine' | 'relativeChange',
): Figure | null {
  const shown = measured(nets);
  return curveFigure({
    name,
    text,
    nets: shown.map((net) => ({
      net,
      x: depthsOf(net.analysis.points).slice(1),
      bold: net.analysis.usefulness![name],
    })),
    places: stepPlaces(text, shown),
    axes: { yLog: true, xWhole: true },
  });
}

export function dropFigure(text: AnalysisMessages, nets: readonly AnalysedNet[]): Figure | null {
  const shown = measured(nets);
  const places = (shown[0]?.analysis.usefulness?.dropLoss ?? []).map((_, i) => String(i + 1));
  if (!places.length) return null;
  const sets = shown.map(({ style, analysis }) => ({ ...style, values: analysis.usefulness!.dropLoss }));
  const columns = shown.map(({ name, analysis }) => ({ head: name, values: analysis.usefulness!.dropLoss }));
  return {
    name: 'dropLoss',
    picture: barPlot({ places, sets }),
    legend: shown.map(({ name, style }) => ({ name, style: { ...style, dash: [], marker: 'square' as const } })),
    findings: [],
    tables: [tableOf(text.figures.dropLoss.title, text.figures.dropLoss.x, places, columns)],
  };
}

export function similarityFigure(text: AnalysisMessages, nets: readonly AnalysedNet[]): Figure | null {
  const shown = measured(nets);
  return curveFigure({
    name: 'tokenSimilarity',
    text,
    nets: shown.map((net) => ({
      net,
      x: depthsOf(net.analysis.points),
      bold: net.analysis.usefulness!.tokenSimilarity,
    })),
    places: (shown[0]?.analysis.points ?? []).map((point) => placeOf(text, point)),
    axes: { xWhole: true, yReach: [0, 1] },
  });
}

export function massiveFigure(text: AnalysisMessages, nets: readonly AnalysedNet[]): Figure | null {
  const shown = measured(nets);
  const figure = curveFigure({
    name: 'massive',
    text,
    nets: shown.map((net) => ({
      net,
      x: depthsOf(net.analysis.points),
      bold: net.analysis.usefulness!.massive.map(({ maxOverMedian }) => maxOverMedian),
    })),
    places: (shown[0]?.analysis.points ?? []).map((point) => placeOf(text, point)),
    axes: { yLog: true, xWhole: true },
    findings: shown.flatMap((net) => massiveFinding(text, net)),
  });
  return figure && { ...figure, tables: [...figure.tables, channelTable(text, shown)] };
}

function massiveFinding(text: AnalysisMessages, { name, analysis }: AnalysedNet): string[] {
  const { massive } = analysis.usefulness!;
  const ratios = massive.map(({ maxOverMedian }) => maxOverMedian);
  const at = ratios.indexOf(Math.max(...ratios.filter(Number.isFinite)));
  const top = massive[at]?.top[0];
  if (!top) return [];
  const place = placeOf(text, analysis.points[at]!);
  return [text.findings.massive(name, shortNumber(ratios[at]!), place, String(top.channel))];
}

/** The largest channels of the last state. */
function channelTable(text: AnalysisMessages, nets: readonly AnalysedNet[]) {
  const { net, channel, token, value, channels } = text.columns;
  const rows = nets.flatMap(({ name, analysis }) =>
    (analysis.usefulness!.massive.at(-1)?.top ?? []).map((top) => [
      name,
      String(top.channel),
      String(top.token),
      shortNumber(top.value),
    ]),
  );
  return { caption: channels, heads: [net, channel, token, value], rows };
}
