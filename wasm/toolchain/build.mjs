// npm run build: the package in dist/ and the site in dist/site/. Each stage runs only when its inputs changed.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildPreset, CORES } from './cmake.mjs';
import { generate, writeIfChanged } from './generate.mjs';
import { isMain, main, root } from './shell.mjs';
import { writePackageNotices, writeSiteNotices } from './notices.mjs';
import { setup } from './setup.mjs';
import { whenStale } from './stamps.mjs';

const GLUE_TYPES = `declare const createModule: (options?: object) => Promise<unknown>;\nexport default createModule;\n`;

/** Every module of the C++ core: build/wasm/core.{mjs,wasm}, core-fast, core-scalar, core-analysis. */
export async function buildCore(tools) {
  await buildPreset('wasm', 'the C++ core to WebAssembly', tools);
  for (const name of CORES) writeIfChanged(join(root, `build/wasm/${name}.d.mts`), GLUE_TYPES);
}

/** build/generated: what TypeScript takes from C++ tables, shaders, formulas and packages. */
export async function generateSources() {
  generate();
  // Only now: these import npm packages, which the set-up has just brought.
  const { generateFormulas } = await import('../../web/formulas/generate.mjs');
  const { writeDeclarations } = await import('../../web/site/declaration.mjs');
  await generateFormulas();
  await whenStale(
    'declarations',
    {
      inputs: ['web/site/declaration.mjs', 'package-lock.json'],
      outputs: ['build/generated/declaration-ko.ts', 'build/generated/declaration-en.ts'],
    },
    () => writeDeclarations(join(root, 'build/generated')),
  );
  await whenStale('worker', { inputs: WORKER_SOURCES, outputs: [WORKER] }, async () => {
    const { buildWorker } = await import('./pack.mjs');
    await buildWorker(join(root, WORKER));
  });
}

const WORKER = 'build/generated/worker.js';
const WORKER_SOURCES = [
  'wasm/analysis',
  'wasm/runtime',
  'wasm/worker',
  'wasm/toolchain/pack.mjs',
  'build/generated/kernels.ts',
  'build/wasm',
  'package-lock.json',
];
const SOURCES = [
  'wasm/experiments',
  'wasm/analysis',
  'wasm/runtime',
  'wasm/worker',
  'wasm/toolchain',
  'web',
  'build/generated',
  'build/wasm',
  'package-lock.json',
  'tsconfig.json',
];

export async function buildPackage() {
  const stage = {
    inputs: [...SOURCES, 'wasm/cli', 'tsconfig.types.json'],
    outputs: ['dist/index.js', 'dist/cli.js', 'dist/worker.js', 'dist/types'],
  };
  await whenStale('package', stage, async () => {
    const { buildPackage: pack } = await import('./pack.mjs');
    await pack({ worker: join(root, WORKER) });
    writePackageNotices();
  });
}

export async function buildSite() {
  await whenStale('site', { inputs: SOURCES, outputs: ['dist/site/index.html'] }, async () => {
    const { build } = await import('vite');
    await build({ configFile: join(root, 'web/site/vite.config.ts'), logLevel: 'warn' });
    writeSiteNotices();
    writeFileSync(join(root, 'dist/site/.nojekyll'), ''); // static hosts that run Jekyll would drop files that start with _
  });
}

/** Everything that the page needs. */
export async function buildForPage(tools) {
  await buildCore(tools);
  await generateSources();
  await buildSite();
}

export async function buildAll(tools) {
  await buildCore(tools);
  await generateSources();
  await buildPackage();
  await buildSite();
}

if (isMain(import.meta.url)) {
  await main(async () => {
    await buildAll(await setup());
    console.log('The package is in dist/, the site in dist/site/.');
  });
}
