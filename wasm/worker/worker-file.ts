/** Where the self-contained worker script lies, built from training-worker.ts. Packing rewrites the URL. */
export const workerUrl = (): URL => new URL('../../build/generated/worker.js', import.meta.url);
