/** Where the builds of the core lie. The only file that names them; packing rewrites the URLs. */
export interface CoreFile {
  /** The Emscripten glue: an ES module whose default export makes an instance. */
  glue: () => Promise<{ default: unknown }>;
  wasm: () => URL;
}

/** exact: baseline SIMD; fast: relaxed SIMD; scalar: for engines without SIMD. One source, the first and the last with the same bits. */
export type CoreBuild = 'exact' | 'fast' | 'scalar';
/** analysis: the double instance with what wasm/analysis asks for; loaded only by it. */
export type CoreModule = CoreBuild | 'analysis';

export const CORE_FILES: Record<CoreModule, CoreFile> = {
  exact: {
    glue: () => import('../../build/wasm/core.mjs'),
    wasm: () => new URL('../../build/wasm/core.wasm', import.meta.url),
  },
  fast: {
    glue: () => import('../../build/wasm/core-fast.mjs'),
    wasm: () => new URL('../../build/wasm/core-fast.wasm', import.meta.url),
  },
  scalar: {
    glue: () => import('../../build/wasm/core-scalar.mjs'),
    wasm: () => new URL('../../build/wasm/core-scalar.wasm', import.meta.url),
  },
  analysis: {
    glue: () => import('../../build/wasm/core-analysis.mjs'),
    wasm: () => new URL('../../build/wasm/core-analysis.wasm', import.meta.url),
  },
};
