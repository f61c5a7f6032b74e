import { NormscopeError } from './errors.js';

/** What drives a GPU brings all shaders along, so it is loaded only where one is used: `await gpuModule(import('…'))`. */
export const gpuModule = <T>(module: Promise<T>): Promise<T> =>
  module.catch((cause: unknown) => {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new NormscopeError('gpu-refused', `what drives the GPU could not be loaded: ${why}`, { cause });
  });
