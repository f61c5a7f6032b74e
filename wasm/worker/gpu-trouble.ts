/** Errors after which the same runs may do well on another device. */
import { NormscopeError, type ErrorCode } from '../runtime/errors.js';
import { requestGpu, type GpuReady } from '../runtime/gpu-device.js';
import type { GpuTrouble } from './protocol.js';

const REASONS: Partial<Record<ErrorCode, GpuTrouble['reason']>> = {
  'no-webgpu': 'no-webgpu',
  'missing-kernels': 'gpu-refused',
  'gpu-refused': 'gpu-refused',
  'too-large': 'too-large',
  'out-of-memory': 'out-of-memory',
  'device-lost': 'device-lost',
};

/** The GPU of this thread, or an error that `troubleOf` understands. */
export async function requireGpu(): Promise<GpuReady> {
  const answer = await requestGpu();
  if (answer.state === 'ready') return answer;
  throw new NormscopeError(answer.state === 'no-device' ? 'gpu-refused' : 'no-webgpu', answer.reason);
}

/** null: the error has nothing to do with the GPU. */
export function troubleOf(error: unknown, adapter: string | null): GpuTrouble | null {
  const reason = error instanceof NormscopeError ? REASONS[error.code] : undefined;
  return reason ? { reason, message: (error as NormscopeError).message, adapter } : null;
}
