// Asking for WebGPU: every way in which it may be missing, incomplete or lost.
import { afterEach, describe, expect, test, vi } from 'vitest';
import { createGpuExecutor } from '../../wasm/runtime/gpu-executor.js';
import { requestGpu } from '../../wasm/runtime/gpu-device.js';
import { runNorm, tensorOf } from './norm-run.js';
import { nodeGpu } from './node-gpu.js';
import { normPlan } from './plan-sketch.js';

interface FakeDevice {
  lost: Promise<unknown>;
  lose(): void;
}
function fakeDevice(): FakeDevice {
  let lose!: () => void;
  const lost = new Promise<void>((resolve) => (lose = resolve));
  return { lost, lose };
}
/** A `navigator.gpu` that hands out these adapters, one per request. */
function fakeGpu(requestAdapter: () => Promise<unknown>): GPU & { requestAdapter: ReturnType<typeof vi.fn> } {
  return { requestAdapter: vi.fn(requestAdapter) } as never;
}

afterEach(() => vi.unstubAllGlobals());

describe('requestGpu', () => {
  test('says that the engine has no WebGPU', async () => {
    vi.stubGlobal('navigator', {});
    expect(await requestGpu()).toMatchObject({ state: 'no-api', reason: expect.stringContaining('navigator.gpu') });
    vi.stubGlobal('navigator', undefined);
    expect(await requestGpu()).toMatchObject({ state: 'no-api' });
  });

  test('says that WebGPU offers no adapter, and looks again the next time', async () => {
    const gpu = fakeGpu(async () => null);
    expect(await requestGpu(gpu)).toMatchObject({ state: 'no-adapter', reason: expect.stringContaining('no adapter') });
    expect(await requestGpu(gpu)).toMatchObject({ state: 'no-adapter' });
    expect(gpu.requestAdapter).toHaveBeenCalledTimes(2);
  });

  test('answers when looking for an adapter or a device fails', async () => {
    const failing = fakeGpu(async () => Promise.reject(new Error('driver is asleep')));
    expect(await requestGpu(failing)).toMatchObject({
      state: 'no-adapter',
      reason: expect.stringContaining('driver is asleep'),
    });
    const used = fakeGpu(async () => ({ requestDevice: () => Promise.reject(new Error('adapter was used')) }));
    expect(await requestGpu(used)).toMatchObject({
      state: 'no-device',
      reason: expect.stringContaining('adapter was used'),
    });
  });

  test('starts with adapters whose info or limits are missing', async () => {
    for (const adapter of [{}, { info: {} }, { info: { vendor: 'v' }, limits: {} }, { info: { description: 'd' } }]) {
      const device = fakeDevice();
      const answer = await requestGpu(fakeGpu(async () => ({ ...adapter, requestDevice: async () => device })));
      expect(answer).toMatchObject({ state: 'ready', device, fallback: false });
    }
  });

  test('shares one device among all who ask, and asks for a fresh adapter after a loss', async () => {
    const devices = [fakeDevice(), fakeDevice()];
    let next = 0;
    const gpu = fakeGpu(async () => {
      const device = devices[next++];
      return { requestDevice: async () => device };
    });
    const answers = await Promise.all([requestGpu(gpu), requestGpu(gpu), requestGpu(gpu)]);
    expect(answers.map((answer) => answer.state === 'ready' && answer.device)).toEqual([
      devices[0],
      devices[0],
      devices[0],
    ]);
    expect(gpu.requestAdapter).toHaveBeenCalledTimes(1);
    devices[0]!.lose();
    await devices[0]!.lost;
    expect(await requestGpu(gpu)).toMatchObject({ device: devices[1] });
    expect(gpu.requestAdapter).toHaveBeenCalledTimes(2);
  });

  test('makes createGpuExecutor refuse with the reason when there is no GPU', async () => {
    vi.stubGlobal('navigator', { gpu: fakeGpu(async () => null) });
    const plan = normPlan('layernorm', { rows: 1, d: 4, eps: 1e-5 });
    await expect(createGpuExecutor({ plan })).rejects.toMatchObject({
      code: 'no-webgpu',
      message: expect.stringContaining('no adapter'),
    });
  });
});

describe('a lost device', () => {
  test('is named by the executor, and the next request brings a working one', async () => {
    const first = await requestGpu(nodeGpu());
    if (first.state !== 'ready') throw new Error(first.reason);
    const plan = normPlan('layernorm', { rows: 1, d: 4, eps: 1e-5 });
    const executor = await createGpuExecutor({ plan, device: first.device });
    const underWay = executor.read(tensorOf(plan, 'y'));
    first.device.destroy();
    await expect(underWay).rejects.toMatchObject({ code: 'device-lost' });
    await first.device.lost;
    expect(() => executor.run(['forward'])).toThrow(expect.objectContaining({ code: 'device-lost' }));
    await expect(executor.read(tensorOf(plan, 'y'))).rejects.toMatchObject({ code: 'device-lost' });
    executor.free();
    const second = await requestGpu(nodeGpu());
    if (second.state !== 'ready') throw new Error(second.reason);
    expect(second.device).not.toBe(first.device);
    const { y } = await runNorm(second.device, 'layernorm', { rows: 1, d: 2, eps: 0 }, { x: [-3, 5] });
    expect([...y!]).toEqual([-1, 1]);
  });

  test('three widgets that start at once all compute', async () => {
    vi.stubGlobal('navigator', { gpu: nodeGpu() });
    const plans = [3, 4, 5].map((d) => normPlan('rmsnorm', { rows: 1, d, eps: 1e-5 }));
    const executors = await Promise.all(plans.map((plan) => createGpuExecutor({ plan })));
    for (const [i, executor] of executors.entries()) {
      const plan = plans[i]!;
      await executor.write(tensorOf(plan, 'x'), new Float32Array(i + 3).fill(2));
      await executor.write(tensorOf(plan, 'gamma'), new Float32Array(i + 3).fill(1));
      await executor.run(['forward']);
      expect((await executor.read(tensorOf(plan, 'y'))).every((value) => Math.abs(value - 1) < 1e-5)).toBe(true);
      executor.free();
    }
  });
});
