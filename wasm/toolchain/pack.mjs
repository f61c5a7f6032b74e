// The npm package in dist/: typed, dependency-free ES modules beside the two WASM files.
import { chmodSync, copyFileSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { readFile } from 'node:fs/promises';
import { SOURCES } from './aliases.mjs';
import { CORES } from './cmake.mjs';
import { Explained, root, runShowing } from './shell.mjs';

const dist = join(root, 'dist');
/** Where the files that sources name by URL lie in the package: all beside the modules. */
const MODULES = CORES.map((name) => `${name}.wasm`);
const PACKED = { ...Object.fromEntries(MODULES.map((name) => [name, name])), 'worker.js': 'worker.js' };

const NODE_MODULES = ['node:*', 'module', 'fs', 'path', 'url', 'crypto', 'worker_threads'];

/** The training worker as one file: bundlers that copy a worker do not copy what it imports. */
export async function buildWorker(outfile) {
  await bundle({ entryPoints: [join(root, 'wasm/worker/training-worker.ts')], outfile });
}

export async function buildPackage({ worker }) {
  mkdirSync(dist, { recursive: true });
  for (const name of readdirSync(dist)) if (name !== 'site') rmSync(join(dist, name), { recursive: true });
  for (const name of MODULES) copyFileSync(join(root, 'build/wasm', name), join(dist, name));
  copyFileSync(worker, join(dist, 'worker.js'));
  await bundle({
    // All share chunks: one page (or one call of the command line) has one engine, whichever door it came in by.
    entryPoints: {
      index: SOURCES.normscope,
      testing: SOURCES['normscope/testing'],
      elements: SOURCES['normscope/elements'],
      cli: join(root, 'wasm/cli/cli.ts'),
    },
    outdir: dist,
    splitting: true,
    chunkNames: 'chunk-[hash]',
  });
  chmodSync(join(dist, 'cli.js'), 0o755);
  const tsc = join(root, 'node_modules/typescript/bin/tsc');
  await runShowing('Declarations of the package', process.execPath, [tsc, '-p', join(root, 'tsconfig.types.json')]);
}

async function bundle(options) {
  const { build } = await import('esbuild');
  await build({
    bundle: true,
    format: 'esm',
    platform: 'neutral',
    mainFields: ['module', 'main'],
    conditions: ['node'], // Lit's build for Node also runs in browsers, and without a DOM it can be imported
    target: 'es2022',
    minify: true,
    sourcemap: false,
    legalComments: 'inline',
    external: NODE_MODULES,
    alias: SOURCES,
    logLevel: 'warning',
    tsconfig: join(root, 'tsconfig.json'),
    plugins: [packedUrls],
    ...options,
  });
}

/** `new URL('../../build/wasm/core.wasm', import.meta.url)` of the sources becomes `new URL('./core.wasm', …)`. */
const packedUrls = {
  name: 'packed-urls',
  setup({ onLoad }) {
    onLoad({ filter: /[/\\]wasm[/\\](analysis|runtime|worker)[/\\].*\.ts$/ }, async ({ path }) => {
      const source = await readFile(path, 'utf8');
      const contents = source.replace(/new URL\(\s*'([^']+)',\s*import\.meta\.url,?\s*\)/g, (_, target) => {
        const packed = PACKED[basename(target)];
        if (!packed)
          throw new Explained(
            `${path} names ${target} by URL; wasm/toolchain/pack.mjs does not know where that lies in the package.`,
          );
        return `new URL('./${packed}', import.meta.url)`;
      });
      return { contents, loader: 'ts' };
    });
  },
};
