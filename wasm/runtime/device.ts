/** Loading the package and choosing where calls run that do not say so. */
import { checkKeys } from './checks.js';
import { startEngine } from './core.js';
import { abortable } from './errors.js';
import { requestGpu } from './gpu-device.js';
import type { Device, LoadOptions, LoadResult } from './types.js';

let device: Device = 'wasm';

/** Where a call runs that names no device: what the last `load` settled on, WASM before any. */
export const defaultDevice = (): Device => device;

const LOAD_KEYS = ['device', 'math', 'signal', 'wasmBinary', 'wasmUrl'];

/**
 * Starts the core. May be called any number of times and at any time: the start is shared, and a failed one may be
 * tried again. Every other call starts the core by itself, so this is for choosing options and for paying early.
 * With `device: 'webgpu'` later calls run on the GPU where their kernels have WGSL; without a usable adapter the result
 * says `device: 'wasm'`.
 * @throws NormscopeError no-wasm | wasm-refused | core-not-found | core-broken | aborted
 */
export async function load(options: LoadOptions = {}): Promise<LoadResult> {
  checkKeys('load', options, LOAD_KEYS);
  const engine = await startEngine(options);
  const gpu =
    options.device === 'webgpu' ? await abortable(requestGpu(), options.signal, 'the search for a GPU') : null;
  const adapter = gpu?.state === 'ready' ? gpu.adapter : null;
  device = adapter === null ? 'wasm' : 'webgpu';
  return { device, adapter, simd: engine.simd, version: engine.version };
}
