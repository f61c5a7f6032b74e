// The names under which web and tests see the package, and the sources behind them.
import { join } from 'node:path';
import { root } from './shell.mjs';

export const SOURCES = {
  normscope: join(root, 'wasm/runtime/index.ts'),
  'normscope/testing': join(root, 'wasm/runtime/testing.ts'),
  'normscope/elements': join(root, 'web/elements/index.ts'),
};

/** For Vite and Vitest. */
export const viteAlias = Object.entries(SOURCES).map(([name, replacement]) => ({
  find: new RegExp(`^${name}$`),
  replacement,
}));
