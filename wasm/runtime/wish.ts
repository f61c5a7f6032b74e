/** Where a call runs: as it says itself, else as the last `load` that named a device settled. */
import { NormscopeError, type ErrorCode } from './errors.js';
import type { Device, DeviceChoice, DeviceWish, LoadResult } from './types.js';

/** A wish, and whether the call itself spoke it: then it is WebGPU or nothing. */
export interface Wish<T extends DeviceWish> {
  device: T;
  strict: boolean;
}

/** What `load` was asked for, and what one-shot calls got. */
export interface Settled extends Pick<LoadResult, 'device' | 'adapter'> {
  wish: DeviceWish;
}

let state: Settled = { wish: 'wasm', device: 'wasm', adapter: null };

export const settled = (): Settled => state;

export function settleOn(next: Settled): void {
  state = next;
}

/** Of a one-shot call; it is too short to measure, so 'auto' is what `load` settled on. */
export function callWish(device: DeviceWish | undefined): Wish<Device> {
  if (device === 'wasm' || device === 'webgpu') return { device, strict: true };
  return { device: state.device, strict: false };
}

/** Of a session, which lives long enough for 'auto' to mean: where it is faster. */
export function sessionWish(device: DeviceWish | undefined): Wish<DeviceWish> {
  if (device !== undefined) return { device, strict: true };
  return { device: state.wish === 'webgpu' ? state.device : state.wish, strict: false };
}

/** What may keep a plan from the GPU although the plan is right, and what a choice calls it. */
const GPU_FAILURES: Partial<Record<ErrorCode, DeviceChoice['reason']>> = {
  'no-webgpu': 'no-webgpu',
  'missing-kernels': 'gpu-refused',
  'gpu-refused': 'gpu-refused',
  'too-large': 'too-large',
  'out-of-memory': 'out-of-memory',
  'device-lost': 'device-lost',
};

/** Why the GPU failed where WASM may not; undefined for any other error. */
export const gpuFailure = (error: unknown): DeviceChoice['reason'] | undefined =>
  error instanceof NormscopeError ? GPU_FAILURES[error.code] : undefined;

/** The work on the wished device; where the GPU was only preferred and fails, once more on WASM. */
export async function onWished<T>({ device, strict }: Wish<Device>, work: (device: Device) => Promise<T>): Promise<T> {
  if (strict || device === 'wasm') return work(device);
  try {
    return await work(device);
  } catch (error) {
    if (!gpuFailure(error)) throw error;
    return work('wasm');
  }
}
