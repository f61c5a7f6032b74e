import { requestGpu } from '../../wasm/runtime/gpu-device.js';
import type { Traits } from '../../wasm/runtime/gpu-shaders.js';

/** The shared device; fails where there is none. */
export async function testDevice(gpu?: GPU): Promise<GPUDevice> {
  const answer = await requestGpu(gpu);
  if (answer.state !== 'ready') throw new Error(`these tests need a WebGPU adapter: ${answer.reason}`);
  console.log(`WebGPU adapter: ${answer.adapter}${answer.fallback ? ' (software)' : ''}`);
  return answer.device;
}

/** Messages that no error scope caught; there must never be one. */
export function uncapturedErrors(device: GPUDevice): string[] {
  const messages: string[] = [];
  device.addEventListener('uncapturederror', (event) => messages.push(event.error.message));
  return messages;
}

/** Runs `work` as if a dispatch had room for only `limit` workgroups a dimension; 65,536 real ones would take minutes. */
export async function withDimensionLimit<T>(device: GPUDevice, limit: number, work: () => Promise<T>): Promise<T> {
  const { maxBufferSize, maxStorageBufferBindingSize } = device.limits;
  const value = { maxBufferSize, maxStorageBufferBindingSize, maxComputeWorkgroupsPerDimension: limit };
  const own = Object.getOwnPropertyDescriptor(device, 'limits');
  Object.defineProperty(device, 'limits', { value, configurable: true });
  try {
    return await work();
  } finally {
    if (own) Object.defineProperty(device, 'limits', own);
    else delete (device as { limits?: unknown }).limits;
  }
}

/**
 * Shaders for hardware take seconds each to compile on a software adapter. They are tried in Node; in a browser only what
 * the device itself would take.
 */
export const isTried = ({ software }: Traits): boolean => software || typeof document === 'undefined';
