// The real thing: Chromium's GPU process crashes under a run. In a browser of its own, because every page of it suffers.
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium, type Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { RunInfo, RunNotice, Verdict } from 'normscope';
import { serve } from '../../wasm/toolchain/serve.mjs';

const dist = join(fileURLToPath(import.meta.url), '../../../dist');
const LONG = 120_000;

let browser: Browser;
let site: { address: string; close: () => void };
beforeAll(async () => {
  browser = await chromium.launch({
    executablePath: process.env.CHROMIUM_PATH,
    args: ['--no-sandbox', '--enable-unsafe-webgpu'],
  });
  site = await serve(dist, { firstPort: 18180 });
}, LONG);
afterAll(async () => {
  await browser.close();
  site.close();
});

/** A page with nothing but the package, as a program would use it. */
const PAGE = `<!doctype html><title>run</title><script type="module">
  import { train } from './index.js';
  const seen = (globalThis.seen = { steps: [], notices: [] });
  const run = train({
    spec: { nLayer: 1, dModel: 16, nHead: 2, nCtx: 8, nBatch: 2, block: 'sublayer' },
    data: { kind: 'markov' },
    steps: 600,
    device: 'webgpu',
    onMetrics: ({ step }) => seen.steps.push(step),
    onNotice: (notice) => seen.notices.push(notice),
  });
  [seen.info] = await run.started;
  [seen.verdict] = await run.finished;
</script>`;

interface Seen {
  steps: number[];
  notices: RunNotice[];
  info?: RunInfo;
  verdict?: Verdict;
}
const seenNow = (): Seen => (globalThis as unknown as { seen: Seen }).seen;

test('a crash of the GPU process is survived with every step', { timeout: LONG }, async () => {
  const page = await browser.newPage();
  await page.route('**/run.html', (route) => route.fulfill({ contentType: 'text/html', body: PAGE }));
  await page.goto(`${site.address}run.html`);
  await page.waitForFunction('seen.steps.length > 20', null, { timeout: LONG });
  expect((await page.evaluate(seenNow)).info!.device).toBe('webgpu');
  await (await browser.newBrowserCDPSession()).send('Browser.crashGpuProcess');
  await page.waitForFunction('seen.verdict !== undefined', null, { timeout: LONG });
  const { verdict, steps, notices } = await page.evaluate(seenNow);
  expect(verdict).toMatchObject({ code: 'finished', step: 600 });
  expect(steps).toEqual(Array.from({ length: 600 }, (_, i) => i + 1));
  expect(notices[0]).toMatchObject({ code: 'device-lost', device: 'webgpu' });
});
