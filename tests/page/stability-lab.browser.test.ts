import axe from 'axe-core';
import type { Verdict } from 'normscope';
import { afterEach, describe, expect, inject, test } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import type { NormscopeStabilityLab } from 'normscope/elements';
import 'normscope/elements';
import { errors } from '../../web/locales/errors.js';
import { lab as messages } from '../../web/locales/lab.js';
import type { Language } from '../../web/locales/language.js';

const LANGUAGES: Language[] = ['en', 'ko'];
/** Two cores, shared with whatever else runs on them. */
const LONG = 120_000;
/** Training runs as WASM with and without WebGPU: the whole recipe once is enough. */
const once: typeof test | (() => void) = inject('webgpu') ? test : () => {};

async function show(
  language: Language,
  change: Partial<NormscopeStabilityLab['settings']> = {},
): Promise<NormscopeStabilityLab> {
  const element = document.createElement('normscope-stability-lab') as NormscopeStabilityLab;
  element.lang = language;
  document.body.append(element);
  await element.updateComplete;
  element.settings = { ...element.settings, ...change };
  await element.updateComplete;
  return element;
}

/** Small enough for a test, large enough to watch. */
const TINY = { nLayer: 2, dModel: 16, nHead: 2, nBatch: 2, nCtx: 16, steps: 60 } as const;

const inside = (element: HTMLElement, selector: string) => [
  ...element.shadowRoot!.querySelectorAll<HTMLElement>(selector),
];
const textOf = (element: HTMLElement, selector: string) =>
  inside(element, selector).map((node) => node.textContent!.trim().replace(/\s+/g, ' '));
const progress = (element: HTMLElement) => Number(element.shadowRoot!.querySelector('progress')!.getAttribute('value'));
const button = (name: string) => page.getByRole('button', { name, exact: true });
const phase = (element: NormscopeStabilityLab, wanted: string) =>
  expect.poll(() => element.phase, { timeout: LONG, interval: 50 }).toBe(wanted);

function verdicts(element: HTMLElement): Promise<Verdict[]> {
  return new Promise((resolve) => {
    element.addEventListener('normscope-verdict', (event) => resolve((event as CustomEvent<Verdict[]>).detail), {
      once: true,
    });
  });
}

/** Dark pixels of a chart's canvas that are not one colour: something is drawn. */
function drawn(canvas: HTMLCanvasElement): boolean {
  const { data } = canvas.getContext('2d')!.getImageData(0, 0, canvas.width, canvas.height);
  const colors = new Set<number>();
  for (let i = 0; i < data.length; i += 4)
    if (data[i + 3]! > 0) colors.add((data[i]! << 16) | (data[i + 1]! << 8) | data[i + 2]!);
  return colors.size > 3;
}

afterEach(() => document.body.replaceChildren());

describe.each(LANGUAGES)('the stability lab in %s', (language) => {
  const t = messages[language];

  test(
    'a run starts, streams, pauses, steps, resumes and stops',
    async () => {
      const element = await show(language, { ...TINY, steps: 100_000 });
      expect(element.settings.source).toBe(`declaration-${language}`);
      await button(t.transport.run).click();
      await phase(element, 'running');
      await expect.poll(() => progress(element), { timeout: LONG }).toBeGreaterThan(5);
      await button(t.transport.pause).click();
      await phase(element, 'paused');
      await new Promise((resolve) => setTimeout(resolve, 400));
      const stood = progress(element);
      await new Promise((resolve) => setTimeout(resolve, 300));
      expect(progress(element)).toBe(stood);
      await button(t.transport.step).click();
      await expect.poll(() => progress(element)).toBe(stood + 1);
      await button(t.transport.resume).click();
      await expect.poll(() => progress(element), { timeout: LONG }).toBeGreaterThan(stood + 5);
      await button(t.transport.stop).click();
      await phase(element, 'ended');
      await expect
        .poll(() => textOf(element, '.verdict td:first-of-type'))
        .toEqual([t.verdicts.stopped, t.verdicts.stopped]);
      expect(inside(element, '.plot canvas').every((canvas) => drawn(canvas as HTMLCanvasElement))).toBe(true);
      await button(t.transport.reset).click();
      await phase(element, 'idle');
      await expect.poll(() => textOf(element, '.plot .empty').length).toBe(3);
    },
    LONG,
  );

  once(
    'the first screen’s recipe: Pre-LN grows past fp16’s range and twenty times past Peri-LN, which stays under its bound',
    async () => {
      const element = await show(language);
      const ended = verdicts(element);
      await button(t.transport.run).click();
      const [pre, peri] = await ended;
      expect([pre!.code, peri!.code]).toEqual(['finished', 'finished']);
      expect(pre!.maxAbs / peri!.maxAbs).toBeGreaterThan(20);
      expect(pre!.passedHalfRange).toBeGreaterThan(10);
      expect(peri!.passedHalfRange).toBeNull();
      await element.updateComplete;
      expect(textOf(element, '.findings li')[0]).toBe(t.summary.stalled('Pre-LN', String(pre!.passedHalfRange)));
      for (const quantity of ['meanAbs', 'entryVariance', 'dataVariance'] as const) {
        await page
          .getByRole('radio', { name: t.charts.quantities[quantity], exact: true })
          .first()
          .click({ force: true });
        await element.updateComplete;
        expect(textOf(element, '.finding .held').length, quantity).toBe(1);
        expect(textOf(element, '.finding .broken'), quantity).toEqual([]);
      }
      expect(inside(element, 'canvas').every((canvas) => drawn(canvas as HTMLCanvasElement))).toBe(true);
    },
    LONG,
  );

  once(
    'in fp16 one click lets Pre-LN overflow, and names step, layer and channel',
    async () => {
      const element = await show(language);
      const ended = verdicts(element);
      await page.getByRole('button', { name: t.experiments.half.name }).click();
      const [pre, peri] = await ended;
      expect([pre!.code, peri!.code]).toEqual(['overflow', 'finished']);
      await element.updateComplete;
      const sentence = textOf(element, '.findings li')[0]!;
      expect(sentence).toContain('fp16');
      expect(sentence).toContain(String(pre!.step));
      expect(sentence).toContain(t.verdicts.channel(String(pre!.channel)));
      expect(element.shadowRoot!.textContent).not.toContain('NaN,');
      expect(inside(element, '.plot canvas').every((canvas) => drawn(canvas as HTMLCanvasElement))).toBe(true);
    },
    LONG,
  );

  test(
    'has no accessibility problem that axe can find, before and after a run',
    async () => {
      const element = await show(language, { ...TINY, source: 'markov' });
      for (const details of inside(element, 'details')) (details as HTMLDetailsElement).open = true;
      const check = async () => {
        const { violations } = await axe.run(element, { rules: { region: { enabled: false } } });
        expect(violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`)).toEqual([]);
      };
      await check();
      const ended = verdicts(element);
      await element.run();
      await ended;
      await element.updateComplete;
      for (const details of inside(element, 'details')) (details as HTMLDetailsElement).open = true;
      await expect.poll(() => inside(element, '.results table').length).toBe(3);
      await check();
    },
    LONG,
  );

  test(
    'texts that cannot be used are refused by name',
    async () => {
      const element = await show(language, TINY);
      await page.getByRole('radio', { name: t.sources.own }).click();
      await button(t.transport.run).click();
      await expect.poll(() => textOf(element, '.own .problem')).toEqual([t.refusal.empty]);
      await page.getByRole('textbox', { name: t.ownText }).fill('가나다');
      await button(t.transport.run).click();
      await expect.poll(() => textOf(element, '.own .problem')).toEqual([t.refusal['too-short']('3', '200')]);
      expect(element.phase).toBe('idle');
      expect(textOf(element, '.progress-text')).toEqual([t.transport.refused]);
      await page.getByRole('textbox', { name: t.ownText }).fill('가나다라');
      await expect.poll(() => textOf(element, '.own .problem')).toEqual([]);
      expect(textOf(element, '.progress-text')).toEqual([t.transport.idle]);
      await page
        .getByRole('textbox', { name: t.ownText })
        .fill('The quick brown fox jumps over the lazy dog. '.repeat(8));
      const ended = verdicts(element);
      await button(t.transport.run).click();
      expect((await ended).map(({ code }) => code)).toEqual(['finished', 'finished']);
    },
    LONG,
  );

  test('heads that do not divide the width are refused at the field, in view, and the bar says so', async () => {
    const element = await show(language, { ...TINY, nHead: 3 });
    await button(t.transport.run).click();
    await expect.poll(() => textOf(element, '.progress-text')).toEqual([t.transport.refused]);
    expect(element.phase).toBe('idle');
    expect(textOf(element, '.field .problem')).toEqual([t.wrong.heads('3', '16', '2')]);
    const field = inside(element, '#setting-nHead')[0]!;
    await expect
      .poll(() => {
        const { top, bottom } = field.getBoundingClientRect();
        return field.checkVisibility() && top >= 0 && bottom <= innerHeight;
      })
      .toBe(true);
    element.settings = { ...element.settings, nHead: 2 };
    const ended = verdicts(element);
    await button(t.transport.run).click();
    expect((await ended).map(({ code }) => code)).toEqual(['finished', 'finished']);
  });

  test('what only the package can refuse is explained in view, with the package’s own sentence below', async () => {
    const element = await show(language, { ...TINY, nBatch: 5000, nCtx: 5000 });
    scrollTo(0, document.body.scrollHeight);
    await button(t.transport.run).click();
    await phase(element, 'failed');
    await element.updateComplete;
    expect(textOf(element, '.failure p')).toEqual([errors[language].codes['bad-spec']]);
    expect(textOf(element, '.failure code')[0]).toMatch(/5000.*5000/);
    expect(textOf(element, '.progress-text')).toEqual([t.transport.refused]);
    await expect
      .poll(() => {
        const { top, bottom } = inside(element, '.failure')[0]!.getBoundingClientRect();
        return top >= 0 && bottom <= innerHeight;
      })
      .toBe(true);
  });

  test('values beyond a setting’s own limits are refused at its field, whole ones are shown digit for digit', async () => {
    const element = await show(language);
    const problems = () => textOf(element, '.field .problem');
    const enter = async (name: 'seed' | 'steps' | 'dt', value: string) => {
      await page.getByRole('textbox', { name: t.settings[name].name, exact: true }).fill(value);
      await userEvent.keyboard('{Enter}');
    };
    await enter('seed', '4294967295');
    await expect
      .poll(() => inside(element, '#setting-seed').map((field) => (field as HTMLInputElement).value))
      .toEqual(['4294967295']);
    await enter('seed', '4294967296');
    await expect.poll(problems).toEqual([t.fieldError['above-most']('4294967295', '4294967295')]);
    await enter('seed', '1');
    await enter('steps', '0');
    await expect.poll(problems).toEqual([t.fieldError['too-small']('300', '1')]);
    await enter('steps', '300');
    await enter('dt', '0');
    await expect.poll(problems).toEqual([t.fieldError['not-above']('1', '0')]);
    expect(element.settings).toMatchObject({ seed: 1, steps: 300, dt: 1 });
  });

  test('a long text is kept whole but not laid out', async () => {
    const element = await show(language, TINY);
    await page.getByRole('radio', { name: t.sources.own }).click();
    const area = () => inside(element, '#own-text')[0] as HTMLTextAreaElement;
    await expect.poll(area).toBeTruthy();
    const long = '가나다 '.repeat(100_000);
    const clipboardData = new DataTransfer();
    clipboardData.setData('text/plain', long);
    area().dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
    await expect.poll(() => element.ownText.length).toBe(long.length);
    await element.updateComplete;
    expect([area().readOnly, area().value.length]).toEqual([true, 5000]);
    expect(textOf(element, '#own-note')[0]).toContain('400,000');
    await button(t.clearText).click();
    await expect.poll(() => [area().readOnly, area().value]).toEqual([false, '']);
  });

  test('a number that cannot be read keeps the last one and says so', async () => {
    const element = await show(language);
    const rate = page.getByRole('textbox', { name: t.settings.learningRate.name });
    await rate.fill('0,5');
    await userEvent.keyboard('{Enter}');
    await expect.poll(() => textOf(element, '.field .problem')).toEqual([t.fieldError['decimal-comma']('0.2', '')]);
    expect(element.settings.learningRate).toBe(0.2);
    await rate.fill('0.01');
    await userEvent.keyboard('{Enter}');
    expect(element.settings.learningRate).toBe(0.01);
    await expect.poll(() => textOf(element, '.field output')).toEqual([t.rateTimesWidth('0.32')]);
  });
});

once(
  'at an ordinary rate both train alike, and the page says so',
  async () => {
    const element = await show('en');
    const ended = verdicts(element);
    await page.getByRole('button', { name: messages.en.experiments['ordinary-rate'].name }).click();
    const [pre, peri] = await ended;
    expect(Math.abs(pre!.finalLoss - peri!.finalLoss)).toBeLessThan(0.15);
    await element.updateComplete;
    expect(textOf(element, '.findings li').join(' ')).toContain('train alike');
  },
  LONG,
);

/** The focused element, also inside elements of the lab. */
function focused(root: ShadowRoot): Element | null {
  const active = root.activeElement;
  return active?.shadowRoot?.activeElement ?? active;
}

test(
  'the keyboard alone reaches every control, also of the wiring and the analysis, and runs',
  async () => {
    const element = await show('en', { ...TINY, source: 'markov' });
    const reached = new Set<Element>();
    for (let press = 0; press < 250; press++) {
      await userEvent.keyboard('{Tab}');
      const active = focused(element.shadowRoot!);
      if (active) reached.add(active);
      else if (reached.size > 0) break;
    }
    const roots = [element, ...inside(element, 'normscope-wiring, normscope-analysis, normscope-memory')];
    const controls = roots.flatMap((root) =>
      inside(root, 'button, textarea, select, summary, input:not([type=radio]), input[type=radio]:checked'),
    );
    const usable = controls.filter((control) => control.checkVisibility() && !(control as HTMLInputElement).disabled);
    expect(usable.length).toBeGreaterThan(50);
    expect(usable.filter((control) => !reached.has(control)).map((control) => control.outerHTML)).toEqual([]);
    inside(element, 'button.primary')[0]!.focus();
    const ended = verdicts(element);
    await userEvent.keyboard('{Enter}');
    expect((await ended).map(({ code }) => code)).toEqual(['finished', 'finished']);
  },
  LONG,
);

test(
  'inside a closed details element it runs, and its charts are whole right after opening',
  async () => {
    const details = document.createElement('details');
    details.innerHTML = '<summary>open</summary>';
    document.body.append(details);
    const element = await show('en', { ...TINY, source: 'markov' });
    details.append(element);
    const ended = verdicts(element);
    await element.run();
    await ended;
    details.open = true;
    await expect
      .poll(() =>
        inside(element, '.plot canvas').map((canvas) => canvas.clientWidth > 200 && canvas.clientHeight > 200),
      )
      .toEqual([true, true, true]);
  },
  LONG,
);

test(
  'taking the element away ends the training',
  async () => {
    const element = await show('en', { ...TINY, steps: 100_000, source: 'markov' });
    await element.run();
    await phase(element, 'running');
    element.remove();
    expect(element.phase).toBe('idle');
    document.body.append(element);
    await element.updateComplete;
    expect(textOf(element, '.plot .empty').length).toBe(3);
  },
  LONG,
);

test(
  'the language can change during a run without losing it',
  async () => {
    const element = await show('en', { ...TINY, steps: 100_000, source: 'markov' });
    await element.run();
    await expect.poll(() => progress(element), { timeout: LONG }).toBeGreaterThan(3);
    element.lang = 'ko';
    await expect.poll(() => textOf(element, '.transport button')[0]).toBe(messages.ko.transport.pause);
    expect(element.phase).toBe('running');
    expect(progress(element)).toBeGreaterThan(3);
  },
  LONG,
);
