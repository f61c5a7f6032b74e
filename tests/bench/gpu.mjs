// npm run bench -- gpu [--rounds N] [--shapes small|large] [--only layernorm,block] [--peers jax,tfjs,ort]: our WebGPU kernels
// against those of other packages, on one adapter, in one page of headless Chromium. Read the ratios, and only those.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { chromium } from 'playwright-core';
import { createServer } from 'vite';
import { viteAlias as alias } from '../../wasm/toolchain/aliases.mjs';
import { findChromium } from '../../wasm/toolchain/setup-system.mjs';
import { reportRatios } from './measure.mjs';

const root = join(fileURLToPath(import.meta.url), '../../..');
const list = (text) => (text ? text.split(',') : null);
const { values } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: 'string', default: '9' },
    shapes: { type: 'string' },
    only: { type: 'string' },
    peers: { type: 'string' },
  },
});

const versions = JSON.parse(readFileSync(join(root, 'tests/bench/package.json'), 'utf8')).dependencies;

async function openPage() {
  const server = await createServer({
    root,
    configFile: false,
    logLevel: 'error',
    resolve: { alias },
    server: { port: 0 },
    // Found before the first page: else Vite would reload it in the middle. onnxruntime-web brings its own modules.
    optimizeDeps: {
      entries: ['tests/bench/gpu/page.html'],
      exclude: ['onnxruntime-web', '@jax-js/jax'],
    },
  });
  await server.listen();
  const browser = await chromium.launch({
    executablePath: findChromium() ?? undefined,
    args: ['--no-sandbox', '--disable-background-networking', '--no-first-run', '--enable-unsafe-webgpu'],
  });
  const page = await browser.newPage();
  page.on('pageerror', (error) => console.error(`page: ${error.message}`));
  await page.goto(
    `http://localhost:${server.config.server.port || server.httpServer.address().port}/tests/bench/gpu/page.html`,
  );
  await page.waitForFunction('window.bench', null, { timeout: 120_000 });
  return { page, close: () => Promise.all([browser.close(), server.close()]) };
}

const { page, close } = await openPage();
const { adapter, software } = await page.evaluate(() => window.bench.adapter());
const shapes = values.shapes ?? (software ? 'small' : 'large');
console.log(
  `WebGPU adapter ${adapter}${software ? ' (software: its ratios say little about hardware)' : ''}, ${shapes} shapes`,
);
console.log(
  Object.entries(versions)
    .map(([name, version]) => `${name} ${version}`)
    .join(', '),
);
const request = { shapes, rounds: Number(values.rounds), only: list(values.only), peers: list(values.peers) };
for (const title of await page.evaluate((wanted) => window.bench.titles(wanted), request)) {
  const { times, notes } = await page.evaluate(([name, wanted]) => window.bench.run(name, wanted), [title, request]);
  reportRatios(title, times);
  for (const note of notes) console.log(`  ${note}`);
}
await close();
