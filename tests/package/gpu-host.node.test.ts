/** The worker that waits for the next runs on the GPU. */
import type { Worker } from 'node:worker_threads';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { startEngine } from '../../wasm/runtime/core.js';
import { closeIdleGpuHost, openGpuHost } from '../../wasm/worker/gpu-host.js';

const threads = process.getBuiltinModule('node:worker_threads');
const NodeWorker = threads.Worker;
const made: Worker[] = [];

beforeEach(() => {
  made.length = 0;
  threads.Worker = class extends NodeWorker {
    constructor(...args: ConstructorParameters<typeof NodeWorker>) {
      super(...args);
      made.push(this);
    }
  };
});
afterEach(() => {
  closeIdleGpuHost();
  threads.Worker = NodeWorker;
});

test.each([
  ['serves the next ones', false, 1],
  ['and is lost while it waits serves no others', true, 2],
])('a worker that has done its runs %s', async (_, isLost, nMade) => {
  const engine = await startEngine();
  for (let i = 0; i < 2; ++i) {
    const port = await openGpuHost(engine, 'worker');
    port.release!();
    await new Promise((resolve) => setTimeout(resolve, 100)); // it starts anew meanwhile
    if (isLost && i === 0) await made[0]!.terminate();
  }
  expect(made.length).toBe(nMade);
});
