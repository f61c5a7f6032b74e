// Asking for WebGPU in real browsers: one with an adapter, one whose WebGPU is switched off (it keeps the interface but
// offers no adapter), and a page that has not even the interface.
import { afterEach, expect, inject, test, vi } from 'vitest';
import { createGpuExecutor } from '../../wasm/runtime/gpu-executor.js';
import { requestGpu } from '../../wasm/runtime/gpu-device.js';
import { normPlan } from './plan-sketch.js';

const plan = normPlan('layernorm', { rows: 1, d: 4, eps: 1e-5 });

afterEach(() => vi.unstubAllGlobals());

if (inject('webgpu'))
  test('where Chromium has WebGPU, the answer is a device with the name of its adapter', async () => {
    expect(await requestGpu()).toMatchObject({ state: 'ready', adapter: expect.stringMatching(/\w/) });
  });
else
  test('where WebGPU is denied, the answer says that there is no adapter and nothing throws', async () => {
    expect(await requestGpu()).toMatchObject({ state: 'no-adapter', reason: expect.stringContaining('no adapter') });
    await expect(createGpuExecutor({ plan })).rejects.toMatchObject({
      code: 'no-webgpu',
      message: expect.stringContaining('no adapter'),
    });
  });

test('where the interface is missing, the answer says so and nothing throws', async () => {
  vi.stubGlobal('navigator', {});
  expect(await requestGpu()).toMatchObject({ state: 'no-api', reason: expect.stringContaining('navigator.gpu') });
  await expect(createGpuExecutor({ plan })).rejects.toMatchObject({
    code: 'no-webgpu',
    message: expect.stringContaining('navigator.gpu'),
  });
});
