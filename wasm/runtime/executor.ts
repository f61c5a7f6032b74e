import type { Device, Phase, TensorInfo } from './types.js';

/**
 * What runs a plan. An executor keeps the tensors of one plan in its own memory (the WASM arena, GPU buffers) and walks
 * the plan's dispatch lists. It knows kernels, not transformers.
 */
export interface Executor {
  readonly device: Device;
  /** Copies `data` (exactly `tensor.size` floats, all models) into the tensor. */
  write(tensor: TensorInfo, data: Float32Array): void | Promise<void>;
  /** Runs the phases in the given order. */
  run(phases: Phase[]): void | Promise<void>;
  /** A copy of the tensor's floats. */
  read(tensor: TensorInfo): Promise<Float32Array>;
  /** Releases the memory; every later call is an error. */
  free(): void;
}
