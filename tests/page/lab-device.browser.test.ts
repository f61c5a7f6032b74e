import axe from 'axe-core';
import type { Verdict } from 'normscope';
import type { NormscopeMemory, NormscopeStabilityLab } from 'normscope/elements';
import 'normscope/elements';
import { afterEach, describe, expect, inject, test } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { lab as messages } from '../../web/locales/lab.js';
import type { Language } from '../../web/locales/language.js';
import { memory } from '../../web/locales/memory.js';

const LANGUAGES: Language[] = ['en', 'ko'];
const LONG = 120_000;
/** Small enough for an adapter in software. */
const TINY = { nLayer: 1, dModel: 8, nHead: 1, nBatch: 1, nCtx: 8, steps: 4, source: 'markov' } as const;
/** Chromium's only adapter here is emulated, so that 'auto' has no reason to take it. */
const AUTO = inject('webgpu') ? 'software-adapter' : 'no-webgpu';

async function show(language: Language, attributes: Record<string, string> = {}): Promise<NormscopeStabilityLab> {
  const element = document.createElement('normscope-stability-lab') as NormscopeStabilityLab;
  element.lang = language;
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  document.body.append(element);
  element.settings = { ...element.settings, ...TINY };
  await element.updateComplete;
  return element;
}

const inside = (element: HTMLElement, selector: string) => [
  ...element.shadowRoot!.querySelectorAll<HTMLElement>(selector),
];
const textOf = (element: HTMLElement, selector: string) =>
  inside(element, selector).map((node) => node.textContent!.trim().replace(/\s+/g, ' '));

async function finish(element: NormscopeStabilityLab): Promise<string[]> {
  const ended = new Promise<Verdict[]>((resolve) =>
    element.addEventListener('normscope-verdict', (event) => resolve((event as CustomEvent<Verdict[]>).detail), {
      once: true,
    }),
  );
  await element.run();
  const codes = (await ended).map(({ code }) => code);
  await element.updateComplete;
  return codes;
}

async function axeFinds(element: HTMLElement): Promise<string[]> {
  const { violations } = await axe.run(element, { rules: { region: { enabled: false } } });
  return violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`);
}

afterEach(() => document.body.replaceChildren());

describe.each(LANGUAGES)('the lab’s device in %s', (language) => {
  const t = messages[language];

  test(
    'automatic: takes no emulated GPU, and its badge says what computes and why',
    async () => {
      const element = await show(language);
      expect(textOf(element, '.machine .where dd')).toEqual([`${t.wish.auto} ${t.machine.idle.auto}`]);
      expect(await finish(element)).toEqual(['finished', 'finished']);
      expect(textOf(element, '.machine .where dd')).toEqual([`WebAssembly ${t.machine.reasons[AUTO]}`]);
      expect(textOf(element, '.notices p')).toEqual([]);
    },
    LONG,
  );

  test(
    'WebGPU by name: used where it is; where it is not, a calm message, a badge and the same verdict',
    async () => {
      const element = await show(language, { device: 'webgpu' });
      expect(await finish(element)).toEqual(['finished', 'finished']);
      if (inject('webgpu')) {
        expect(textOf(element, '.badge')).toEqual(['WebGPU']);
        expect(textOf(element, '.why')[0]).toContain(t.machine.reasons.asked);
        expect(textOf(element, '.machine dt')).toContain(t.machine.onGpu);
        expect(textOf(element, '.notices p')).toEqual([]);
        return;
      }
      const why = t.machine.reasons['no-webgpu'];
      expect(textOf(element, '.machine .where dd')).toEqual([`WebAssembly ${why}`]);
      expect(textOf(element, '.notices [role=status] p')).toEqual([t.notices.fallback(why)]);
      expect(inside(element, '[role=alert]')).toEqual([]);
      expect(await axeFinds(element)).toEqual([]);
      await page.getByRole('button', { name: t.notices.close, exact: true }).click();
      await expect.poll(() => textOf(element, '.notices p')).toEqual([]);
      expect(textOf(element, '.machine li')).toEqual([t.notices.fallback(why)]);
      expect(await axeFinds(element)).toEqual([]);
    },
    LONG,
  );

  test('is chosen among the settings, by keyboard too, and takes effect at the next run', async () => {
    const element = await show(language);
    const chosen: string[] = [];
    element.addEventListener('normscope-device', (event) => chosen.push((event as CustomEvent<string>).detail));
    const radio = (name: string) => page.getByRole('radio', { name, exact: true });
    await radio(t.wish.wasm).click({ force: true });
    expect([element.device, element.getAttribute('device')]).toEqual(['wasm', 'wasm']);
    await finish(element);
    expect(textOf(element, '.machine .where dd')).toEqual([`WebAssembly ${t.machine.reasons.asked}`]);
    await userEvent.keyboard('{ArrowRight}');
    expect(chosen).toEqual(['wasm', 'webgpu']);
    await expect.poll(() => textOf(element, '.changed')).toEqual([t.changedNote]);
  });

  test(
    'parameters, memory and speed are shown in numbers that belong together',
    async () => {
      const element = await show(language, { device: 'wasm' });
      expect(textOf(element, '.machine .parameters dd, .machine .memory dd')).toEqual(['–', '–']);
      expect(textOf(element, '.machine .speed dd')).toEqual(['–']);
      element.settings = { ...element.settings, steps: 2000, nLayer: 2, dModel: 16 };
      expect(await finish(element)).toEqual(['finished', 'finished']);
      await expect.poll(() => textOf(element, '.machine .memory dd')[0]).toMatch(/^[\d.]+ (KiB|MiB)$/);
      expect(textOf(element, '.machine .parameters dd')[0]).toMatch(/\d{1,2},\d{3}/);
      const [tokens, steps] = textOf(element, '.machine .speed span').map((words) =>
        Number(words.replace(/[^\d.]/g, '')),
      );
      expect(tokens! / steps!).toBeCloseTo(TINY.nBatch * TINY.nCtx, 0);
      expect(textOf(element, '.machine .speed dt')).toEqual([t.machine.meanSpeed]);
    },
    LONG,
  );
});

test('a device that is none leaves the choice to the package', async () => {
  const element = await show('en', { device: 'abacus' });
  expect(element.device).toBe('auto');
  element.setAttribute('device', 'WebGPU');
  expect(element.device).toBe('webgpu');
});

describe.each(LANGUAGES)('the memory planner in %s', (language) => {
  const t = memory[language];

  test(
    'plans the reader’s model and GPT-2’s sizes, with what each device can hold, and axe finds nothing',
    async () => {
      const element = document.createElement('normscope-memory') as NormscopeMemory;
      element.lang = language;
      element.spec = { placement: 'peri-ln', nLayer: 2, dModel: 16, nHead: 2, nBatch: 2, nCtx: 16 };
      document.body.append(element);
      await element.updateComplete;
      expect(textOf(element, '.hint')).toEqual([t.empty]);
      const planned = new Promise((resolve) => element.addEventListener('normscope-planned', resolve, { once: true }));
      await page.getByRole('button', { name: t.plan, exact: true }).click();
      await planned;
      await element.updateComplete;
      expect(textOf(element, 'h4')).toEqual([t.own, ...['124M', '355M', '774M', '1.5B'].map(t.gpt2)]);
      expect(textOf(element, '.fits dd')[0]).toBe(`✓ ${t.wasmFits}`);
      expect(textOf(element, '.fits dd')[2]).toBe(`✗ ${t.wasmRefused('3.00 GiB')}`);
      expect(textOf(element, '[role=alert]')).toEqual([]);
      inside(element, 'details').forEach((details) => ((details as HTMLDetailsElement).open = true));
      expect(inside(element, 'tbody tr').length).toBe(5);
      expect(await axeFinds(element)).toEqual([]);
      await page.getByRole('radio', { name: '4', exact: true }).click({ force: true });
      await expect.poll(() => textOf(element, '.now')).toEqual([t.outdated]);
    },
    LONG,
  );
});
