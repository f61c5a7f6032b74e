import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';
import { viteAlias } from '../../wasm/toolchain/aliases.mjs';
import { prerender } from './prerender.js';

const path = (name: string) => fileURLToPath(new URL(name, import.meta.url));

export default defineConfig({
  root: path('.'),
  base: './', // works under any sub-path
  plugins: [prerender()],
  resolve: { alias: viteAlias },
  server: { cors: true, fs: { allow: [path('../..')] } },
  worker: { format: 'es' },
  build: {
    outDir: path('../../dist/site'),
    emptyOutDir: true,
    target: 'es2022',
    assetsInlineLimit: 0, // files stay files: a strict content-security policy forbids data URLs
    modulePreload: { polyfill: false },
    rolldownOptions: { external: ['module'] }, // Emscripten's glue asks for it in Node only
  },
});
