// Tests of the TypeScript rooms: in Node (with Dawn on a software GPU) and in Chromium with and without WebGPU.
import { playwright } from '@vitest/browser-playwright';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { viteAlias as alias } from './wasm/toolchain/aliases.mjs';
import { findChromium, findSwiftShader } from './wasm/toolchain/setup-system.mjs';

const path = (name: string) => fileURLToPath(new URL(name, import.meta.url));
const chromium = findChromium();
const swiftShader = findSwiftShader(chromium);

/** Two launch options, one for each state that a reader's browser can be in. */
const launch = (...args: string[]) =>
  playwright({
    launchOptions: {
      executablePath: chromium ?? undefined,
      // A root user's Chromium has no sandbox; the other flags keep it from calling home.
      args: [
        '--no-sandbox',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
        '--no-first-run',
        ...args,
      ],
    },
  });

export default defineConfig({
  root: path('.'),
  test: {
    projects: [
      {
        resolve: { alias },
        test: {
          name: 'node',
          environment: 'node',
          include: ['tests/**/*.node.test.ts', 'web/**/*.node.test.ts', 'wasm/**/*.node.test.ts'],
          exclude: ['**/node_modules/**'],
          testTimeout: 30_000,
          // Dawn takes its adapter from the Vulkan driver named here.
          env: { ...(swiftShader && { VK_ICD_FILENAMES: swiftShader }), ...(chromium && { CHROMIUM_PATH: chromium }) },
        },
      },
      {
        resolve: { alias },
        // Named here, or the first import in a test would make Vite optimize and reload the page in the middle of a run.
        optimizeDeps: { include: ['lit', 'axe-core', 'uplot'] },
        worker: { format: 'es' },
        // Packages are served with open CORS; workers of an opaque origin need it.
        server: { cors: true },
        test: {
          name: 'browser',
          include: ['tests/**/*.browser.test.ts', 'web/**/*.browser.test.ts', 'wasm/**/*.browser.test.ts'],
          exclude: ['**/node_modules/**'],
          testTimeout: 30_000,
          browser: {
            enabled: true,
            headless: true,
            screenshotFailures: false,
            viewport: { width: 1280, height: 800 },
            provider: launch('--enable-unsafe-webgpu'),
            instances: [
              { browser: 'chromium', name: 'webgpu', provide: { webgpu: true } },
              {
                browser: 'chromium',
                name: 'no-webgpu',
                provide: { webgpu: false },
                // Files named *.webgpu.browser.test.ts promise something about WebGPU itself.
                exclude: ['**/node_modules/**', '**/*.webgpu.browser.test.ts'],
                provider: launch('--disable-features=WebGPU'),
              },
            ],
          },
        },
      },
    ],
  },
});

declare module 'vitest' {
  export interface ProvidedContext {
    /** Whether this instance of Chromium has WebGPU: inject('webgpu'). */
    webgpu: boolean;
  }
}
