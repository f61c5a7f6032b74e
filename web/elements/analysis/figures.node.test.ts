import { describe, expect, test } from 'vitest';
import { sampleAnalysis, samplePath } from '../../../tests/page/sample-analysis.js';
import { analysis as texts, type FigureName } from '../../locales/analysis.js';
import { seriesStyle } from '../series-styles.js';
import type { Figure } from './figure.js';
import { isFiniteSubject, type AnalysedNet } from './subjects.js';
import { figuresOf, THEME_NAMES } from './themes.js';

const net = (name: string, outputNorm: boolean): AnalysedNet => ({
  name,
  style: seriesStyle(outputNorm ? 'peri-ln' : 'pre-ln'),
  analysis: sampleAnalysis(outputNorm),
  path: samplePath(outputNorm, false),
  control: samplePath(outputNorm, true),
});
const PRE = net('A', false);
const PERI = net('B', true);

function all(nets: readonly AnalysedNet[], language: 'en' | 'ko' = 'en'): Map<FigureName, Figure> {
  const figures = THEME_NAMES.flatMap((theme) => figuresOf(theme, texts[language], nets, { step: 1, net: 1 }));
  return new Map(figures.map((figure) => [figure.name, figure]));
}

describe('the figures of an analysis', () => {
  test.each(['en', 'ko'] as const)(
    'every one has texts, a picture, a legend and a table with numbers (%s)',
    (language) => {
      const figures = all([PRE, PERI], language);
      expect([...figures.keys()].sort()).toEqual(Object.keys(texts[language].figures).sort());
      for (const { name, legend, tables } of figures.values()) {
        expect(legend.length, name).toBeGreaterThan(0);
        expect(tables[0]!.rows.length, name).toBeGreaterThan(0);
        for (const { heads, rows } of tables) for (const row of rows) expect(row.length, name).toBe(heads.length);
        expect(tables.flatMap(({ rows }) => rows.flat()).join(' '), name).not.toMatch(/NaN|undefined/);
      }
    },
  );

  test('a bound is drawn, named and judged only where the wiring gives one', () => {
    const figure = all([PRE, PERI]).get('meanAbs')!;
    expect(figure.legend.map(({ name }) => name)).toEqual(['A', 'B', 'bound, B']);
    expect(figure.findings).toEqual([texts.en.findings.boundNone('A'), texts.en.findings.boundHolds('B')]);
    const broken = structuredClone(PERI);
    broken.analysis.moments!.holds = false;
    expect(all([broken]).get('meanAbs')!.findings).toEqual([texts.en.findings.boundBroken('B')]);
  });

  test('a bound of the standard deviation is shown in the unit of the variance', () => {
    const table = all([PERI]).get('entryVariance')!.tables[0]!;
    expect(table.heads).toEqual([texts.en.figures.entryVariance.x, 'B', 'bound, B']);
    expect(table.rows.at(-1)).toEqual(['block 2, MLP', '5', '25']);
  });

  test('slopes against c and the cap are told with their numbers', () => {
    const figures = all([PRE, PERI]);
    expect(figures.get('activationScale')!.findings).toEqual([
      texts.en.findings.scale('A', '1.00', '1.00'),
      texts.en.findings.scale('B', '0.00', '0.00'),
    ]);
    expect(figures.get('hamiltonian')!.findings).toEqual([
      texts.en.findings.noSupport('A', '1.00'),
      texts.en.findings.support('B', '0.5', '0.00'),
      texts.en.findings.lemma('B', '1', '1', '−1×10⁻⁶'),
    ]);
  });

  test('followed weights are shown beside their control and their gains where there are output norms', () => {
    const figures = all([PRE, PERI]);
    const { heads, rows } = figures.get('pathNorm')!.tables[0]!;
    expect(heads).toEqual([texts.en.figures.pathNorm.x, 'A', 'B', 'held, B']);
    expect(rows.at(-1)).toEqual(['5', '6', '6', '2']);
    expect(figures.get('pathGamma')!.legend.map(({ name }) => name)).toEqual(['B', 'held, B']);
    const { path: _, control: __, ...plain } = PERI;
    expect(all([plain]).has('pathNorm')).toBe(false);
  });

  test('with many nets the accompanying lines give way, and the legend says so', () => {
    const last = (nets: readonly AnalysedNet[]) => all(nets).get('activationScale')!.legend.at(-1)!.name;
    expect(last([PRE, PERI])).toBe(texts.en.legend.eachStep);
    expect(last([PRE, PERI, PRE, PERI, PRE])).toBe(texts.en.legend.thinLeftOut);
  });

  test('parts that were not measured have no figure', () => {
    const bare = structuredClone(PRE);
    delete bare.analysis.growth;
    delete bare.analysis.weights;
    const figures = all([bare]);
    for (const name of ['growth', 'matrixNorm', 'gammaOut', 'ellipsoid'] as const)
      expect(figures.has(name)).toBe(false);
    expect(figures.has('meanAbs')).toBe(true);
  });

  test('a table has a row per place and names it', () => {
    const { rows } = all([PRE]).get('sensitivity')!.tables[0]!;
    expect(rows.map(([place]) => place)).toEqual([
      'block 1, attention',
      'block 1, MLP',
      'block 2, attention',
      'block 2, MLP',
    ]);
  });
});

describe('what can be analysed', () => {
  const subject = (value: number) => ({
    name: { en: 'A', ko: 'A' },
    style: seriesStyle('pre-ln'),
    spec: {},
    snapshot: { version: 1 as const, spec: {}, step: 3, tensors: { w: Float32Array.of(1, value) } },
  });

  test('is a fresh net, or one whose parameters are finite', () => {
    expect(isFiniteSubject(subject(2))).toBe(true);
    expect(isFiniteSubject(subject(NaN))).toBe(false);
    const { snapshot: _, ...fresh } = subject(NaN);
    expect(isFiniteSubject(fresh)).toBe(true);
  });
});
