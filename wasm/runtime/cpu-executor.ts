import type { Core, Engine, GeneratedTokens } from './core.js';
import type { Executor } from './executor.js';
import type { Phase, TensorInfo } from './types.js';

/** Runs a plan in WASM memory: the core walks its own dispatch lists. Every method but the reading promise is synchronous. */
export class CpuExecutor implements Executor {
  readonly device = 'wasm';

  /** Allocates the arena; owns `core` from here on. */
  constructor(
    private readonly engine: Engine,
    private readonly core: Core,
  ) {
    try {
      core.allocate();
    } catch (error) {
      core.free();
      throw error;
    }
  }

  write(tensor: TensorInfo, data: Float32Array): void {
    const start = this.core.allocate() + tensor.offset;
    this.engine.floats().set(data, start);
  }

  run(phases: Phase[]): void {
    for (const phase of phases) this.core.run(phase);
  }

  beginStep(split: 'train' | 'held-out'): void {
    this.core.beginStep(split);
  }

  generate(nSample: number, nPrompt: number, nToken: number, temperature: number): GeneratedTokens {
    return this.core.generate(nSample, nPrompt, nToken, temperature);
  }

  async read(tensor: TensorInfo): Promise<Float32Array> {
    return this.copy(tensor);
  }

  /** `read` without the promise. `first` and `count` select part of the tensor. */
  copy(tensor: TensorInfo, into?: Float32Array, first = 0, count = tensor.size - first): Float32Array {
    const start = this.core.allocate() + tensor.offset + first;
    const floats = this.engine.floats();
    if (!into) return floats.slice(start, start + count);
    into.set(floats.subarray(start, start + count));
    return into;
  }

  free(): void {
    this.core.free();
  }
}
