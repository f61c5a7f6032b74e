/** Loading the package and choosing where calls run that do not say so. */
import { checkChoice, checkDevice, checkKeys } from './checks.js';
import { startEngine } from './core.js';
import { abortable } from './errors.js';
import { requestGpu } from './gpu-device.js';
import type { Device, LoadOptions, LoadResult } from './types.js';

let settled: Pick<LoadResult, 'device' | 'adapter'> = { device: 'wasm', adapter: null };

/** Where a call runs that names no device: what the last `load` that named one settled on, WASM before any. */
export const defaultDevice = (): Device => settled.device;

const LOAD_KEYS = ['device', 'math', 'signal', 'wasmBinary', 'wasmUrl'];

/**
 * Starts the core. May be called any number of times and at any time: the start is shared, what an option leaves out
 * stays as it was, and a failed start changes nothing and may be tried again. Every other call starts the core by
 * itself, so this is for choosing options and for paying early.
 * With `device: 'webgpu'` later calls run on the GPU where their kernels have WGSL; without a usable adapter the result
 * says `device: 'wasm'`.
 * @throws NormscopeError bad-option | no-wasm | wasm-refused | core-not-found | core-broken | aborted
 */
export async function load(options: LoadOptions = {}): Promise<LoadResult> {
  checkKeys('load', options, LOAD_KEYS);
  const device = checkDevice(options.device);
  checkChoice('math', options.math, ['exact', 'fast']);
  const engine = await startEngine(options);
  if (device) settled = await settle(device, options.signal);
  return { ...settled, simd: engine.simd, version: engine.version };
}

async function settle(wish: LoadOptions['device'], signal?: AbortSignal): Promise<typeof settled> {
  const gpu = wish === 'webgpu' ? await abortable(requestGpu(), signal, 'the search for a GPU') : null;
  return gpu?.state === 'ready' ? { device: 'webgpu', adapter: gpu.adapter } : { device: 'wasm', adapter: null };
}
