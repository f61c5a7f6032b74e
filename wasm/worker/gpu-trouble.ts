/** Errors after which the same runs may do well on another device. */
import { describeError, NormscopeError } from '../runtime/errors.js';
import { requestGpu, type GpuReady } from '../runtime/gpu-device.js';
import { gpuFailure } from '../runtime/wish.js';
import type { GpuTrouble } from './protocol.js';

/** The GPU of this thread, or an error that `troubleOf` understands. */
export async function requireGpu(): Promise<GpuReady> {
  const answer = await requestGpu();
  if (answer.state === 'ready') return answer;
  throw new NormscopeError(answer.state === 'no-device' ? 'gpu-refused' : 'no-webgpu', answer.reason);
}

/** null: the error has nothing to do with the GPU. */
export function troubleOf(error: unknown, adapter: string | null): GpuTrouble | null {
  const reason = gpuFailure(error);
  return reason ? { reason, message: describeError(error).message, adapter } : null;
}
