// What may go wrong with a GPU, one fault at a time, and what sessions and calls make of it.
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createSession, layerNorm, load, type ModelSpec, transformerBlock } from 'normscope';
import { faster } from '../../wasm/runtime/measure.js';
import { gpuModule } from '../../wasm/runtime/gpu-module.js';
import { gpuMemory } from '../../wasm/runtime/gpu-memory.js';
import { compare } from '../cases/expand.js';
import { faultyGpu, type Faults } from './faulty-gpu.js';
import { nodeGpu } from './node-gpu.js';
import { tiny } from './model-pair.js';
import { losses } from './session-suite.js';

const data = { kind: 'markov' } as const;
// Every device compiles its shaders anew, so the model has few.
const spec: ModelSpec = { ...tiny, nLayer: 1, nCtx: 4, block: 'sublayer', optimizer: 'sgd' };
const x = Float32Array.from({ length: 64 }, (_, i) => Math.sin(i));

function install(faults: Faults): ReturnType<typeof faultyGpu> {
  const gpu = faultyGpu(nodeGpu(), faults);
  vi.stubGlobal('navigator', { gpu });
  return gpu;
}

/** An adapter that says this of itself is measured; a software adapter is not. */
const hardware = { vendor: 'fast', architecture: 'one', isFallbackAdapter: false };

vi.setConfig({ testTimeout: 120_000 });

let before: ReturnType<typeof gpuMemory>;
beforeEach(() => void (before = gpuMemory()));
afterEach(async () => {
  vi.unstubAllGlobals();
  await load({ device: 'wasm' });
});

/** Its losses, from WASM. */
async function rightLosses(steps: number): Promise<number[]> {
  using session = await createSession({ spec, data, device: 'wasm' });
  return await losses(session, steps); // awaited here, or the session would be freed before
}

function expectNear(got: number[], right: number[]): void {
  expect(got).toHaveLength(right.length);
  right.forEach((value, i) => expect(Math.abs(got[i]! / value - 1)).toBeLessThan(1e-4));
}

/** Both ways of asking for WebGPU: by name it is refused so, by preference WASM does it and says why (null: `load` has). */
async function expectRefusal(code: string, reason: string | null, message: RegExp): Promise<void> {
  const refusal = { code, message: expect.stringMatching(message) };
  await expect(createSession({ spec, data, device: 'webgpu' })).rejects.toMatchObject(refusal);
  await load({ device: 'webgpu' });
  using session = await createSession({ spec, data });
  expectNear(await losses(session, 2), await rightLosses(2));
  if (reason !== null)
    expect(session.choice).toMatchObject({ device: 'wasm', reason, message: expect.stringMatching(message) });
  expect(gpuMemory()).toEqual(before);
}

const asleep = (): Promise<never> => Promise.reject(new Error('driver asleep'));

describe('without a GPU', () => {
  test.each([
    ['an engine without WebGPU', 'no-webgpu', {}, /navigator\.gpu/],
    [
      'WebGPU without an adapter',
      'no-webgpu',
      { gpu: { requestAdapter: async (): Promise<unknown> => null } },
      /no adapter/,
    ],
    [
      'an adapter that gives no device',
      'gpu-refused',
      { gpu: { requestAdapter: async (): Promise<unknown> => ({ requestDevice: asleep }) } },
      /gave no device: driver asleep/,
    ],
  ] as const)('%s is refused by name, and left to WASM by preference', async (_, code, navigator, message) => {
    vi.stubGlobal('navigator', navigator);
    await expectRefusal(code, null, message);
    await expect(layerNorm({ x, dModel: 8, device: 'webgpu' })).rejects.toMatchObject({ code });
    expect(await load({ device: 'webgpu' })).toMatchObject({ device: 'wasm', adapter: null });
    using session = await createSession({ spec, data, device: 'auto' });
    const choice = { device: 'wasm', reason: code, message: expect.stringMatching(message) };
    expect(session.choice).toMatchObject(choice);
  });
});

test('what drives the GPU cannot be loaded: that is a refusal of the GPU', async () => {
  const refusal = { code: 'gpu-refused', message: expect.stringContaining('could not be loaded: no network') };
  await expect(gpuModule(Promise.reject(new TypeError('no network')))).rejects.toMatchObject(refusal);
});

describe('a GPU whose adapter calls itself hardware', () => {
  test('is timed against WASM with the session at hand, once', async () => {
    const gpu = install({ info: hardware });
    using session = await createSession({ spec, data, device: 'auto' });
    const { device, reason, adapter, stepsPerSecond } = session.choice;
    expect({ reason, adapter }).toEqual({ reason: 'measured', adapter: 'fast one' });
    expect(device).toBe(faster(stepsPerSecond!));
    expect(Object.values(stepsPerSecond!).every((rate) => rate > 0)).toBe(true);
    expectNear(await losses(session, 2), await rightLosses(2));
    using again = await createSession({ spec, data, device: 'auto' });
    expect(again.choice.stepsPerSecond).toEqual(stepsPerSecond);
    gpu.devices[0]!.destroy();
  });

  test("load({ device: 'auto' }) settles one-shot calls by a norm, and leaves sessions to a timing of their own", async () => {
    const gpu = install({ info: hardware });
    const { device, adapter } = await load({ device: 'auto' });
    expect(adapter).toBe(device === 'webgpu' ? 'fast one' : null);
    const { y } = await layerNorm({ x, dModel: 8 });
    const right = await layerNorm({ x, dModel: 8, device: 'wasm' });
    expect(compare('y', y, right.y, { abs: 2e-5, rel: 2e-5 })).toEqual([]);
    using session = await createSession({ spec, data });
    expect(session.choice.reason).toBe('measured');
    gpu.devices[0]!.destroy();
  });
});

describe('a GPU that lacks something', () => {
  test('works without subgroups', async () => {
    const gpu = install({ features: new Set() });
    using session = await createSession({ spec, data, device: 'webgpu' });
    expect(gpu.devices[0]!.features.has('subgroups' as GPUFeatureName)).toBe(false);
    expectNear(await losses(session, 3), await rightLosses(3));
  });

  test('spreads groups over two dimensions where one does not hold them, and gives the same bits', async () => {
    install({});
    using wide = await createSession({ spec, data, device: 'webgpu' });
    const right = await losses(wide, 2);
    install({ limits: { maxComputeWorkgroupsPerDimension: 5 } });
    using narrow = await createSession({ spec, data, device: 'webgpu' });
    expect(await losses(narrow, 2)).toEqual(right);
  });

  test('names the tensor that is too large, what it needs and what there is', async () => {
    install({ limits: { maxStorageBufferBindingSize: 2048, maxBufferSize: 2 ** 20 } });
    await expectRefusal('too-large', 'too-large', /tensor [\w.]+ needs \d+ bytes.*2048/);
  });

  test('gives back all of a plan for which the memory does not last', async () => {
    install({ noMemory: ({ label }) => label === 'arena' });
    await expectRefusal('out-of-memory', 'out-of-memory', /no memory for the tensors of the plan \(\d+ bytes\)/);
    await expect(layerNorm({ x, dModel: 8, device: 'webgpu' })).rejects.toMatchObject({ code: 'out-of-memory' });
    const { y } = await layerNorm({ x, dModel: 8 });
    expect(y).toEqual((await layerNorm({ x, dModel: 8, device: 'wasm' })).y);
    const block = { x, spec: { dModel: 8, nHead: 2 } };
    await expect(transformerBlock({ ...block, device: 'webgpu' })).rejects.toMatchObject({ code: 'out-of-memory' });
    expect(await transformerBlock(block)).toEqual(await transformerBlock({ ...block, device: 'wasm' }));
  });
});

describe('a GPU that is lost', () => {
  test('ends the session by name; its snapshot goes on in a new one, on a new device', async () => {
    const gpu = install({});
    const session = await createSession({ spec, data, device: 'webgpu' });
    await losses(session, 2);
    const snapshot = await session.snapshot();
    await losses(session, 1);
    const underWay = session.read({ name: 'loss' });
    gpu.devices[0]!.destroy();
    await expect(underWay).rejects.toMatchObject({ code: 'device-lost' });
    for (const call of [session.nextBatch(), session.run({ phases: ['forward'] }), session.snapshot()])
      await expect(call).rejects.toMatchObject({ code: 'device-lost' });
    session.free();
    expect(gpuMemory()).toEqual(before);
    using next = await createSession({ spec, data, device: 'webgpu', from: snapshot });
    expect(gpu.devices).toHaveLength(2);
    expectNear(await losses(next, 2), (await rightLosses(4)).slice(2));
  });

  test('goes on with WASM where the adapter gives no second device', async () => {
    const gpu = install({ devices: 1 });
    await load({ device: 'webgpu' });
    const session = await createSession({ spec, data, device: 'webgpu' });
    await losses(session, 2);
    const snapshot = await session.snapshot();
    gpu.devices[0]!.destroy();
    await gpu.devices[0]!.lost;
    session.free();
    await expect(createSession({ spec, data, device: 'webgpu', from: snapshot })).rejects.toMatchObject({
      code: 'gpu-refused',
      message: expect.stringContaining('has given its device already'),
    });
    using next = await createSession({ spec, data, from: snapshot });
    expect(next.choice).toMatchObject({
      device: 'wasm',
      reason: 'gpu-refused',
      message: expect.stringContaining('given'),
    });
    expectNear(await losses(next, 2), (await rightLosses(4)).slice(2));
  });

  test('does not disturb one-shot calls: the next one makes a new device', async () => {
    const gpu = install({});
    const call = () => layerNorm({ x, dModel: 16, device: 'webgpu' });
    const { y } = await call();
    gpu.devices[0]!.destroy();
    await gpu.devices[0]!.lost;
    expect((await call()).y).toEqual(y);
    expect(gpu.devices).toHaveLength(2);
  });

  test('leaves a call that only preferred the GPU to WASM', async () => {
    const gpu = install({ devices: 1 });
    await load({ device: 'webgpu' });
    const request = { x, dModel: 4 }; // a shape of its own: no call before has kept memory for it
    const { y } = await layerNorm(request);
    gpu.devices[0]!.destroy();
    await gpu.devices[0]!.lost;
    const right = await layerNorm({ ...request, device: 'wasm' });
    expect((await layerNorm(request)).y).toEqual(right.y);
    expect(compare('y', y, right.y, { abs: 2e-5, rel: 2e-5 })).toEqual([]);
    await expect(layerNorm({ ...request, device: 'webgpu' })).rejects.toMatchObject({ code: 'gpu-refused' });
  });
});
