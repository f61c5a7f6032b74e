// The same call in a Chromium with WebGPU and in one without: it finishes, and says where it ran.
import { type RunNotice, train } from 'normscope';
import { expect, inject, test } from 'vitest';
import { data, tiny } from './gpu-training-promises.js';

test('a run that asks for the GPU finishes, with or without one', { timeout: 90_000 }, async () => {
  const notices: RunNotice[] = [];
  const onNotice = (notice: RunNotice): number => notices.push(notice);
  const run = train({ spec: tiny, data, steps: 10, device: 'webgpu', onNotice });
  const [info] = await run.started;
  const [verdict] = await run.finished;
  expect(verdict).toMatchObject({ code: 'finished', step: 10 });
  expect(info!.thread).toBe('worker');
  if (inject('webgpu')) {
    expect(info).toMatchObject({ device: 'webgpu', choice: { device: 'webgpu', reason: 'asked' } });
    expect(notices).toEqual([]);
  } else {
    expect(info).toMatchObject({ device: 'wasm', choice: { device: 'wasm', reason: 'no-webgpu' } });
    expect(notices).toMatchObject([{ code: 'gpu-fallback', device: 'wasm' }]);
  }
});
