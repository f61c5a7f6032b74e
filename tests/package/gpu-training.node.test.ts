// Dawn in Node. Threads of Node have no navigator.gpu: the runs are driven from this one.
import { trainAll } from 'normscope';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { requestGpu, type GpuReady } from '../../wasm/runtime/gpu-device.js';
import { gpuMemory } from '../../wasm/runtime/gpu-memory.js';
import { nodeGpu } from '../parity/node-gpu.js';
import { data, describeGpuTraining, tiny } from './gpu-training-promises.js';

beforeAll(() => vi.stubGlobal('navigator', { gpu: nodeGpu(), hardwareConcurrency: 2 }));
afterAll(() => void vi.unstubAllGlobals());
afterEach(() => {
  vi.restoreAllMocks();
  expect(gpuMemory(), 'GPU buffers that nobody freed').toEqual({ buffers: 0, bytes: 0 });
});

describeGpuTraining('inline');

test('a step of several placements and seeds is one submit', async () => {
  const specs = (['pre-ln', 'post-ln', 'peri-ln'] as const).flatMap((placement) =>
    [1, 2].map((seed) => ({ ...tiny, placement, seed })),
  );
  const run = trainAll({ specs, data, steps: 100, device: 'webgpu', paused: true });
  await run.started;
  await run.step();
  const { device } = (await requestGpu()) as GpuReady;
  const encoders = vi.spyOn(device, 'createCommandEncoder');
  const submits = vi.spyOn(device.queue, 'submit');
  await run.step({ n: 5 });
  const steps = encoders.mock.calls.filter(([descriptor]) => descriptor?.label === 'training step');
  const states = encoders.mock.calls.filter(([descriptor]) => descriptor?.label === 'state');
  const filled = submits.mock.calls.filter(([buffers]) => [...buffers].length > 0);
  expect(steps.length).toBe(5);
  expect(filled.length).toBe(5 + states.length);
  await run.stop();
});

test('in Node the GPU is driven from the thread that has one, unless a worker is asked for', async () => {
  const specs = [tiny];
  const inline = trainAll({ specs, data, steps: 2, device: 'webgpu' });
  expect(await inline.started).toMatchObject([{ device: 'webgpu', thread: 'inline' }]);
  await inline.finished;
  const worker = trainAll({ specs, data, steps: 2, device: 'webgpu', thread: 'worker' });
  expect(await worker.started).toMatchObject([{ device: 'wasm', thread: 'worker', choice: { reason: 'no-webgpu' } }]);
  expect(await worker.finished).toMatchObject([{ code: 'finished', step: 2 }]);
});
