/** With a stand-in for the GPU, which answers in a later turn: what the caller does to `out` meanwhile. */
import { layerNorm } from 'normscope';
import { expect, it, vi } from 'vitest';
import type { GpuExecutorRequest } from '../../wasm/runtime/gpu-executor.js';
import type { TensorInfo } from '../../wasm/runtime/types.js';

const free = vi.hoisted(() => vi.fn());
vi.mock('../../wasm/runtime/gpu-executor.js', () => ({
  missingKernels: () => [],
  createGpuExecutor: ({ plan }: GpuExecutorRequest) =>
    Promise.resolve({
      device: 'webgpu',
      plan,
      write: () => undefined,
      run: () => undefined,
      read: async ({ size }: TensorInfo, into = new Float32Array(size)) => {
        await new Promise((resolve) => setTimeout(resolve, 5));
        into.set(new Float32Array(size).fill(0.5));
        return into;
      },
      free,
    }),
}));

it('an out that was transferred while the GPU worked is refused by name, and the next call works', async () => {
  const request = { x: [1, 2], dModel: 2, device: 'webgpu' } as const;
  const out = new Float32Array(2);
  const pending = layerNorm({ ...request, out });
  structuredClone(out, { transfer: [out.buffer] });
  await expect(pending).rejects.toMatchObject({ code: 'bad-array', message: expect.stringMatching(/out is detached/) });
  const whole = new Float32Array(2);
  expect((await layerNorm({ ...request, out: whole })).y).toBe(whole);
  expect(Array.from(whole)).toEqual([0.5, 0.5]);
  expect(free).not.toHaveBeenCalled();
});
