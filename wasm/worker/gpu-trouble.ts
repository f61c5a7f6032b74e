/** Errors after which the same runs may do well on another device. */
import { describeError } from '../runtime/errors.js';
import { gpuFailure } from '../runtime/wish.js';
import type { GpuTrouble } from './protocol.js';

/** null: the error has nothing to do with the GPU. */
export function troubleOf(error: unknown, adapter: string | null): GpuTrouble | null {
  const reason = gpuFailure(error);
  return reason ? { reason, message: describeError(error).message, adapter } : null;
}
