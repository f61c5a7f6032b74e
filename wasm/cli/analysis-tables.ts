/** An analysis as tables: one a part, rows by residual point, step, block or matrix; heads are the symbols of theory. */
import type { Analysis, AnalysisPart, GrowthFit } from 'normscope';
import type { CliMessages } from '../../web/locales/cli.js';
import { formatCompact } from '../../web/locales/numbers.js';
import { table } from './terminal.js';

type Numbers = readonly (number | null)[];
type Column = readonly [head: string, values: Numbers];
type Tables = {
  [Part in AnalysisPart]: (found: NonNullable<Analysis[Part]>, of: Analysis, text: CliMessages) => string;
};

export function analysisTables(
  found: Analysis,
  name: string,
  titles: Record<AnalysisPart, string>,
  text: CliMessages,
): string {
  const sections = Object.entries(TABLES).flatMap(([part, write]) => {
    const measured = found[part as AnalysisPart];
    return measured === undefined ? [] : [`${titles[part as AnalysisPart]}\n${write(measured as never, found, text)}`];
  });
  return `${[`${name}  loss = ${number(found.loss)}`, ...sections].join('\n\n')}\n`;
}

/** What was not measured is a dash. */
const number = (value: number | null | undefined): string =>
  value === null || value === undefined || Number.isNaN(value) ? '–' : formatCompact(value);
const answer = (value: boolean | null, { yes, no, none }: CliMessages): string =>
  value === null ? none : value ? yes : no;

const rows = (head: string, names: readonly string[], ...columns: Column[]): string =>
  table(
    [head, ...columns.map(([title]) => title)],
    names.map((name, i) => [name, ...columns.map(([, values]) => number(values[i]))]),
  );
const byScale = (scales: readonly number[], of: string, values: readonly Numbers[]): Column[] =>
  scales.map((scale, i) => [`${of} c=${scale}`, values.map((row) => row[i] ?? null)]);
const count = (n: number): string[] => Array.from({ length: n }, (_, i) => String(i));
const fit = (name: string, { factor, exponent, residual }: GrowthFit): string[] => [
  name,
  number(factor),
  number(exponent),
  number(residual),
];

const TABLES: Tables = {
  moments: (m, { points }, text) =>
    `${rows(
      'x',
      points,
      ['mean|x|', m.meanAbs],
      ['≤', m.boundMeanAbs],
      ['std', m.entryVariance.map(Math.sqrt)],
      ['≤', m.boundStd],
      ['std_data', m.dataVariance.map(Math.sqrt)],
      ['≤', m.boundDataStd],
      ['max|x|', m.maxAbs],
    )}\n≤: ${answer(m.holds, text)}`,
  sensitivity: (s, { steps }) =>
    `${rows('f', steps, ['‖J‖', s.step], ['‖J_f‖', s.branch])}\nΠ‖J‖ = ${number(s.product)}  ‖∂x_D/∂x_0‖ = ${number(s.wholeNet)}  (${s.method})`,
  activationScale: (a, { steps, points }) =>
    [
      rows('f', steps, ...byScale(a.scales, '‖J_f‖', a.branch), ['log/log', a.exponent]),
      rows('x', points, ...byScale(a.scales, 'Var', a.wholeNet.variance)),
    ].join('\n'),
  hamiltonian: (h, { steps }, text) =>
    [
      rows(
        'f',
        steps,
        ...byScale(h.scales, '−p·v', h.power),
        ['sup', h.support],
        ['log/log', h.exponent],
        ['H(λ)', h.regularized],
      ),
      ...(h.lemma1.length > 0
        ? [
            table(
              ['N', '‖ẑ‖²/d − 1', '|Σẑ|/d', 'Lemma 1'],
              h.lemma1.map((each) => [
                ...[each.norm, number(each.radiusExcess), number(each.planeResidual), answer(each.holds, text)],
              ]),
            ),
          ]
        : []),
    ].join('\n'),
  uncertainty: (u, { points }, text) =>
    `${rows(
      'x',
      points,
      ['W₂', u.exact],
      ['≤', u.bound],
      ['W₂ sliced', u.sliced],
      ['W₂ paired', u.paired],
      ['W₂/std', u.exactRelative],
    )}\n≤: ${answer(u.holds, text)}`,
  usefulness: (u, { steps, points }) =>
    [
      rows('f', steps, ['1−cos', u.cosine], ['‖Δx‖/‖x‖', u.relativeChange]),
      rows('block', count(u.dropLoss.length), ['Δloss', u.dropLoss]),
      rows(
        'x',
        points,
        ['cos(tokens)', u.tokenSimilarity],
        ['max/median', u.massive.map(({ maxOverMedian }) => maxOverMedian)],
      ),
    ].join('\n'),
  weights: ({ matrices, gammaOut }, { steps }, text) =>
    [
      table(
        ['W', '‖W‖', '‖∇W‖', '‖W‖·‖∇W‖', 'σ₁', 'rank', 'rate', 'W ~ cW'],
        matrices.map((m) => [
          m.name,
          ...[m.norm, m.gradNorm, m.product, m.spectralNorm, m.effectiveRank, m.effectiveRate].map(number),
          answer(m.scaleInvariant, text),
        ]),
      ),
      rows('γ_out', steps, ['rms', gammaOut.rms], ['max', gammaOut.maxAbs], ['min', gammaOut.minAbs]),
    ].join('\n'),
  gradients: (g) =>
    [
      rows('block', count(g.lastMatrix.length), ['‖∇W‖', g.lastMatrix], ['±', g.lastMatrixStd]),
      rows('', g.group, ['‖∇‖', g.groupNorm]),
      `n = ${g.nSeed}  ${'last/first'} = ${number(g.lastOverFirst)}`,
    ].join('\n'),
  growth: (g) =>
    [
      rows('D', g.steps.map(String), ['Var', g.variance], ['mean|x|', g.meanAbs]),
      table(['', 'a', 'b', '±'], [fit('a·D^b', g.power), fit('a·e^(bD)', g.exponential)]),
      `n = ${g.nSeed}  ${g.better === null ? '–' : g.better === 'power' ? 'a·D^b' : 'a·e^(bD)'}`,
    ].join('\n'),
  weightPath: (w) => {
    const mean = (values: Numbers): number => values.reduce<number>((sum, value) => sum + value!, 0) / values.length;
    return rows(
      'step',
      w.step.map(String),
      ['loss', w.loss],
      ['‖W‖', w.norm.map(mean)],
      ['‖∇W‖', w.gradNorm.map(mean)],
      ['rate', w.effectiveRate.map(mean)],
      ['rms γ_out', w.gammaRms.map(mean)],
    );
  },
  layerNormJacobian: (j) =>
    `${j.norm}  1/σ = ${number(j.rstd)}\n${rows('σ', count(j.singularValues.length), ['', j.singularValues])}`,
};
