import axe from 'axe-core';
import { PLACEMENTS, type Analysis, type SanityReport, type Verdict } from 'normscope';
import { afterEach, describe, expect, inject, test } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import type { NormscopeAnalysis, NormscopeStabilityLab, NormscopeWiring } from 'normscope/elements';
import 'normscope/elements';
import { analysis as analysisTexts, type ThemeName } from '../../web/locales/analysis.js';
import { lab as labTexts } from '../../web/locales/lab.js';
import type { Language } from '../../web/locales/language.js';
import { wiring as wiringTexts } from '../../web/locales/wiring.js';

const LANGUAGES: Language[] = ['en', 'ko'];
/** Two cores, shared with whatever else runs on them. */
const LONG = 180_000;
/** Everything here runs as WASM, with and without WebGPU: once is enough for what takes long. */
const once: typeof test | (() => void) = inject('webgpu') ? test : () => {};
/** Small enough for a test. */
const TINY = { nLayer: 2, dModel: 8, nHead: 2, nBatch: 2, nCtx: 8, steps: 40, source: 'markov' } as const;

async function show(
  language: Language,
  change: Partial<NormscopeStabilityLab['settings']> = {},
): Promise<NormscopeStabilityLab> {
  const element = document.createElement('normscope-stability-lab') as NormscopeStabilityLab;
  element.lang = language;
  document.body.append(element);
  await element.updateComplete;
  element.settings = { ...element.settings, ...TINY, ...change };
  await element.updateComplete;
  return element;
}

const inside = (element: HTMLElement, selector: string) => [
  ...element.shadowRoot!.querySelectorAll<HTMLElement>(selector),
];
const textOf = (element: HTMLElement, selector: string) =>
  inside(element, selector).map((node) => node.textContent!.trim().replace(/\s+/g, ' '));
const wiringOf = (lab: HTMLElement) => inside(lab, 'normscope-wiring')[0] as NormscopeWiring;
const analysisOf = (lab: HTMLElement) => inside(lab, 'normscope-analysis')[0] as NormscopeAnalysis;
const button = (name: string) => page.getByRole('button', { name, exact: true });

function next<Detail>(element: HTMLElement, event: string): Promise<Detail> {
  return new Promise((resolve) => {
    element.addEventListener(event, (fired) => resolve((fired as CustomEvent<Detail>).detail), { once: true });
  });
}

async function findNoViolation(element: HTMLElement): Promise<void> {
  const { violations } = await axe.run(element, { rules: { region: { enabled: false } } });
  expect(violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`)).toEqual([]);
}

afterEach(() => document.body.replaceChildren());

describe.each(LANGUAGES)('the lab in %s', (language) => {
  const t = labTexts[language];
  const a = analysisTexts[language];
  const w = wiringTexts[language];

  test(
    'every row of the table can be chosen, with its equation, and compared with its source and its users',
    async () => {
      const lab = await show(language);
      for (const family of inside(lab, '.family')) (family as HTMLDetailsElement).open = true;
      const equations = textOf(lab, '.family .equation');
      expect(equations.length).toBe(PLACEMENTS.length);
      await page.getByRole('checkbox', { name: t.placements.deepnorm }).click();
      await expect.poll(() => lab.settings.placements).toContain('deepnorm');
      await button(t.comparePlacements).click();
      const rows = inside(lab, '.all-placements tbody tr:has(td)');
      await expect.poll(() => rows[0]!.checkVisibility()).toBe(true);
      expect(rows.length).toBe(PLACEMENTS.length);
      for (const row of rows) {
        expect(row.querySelector('svg.block-diagram'), row.textContent).toBeTruthy();
        expect([...row.querySelectorAll('td')].every((cell) => cell.children.length || cell.textContent)).toBe(true);
      }
    },
    LONG,
  );

  once(
    'several seeds are counted before the run and told as counts and medians after it',
    async () => {
      const lab = await show(language, { nSeed: 3, placements: ['pre-ln', 'peri-ln', 'own'] });
      expect(textOf(lab, '.run-count output')).toEqual([t.runCount('3', '3', '9')]);
      const ended = next<Verdict[]>(lab, 'normscope-verdict');
      await button(t.transport.run).click();
      expect((await ended).length).toBe(9);
      await lab.updateComplete;
      expect(textOf(lab, '.verdict > .scroll tbody th')).toEqual(['Pre-LN', 'Peri-LN', t.placements.own]);
      expect(textOf(lab, '.verdict > .scroll tbody td:first-of-type')).toEqual(Array(3).fill(t.seeds.of('0', '3')));
      expect(inside(lab, '.verdict details tbody tr').length).toBe(9);
      expect(inside(lab, 'canvas[data-heat]').length).toBe(3);
    },
    LONG,
  );

  once(
    'the analysis takes fresh nets apart, theme by theme, each figure with a table and without a problem for axe',
    async () => {
      const lab = await show(language);
      const analysis = analysisOf(lab);
      const done = next<Analysis[]>(analysis, 'normscope-analysed');
      await button(a.run).click();
      const [pre, peri] = await done;
      expect([pre!.moments!.holds, peri!.moments!.holds]).toEqual([null, true]);
      await analysis.updateComplete;
      expect(textOf(analysis, '.now')).toEqual([a.ofFresh]);
      for (const theme of Object.keys(a.themes) as ThemeName[]) {
        await page.getByRole('radio', { name: a.themes[theme].name }).click({ force: true });
        await analysis.updateComplete;
        const figures = inside(analysis, 'figure.panel');
        expect(figures.length, theme).toBeGreaterThan(1);
        for (const figure of figures) {
          (figure.querySelector('details') as HTMLDetailsElement).open = true;
          expect(figure.querySelector('svg path, svg rect, svg circle'), figure.dataset['figure']).toBeTruthy();
          expect(figure.querySelectorAll('tbody tr').length, figure.dataset['figure']).toBeGreaterThan(0);
        }
        await findNoViolation(analysis);
      }
    },
    LONG,
  );

  once(
    'after training the analysis takes the runs as they stand, and says of which step',
    async () => {
      const lab = await show(language, { placements: ['peri-ln'] });
      const ended = next(lab, 'normscope-verdict');
      await button(t.transport.run).click();
      await ended;
      const analysis = analysisOf(lab);
      const done = next<Analysis[]>(analysis, 'normscope-analysed');
      await button(a.run).click();
      const [trained] = await done;
      await analysis.updateComplete;
      expect(textOf(analysis, '.now')).toEqual([a.ofTrained('40')]);
      expect(trained!.loss).toBeLessThan(Math.log(32));
    },
    LONG,
  );

  test('a wiring shows its diagram and its equation at once, and whether it is a row of the table', async () => {
    const lab = await show(language);
    const wiring = wiringOf(lab);
    expect(textOf(wiring, '.diagrams figcaption span')).toEqual(['x ← x + Δt·N(f(x))']);
    expect(textOf(wiring, '.start .hint')).toEqual([w.same('Output-LN')]);
    await page.getByRole('checkbox', { name: w.fields.normInput, exact: true }).click();
    await expect.poll(() => textOf(wiring, '.diagrams figcaption span')).toEqual(['x ← x + Δt·N(f(N(x)))']);
    expect(textOf(wiring, '.start .hint')[0]).toContain('Peri-LN');
    expect(lab.settings.wiring).toMatchObject({ normInput: true, normOutput: true });
    await page.getByRole('combobox', { name: w.fields.mlpNorms }).selectOptions('stream');
    await expect.poll(() => inside(wiring, '.diagrams figure').length).toBe(2);
    expect(textOf(wiring, '.start .hint')).toEqual([]);
  });

  test('a number that a field cannot take is refused at the field, and the last one stays', async () => {
    const lab = await show(language);
    const field = page.getByRole('textbox', { name: w.fields.earlyFraction });
    await field.fill('1.5');
    await userEvent.keyboard('{Enter}');
    await expect.poll(() => textOf(wiringOf(lab), '.problem')).toEqual([w.wrongNumber('0', '1')]);
    expect(lab.settings.wiring.earlyFraction).toBe(0);
    await field.fill('0.5');
    await userEvent.keyboard('{Enter}');
    await expect.poll(() => lab.settings.wiring.earlyFraction).toBe(0.5);
    expect(textOf(wiringOf(lab), '.problem')).toEqual([]);
  });

  once(
    'the check reports what the wiring promises: with an output norm bounded, without one not',
    async () => {
      const lab = await show(language);
      const wiring = wiringOf(lab);
      const check = async () => {
        const done = next<SanityReport>(wiring, 'normscope-checked');
        await button(w.check).click();
        const report = await done;
        await wiring.updateComplete;
        return [report.hamiltonian.bounded, textOf(wiring, '.card .verdict')[0]] as const;
      };
      expect(await check()).toEqual([true, w.report.bounded]);
      expect(inside(wiring, '.report table').length).toBeGreaterThan(0);
      await findNoViolation(wiring);
      await page.getByRole('combobox', { name: w.startFrom }).selectOptions('pre-ln');
      await expect.poll(() => textOf(wiring, '.changed')).toEqual([w.outdated]);
      expect(await check()).toEqual([false, w.report.unbounded]);
      expect(textOf(wiring, '.changed')).toEqual([]);
    },
    LONG,
  );
});

once(
  'an analysis can be cancelled, and its figures follow a change of language',
  async () => {
    const lab = await show('en', { nLayer: 6, dModel: 16, nHead: 2 });
    const analysis = analysisOf(lab);
    await button(analysisTexts.en.run).click();
    await button(analysisTexts.en.cancel).click();
    await expect.poll(() => analysis.phase).toBe('cancelled');
    await expect.poll(() => textOf(analysis, '.now')[0]).toContain(analysisTexts.en.cancelled);
    lab.settings = { ...lab.settings, nLayer: 1, placements: ['own'] };
    await lab.updateComplete;
    await analysis.run();
    lab.lang = 'ko';
    await expect.poll(() => textOf(analysis, '.legend li').join(' ')).toContain(labTexts.ko.placements.own);
    await expect.poll(() => textOf(analysis, 'figure h4')[0]).toBe(analysisTexts.ko.figures.meanAbs.title);
  },
  LONG,
);

once(
  'the weights can be followed from the analysed state, beside a control',
  async () => {
    const lab = await show('ko', { placements: ['peri-ln'] });
    const analysis = analysisOf(lab);
    analysis.theme = 'weights';
    await analysis.run();
    await button(analysisTexts.ko.follow).click();
    await expect.poll(() => inside(analysis, '[data-figure=pathNorm]').length, { timeout: LONG }).toBe(1);
    await expect.poll(() => analysis.phase, { timeout: LONG }).toBe('done');
    const heads = textOf(analysis, '[data-figure=pathNorm] thead th');
    expect(heads).toEqual([analysisTexts.ko.figures.pathNorm.x, 'Peri-LN', analysisTexts.ko.legend.held('Peri-LN')]);
  },
  LONG,
);
