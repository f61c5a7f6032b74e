import axe from 'axe-core';
import { afterEach, describe, expect, inject, test } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import 'normscope/elements';
import { errors } from '../../web/locales/errors.js';
import { lens as messages } from '../../web/locales/lens.js';
import type { Language } from '../../web/locales/language.js';

interface Updating extends HTMLElement {
  updateComplete: Promise<boolean>;
}

const LANGUAGES: Language[] = ['en', 'ko'];

/** A fresh lens after its first answer. */
async function show(language: Language, attributes: Record<string, string> = {}): Promise<Updating> {
  const element = document.createElement('normscope-lens') as Updating;
  element.lang = language;
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  const answered = nextAnswer(element);
  document.body.append(element);
  await answered;
  await element.updateComplete;
  return element;
}

function nextAnswer(element: HTMLElement): Promise<CustomEvent> {
  return new Promise((resolve) =>
    element.addEventListener('normscope-change', (event) => resolve(event as CustomEvent), { once: true }),
  );
}

/** Does something that changes the numbers and waits until the lens shows the answer. */
async function after(element: Updating, action: () => unknown): Promise<void> {
  const answered = nextAnswer(element);
  await action();
  await answered;
  await element.updateComplete;
}

const inside = (element: HTMLElement, selector: string) => [
  ...element.shadowRoot!.querySelectorAll<HTMLElement>(selector),
];
const textOf = (element: HTMLElement, selector: string) =>
  inside(element, selector).map((node) => node.textContent!.trim().replace(/\s+/g, ' '));
const field = (element: HTMLElement, id: string) => element.shadowRoot!.getElementById(id) as HTMLInputElement;

async function type(input: HTMLInputElement | HTMLTextAreaElement, text: string): Promise<void> {
  input.focus();
  input.value = text;
  input.dispatchEvent(new InputEvent('input', { bubbles: true }));
  input.dispatchEvent(new Event('change', { bubbles: true }));
}

afterEach(() => document.body.replaceChildren());

describe.each(LANGUAGES)('the lens in %s', (language) => {
  const t = messages[language];

  test('computes the example of the course', async () => {
    const element = await show(language);
    expect(textOf(element, '.bar-line:not(.head) .value')).toEqual(['1.1701', '−1.4892', '−0.2659', '0.5851']);
    expect(textOf(element, '.numbers p:first-child')).toContain('μ = (3.2 − 1.8 + 0.5 + 2.1) / 4 = 1.0000');
    expect(textOf(element, '.numbers p:first-child')).toContain('σ = √(14.1400 / 4) = √3.5350 = 1.8802');
    expect(textOf(element, '.facts dd')).toEqual(['0.0000', '1.0000', '1.4892 ≤ √(d − 1) = 1.7321']);
    expect(textOf(element, '.note')).toEqual([t.notes.course]);
  });

  test('shows that an edited token leaves the others unchanged, and that BatchNorm does not', async () => {
    const element = await show(language);
    await after(element, () => type(field(element, 'x-0'), '-7'));
    expect(textOf(element, '.badge')).toEqual([t.grid.changed, t.grid.unchanged, t.grid.unchanged, t.grid.unchanged]);
    expect(textOf(element, '.effect')).toEqual([t.effect.rowsKept]);
    await after(element, () => page.getByRole('radio', { name: t.kind.batchnorm }).click({ force: true }));
    expect(textOf(element, '.badge')).toEqual(new Array(4).fill(t.grid.changed));
    expect(textOf(element, '.effect')).toEqual([t.effect.rowsMoved('3')]);
  });

  test('shows what padding and a batch of one do to each norm', async () => {
    const element = await show(language);
    await after(element, () => page.getByRole('checkbox', { name: t.batch.padded }).click());
    expect(textOf(element, '.badge')).toEqual(new Array(4).fill(t.grid.unchanged));
    await after(element, () => page.getByRole('radio', { name: t.kind.batchnorm }).click({ force: true }));
    expect(textOf(element, '.badge')).toEqual(new Array(4).fill(t.grid.changed));
    await after(element, () => page.getByRole('checkbox', { name: t.batch.padded }).click());
    await after(element, () => page.getByRole('checkbox', { name: t.batch.alone }).click());
    expect(textOf(element, '.bar-line:not(.head) .value')).toEqual(new Array(4).fill('0.0000'));
    expect(textOf(element, '.effect')).toEqual([t.effect.zeroAlone]);
  });

  test('keeps the last good number and says what is wrong', async () => {
    const element = await show(language);
    await type(field(element, 'x-1'), '0,5');
    await element.updateComplete;
    expect(field(element, 'x-1').getAttribute('aria-invalid')).toBe('true');
    expect(textOf(element, '[role=alert]')).toHaveLength(1);
    expect(textOf(element, '.bar-line:not(.head) .value')[1]).toBe('−1.4892');
    await after(element, () => type(field(element, 'x-1'), '−1.8'));
    expect(textOf(element, '[role=alert]')).toHaveLength(0);
  });

  test('refuses what no 32-bit number holds and an ε below zero, each with its own sentence', async () => {
    const element = await show(language);
    await type(field(element, 'x-1'), '1e39');
    await element.updateComplete;
    expect(textOf(element, '[role=alert]')).toEqual([errors[language].number['beyond-fp32']]);
    await after(element, () => type(field(element, 'x-1'), '-1.8'));
    await type(field(element, 'eps'), '-1');
    await element.updateComplete;
    expect(textOf(element, '[role=alert]')).toEqual([errors[language].number.negative]);
  });

  test('brings the course example back after an edit, by its chip or by undoing', async () => {
    const element = await show(language);
    const chosen = () =>
      inside(element, '.choices-preset input:checked').map((input) => (input as HTMLInputElement).value);
    const { max } = inside(element, '.track input')[0] as HTMLInputElement;
    await after(element, () => type(field(element, 'x-0'), '1e30'));
    expect(chosen()).toEqual(['own']);
    await after(element, () => type(field(element, 'x-0'), '-1.234567e30'));
    expect(field(element, 'x-0').scrollWidth).toBeLessThanOrEqual(field(element, 'x-0').clientWidth);
    for (const cell of inside(element, '.grid td, .numbers p')) expect(cell.textContent).not.toMatch(/\d{12}/);
    await after(element, () => page.getByRole('radio', { name: t.presets.course }).click({ force: true }));
    expect([chosen(), field(element, 'x-0').value]).toEqual([['course'], '3.2']);
    await after(element, () => type(field(element, 'x-0'), '1e30'));
    await after(element, () => page.getByRole('button', { name: t.bench.reset }).click());
    expect([chosen(), field(element, 'x-0').value]).toEqual([['course'], '3.2']);
    expect((inside(element, '.track input')[0] as HTMLInputElement).max).toBe(max);
  });

  test('names the column that the facts of BatchNorm are about', async () => {
    const element = await show(language, { norm: 'batchnorm' });
    for (const label of textOf(element, '.facts dt')) expect(label).toContain('x₁');
  });

  test('says how it read a comma between digits', async () => {
    const element = await show(language);
    await type(field(element, 'vector'), '65,504 1 2');
    await after(element, () => page.getByRole('button', { name: t.paste.apply }).click());
    expect(textOf(element, '.paste-note')[0]).toContain(t.paste.count('4'));
  });

  test('takes a pasted vector of another length and tells what it filled in', async () => {
    const element = await show(language);
    await type(field(element, 'vector'), 'tensor([1., −2., 3.])');
    await after(element, () => page.getByRole('button', { name: t.paste.apply }).click());
    expect(textOf(element, '.bar-line:not(.head) .value')).toEqual(['0.1622', '−1.2978', '1.1355']);
    expect(textOf(element, '.paste-note')).toEqual([t.paste.filled]);
  });

  test('has no accessibility problem that axe can find, in any of its norms', async () => {
    for (const norm of ['layernorm', 'rmsnorm', 'batchnorm']) {
      const element = await show(language, { norm });
      for (const details of element.shadowRoot!.querySelectorAll('details')) details.open = true;
      const { violations } = await axe.run(element, { rules: { region: { enabled: false } } });
      expect(violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`)).toEqual([]);
      element.remove();
    }
  });
});

test('the keyboard alone reaches every control and moves a bar', async () => {
  const element = await show('en');
  const reached = new Set<Element>();
  for (let press = 0; press < 60; press++) {
    await userEvent.keyboard('{Tab}');
    const active = element.shadowRoot!.activeElement;
    if (active) reached.add(active);
    else if (reached.size > 0) break;
  }
  const controls = inside(element, 'button, textarea, summary, input:not([type=radio]), input[type=radio]:checked');
  const visible = controls.filter((control) => control.checkVisibility() && !(control as HTMLInputElement).disabled);
  expect(visible.filter((control) => !reached.has(control)).map((control) => control.outerHTML)).toEqual([]);
  const slider = inside(element, '.track input')[0] as HTMLInputElement;
  slider.focus();
  await after(element, () => userEvent.keyboard('{ArrowRight}'));
  expect(Number(field(element, 'x-0').value)).toBeGreaterThan(3.2);
});

test('Enter while Korean is being composed is left to the input method', async () => {
  const element = await show('ko');
  const area = field(element, 'vector');
  area.focus();
  area.value = '1 2 3 4';
  area.dispatchEvent(new InputEvent('input', { bubbles: true }));
  area.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', isComposing: true, bubbles: true, composed: true }));
  await element.updateComplete;
  expect(textOf(element, '.bar-line:not(.head) .value')[0]).toBe('1.1701');
  await after(element, () =>
    area.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true, composed: true })),
  );
  expect(textOf(element, '.bar-line:not(.head) .value')).toEqual(['−1.3416', '−0.4472', '0.4472', '1.3416']);
});

test('the language around the element can change while it is shown', async () => {
  const element = await show('en');
  element.lang = 'ko';
  await expect.poll(() => textOf(element, '.bench h3')[0]).toContain(messages.ko.bench.hint);
});

test('WebGPU is used where it is, and its absence is said', async () => {
  const element = await show('en');
  await page.getByRole('radio', { name: 'WebGPU' }).click({ force: true });
  const said = inject('webgpu') ? messages.en.device.ran('WebGPU') : messages.en.device.noGpu;
  await expect.poll(() => element.shadowRoot!.querySelector('.device')!.textContent).toContain(said);
  expect(textOf(element, '.bar-line:not(.head) .value')).toEqual(['1.1701', '−1.4892', '−0.2659', '0.5851']);
  expect(inside(element, '[role=alert]')).toEqual([]);
});

test('the attribute asks for WebGPU, for every kind of norm, and its absence is no alarm', async () => {
  const element = await show('ko', { device: 'webgpu' });
  const said = inject('webgpu') ? messages.ko.device.ran('WebGPU') : messages.ko.device.noGpu;
  await expect.poll(() => element.shadowRoot!.querySelector('.device')!.textContent).toContain(said);
  await after(element, () => page.getByRole('radio', { name: messages.ko.kind.batchnorm }).click({ force: true }));
  expect(
    textOf(element, '.bar-line:not(.head) .value').every((value) => Number.isFinite(Number(value.replace('−', '-')))),
  ).toBe(true);
  expect(inside(element, '[role=alert]')).toEqual([]);
  element.lang = 'en';
  const inEnglish = inject('webgpu') ? messages.en.device.ran('WebGPU') : messages.en.device.noGpu;
  await expect.poll(() => textOf(element, '.device [role=status]')[0]).toContain(inEnglish);
});

test('a finger that scrolls over a slider changes nothing, one that moves sideways does', async () => {
  const element = await show('ko');
  const slider = inside(element, '.track input')[0] as HTMLInputElement;
  const touch = (type: string, clientX: number, clientY: number) =>
    slider.dispatchEvent(
      new PointerEvent(type, { pointerType: 'touch', clientX, clientY, bubbles: true, composed: true }),
    );
  const slide = (value: string) => {
    slider.value = value;
    slider.dispatchEvent(new InputEvent('input', { bubbles: true, composed: true }));
  };
  touch('pointerdown', 100, 100);
  slide('1');
  touch('pointercancel', 102, 140);
  await element.updateComplete;
  expect([slider.value, field(element, 'x-0').value]).toEqual(['3.2', '3.2']);
  await after(element, () => {
    touch('pointerdown', 100, 100);
    touch('pointermove', 120, 103);
    slide('1');
    touch('pointerup', 120, 103);
  });
  expect(field(element, 'x-0').value).toBe('1');
});

test('at 320 pixels nothing of a Korean lens is cut off', async () => {
  await page.viewport(320, 700);
  const element = await show('ko');
  expect(document.documentElement.scrollWidth).toBeLessThanOrEqual(320);
  for (const part of inside(element, 'section, fieldset, p, h3'))
    expect(part.getBoundingClientRect().right).toBeLessThanOrEqual(320);
  await page.viewport(1280, 800);
});
