// The built site as a reader gets it: served as files, under a path of its own, opened in Chromium.
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium, type Browser, type BrowserContextOptions, type FrameLocator, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { serve } from '../../wasm/toolchain/serve.mjs';

const dist = join(fileURLToPath(import.meta.url), '../../../dist');
const LONG = 60_000;

let browser: Browser;
let site: { address: string; close: () => void };
beforeAll(async () => {
  browser = await chromium.launch({ executablePath: process.env.CHROMIUM_PATH, args: ['--no-sandbox'] });
  site = await serve(dist, { firstPort: 18080 });
}, LONG);
afterAll(async () => {
  await browser.close();
  site.close();
});

/** Opens the site; `errors` collects what the browser complains about. */
async function open(query: string, options: BrowserContextOptions = {}, prepare?: (page: Page) => Promise<unknown>) {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  const errors: string[] = [];
  page.on('pageerror', (error) => errors.push(error.message));
  page.on('console', (message) => message.type() === 'error' && errors.push(message.text()));
  await prepare?.(page);
  await page.goto(`${site.address}site/${query}`);
  return { page, errors, close: () => context.close() };
}

const lens = (page: Page) => page.locator('normscope-lens');
/** The lens has computed: its light DOM holds a still figure with the same numbers, hidden by then. */
const computed = (root: Page | FrameLocator) =>
  root.locator('normscope-lens').getByText('1.1701').filter({ visible: true }).first().waitFor();
const lab = (page: Page) => page.locator('normscope-stability-lab');

describe('the built site', () => {
  test('computes the course example and switches language and theme', { timeout: LONG }, async () => {
    const { page, errors, close } = await open('?lang=ko');
    await computed(page);
    expect(await page.locator('html').getAttribute('lang')).toBe('ko');
    await page.getByRole('button', { name: 'English' }).click();
    expect(await page.locator('html').getAttribute('lang')).toBe('en');
    expect(page.url()).toContain('lang=en');
    await lab(page).getByRole('button', { name: 'Run' }).waitFor();
    const theme = () => page.evaluate(() => getComputedStyle(document.body).color);
    const before = await theme();
    await page.locator('button.theme').click();
    expect(await theme()).not.toBe(before);
    expect(errors).toEqual([]);
    await close();
  });

  test('takes the device from the address and puts the reader’s choice back into it', { timeout: LONG }, async () => {
    const { page, errors, close } = await open('?lang=en&device=wasm');
    const device = (name: string) => lab(page).getByRole('radio', { name, exact: true });
    await device('WASM').and(page.locator(':checked')).waitFor();
    await device('WebGPU').check({ force: true });
    expect(new URL(page.url()).searchParams.get('device')).toBe('webgpu');
    await page.getByRole('button', { name: '한국어' }).click();
    await page.reload();
    await device('WebGPU').and(page.locator(':checked')).waitFor();
    expect(await page.locator('html').getAttribute('lang')).toBe('ko');
    expect(errors).toEqual([]);
    await close();
  });

  test.each(['ko', 'en'])('fits a phone without scrolling sideways (%s)', { timeout: LONG }, async (language) => {
    for (const width of [320, 390]) {
      const { page, close } = await open(`?lang=${language}`, { viewport: { width, height: 800 } });
      await computed(page);
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
      await close();
    }
  });

  test.each(['ko', 'en'])(
    'says why when the core does not arrive, and keeps its text (%s)',
    { timeout: LONG },
    async (language) => {
      const { page, close } = await open(`?lang=${language}`, {}, (page) =>
        page.route(/\.wasm$/, (route) => route.fulfill({ status: 404, body: '' })),
      );
      const sentence = language === 'ko' ? '계산 코어를 불러오지 못했습니다' : 'The computing core could not be loaded';
      await lens(page).getByText(sentence).first().waitFor();
      await lab(page)
        .getByRole('button', { name: language === 'ko' ? '실행' : 'Run', exact: true })
        .click();
      await lab(page).getByText(sentence).first().waitFor();
      await close();
    },
  );

  test('trains on the page itself where workers are refused', { timeout: LONG }, async () => {
    const { page, close } = await open('?lang=en', {}, (page) =>
      page.addInitScript(() => Reflect.deleteProperty(globalThis, 'Worker')),
    );
    await lab(page).getByRole('button', { name: 'Run', exact: true }).click();
    await lab(page)
      .getByText(/step ([2-9]|\d\d+) of 300/)
      .first()
      .waitFor();
    await lab(page).getByRole('button', { name: 'Stop' }).click();
    await close();
  });

  test('shows its text and a still figure in both languages without JavaScript', { timeout: LONG }, async () => {
    const { page, close } = await open('', { javaScriptEnabled: false });
    for (const text of ['레이어 정규화', 'Layer normalization'])
      expect(await page.getByRole('heading', { name: text }).count()).toBeGreaterThan(0);
    expect(await page.locator('svg:visible').count()).toBeGreaterThan(0);
    await close();
  });

  test('works in a sandboxed frame without storage', { timeout: LONG }, async () => {
    const { page, close } = await open('?lang=en');
    await page.setContent(
      `<iframe sandbox="allow-scripts" width="900" height="900" src="${site.address}site/?lang=ko"></iframe>`,
    );
    await computed(page.frameLocator('iframe'));
    await close();
  });
});
