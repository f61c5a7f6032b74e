/** How `device: 'auto'` decides by what a host has measured. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Engine } from '../../wasm/runtime/core.js';
import { chooseDevice, type Chosen } from '../../wasm/worker/device-choice.js';
import type { HostMessage, Port } from '../../wasm/worker/protocol.js';

const engine = { ownFields: ['seed'] } as unknown as Engine;
const adapter = { info: { vendor: 'acme', architecture: 'one' } };
let nOpened = 0;

beforeEach(() => {
  nOpened = 0;
  vi.stubGlobal('navigator', { gpu: { requestAdapter: async () => adapter }, hardwareConcurrency: 4 });
});
afterEach(() => void vi.unstubAllGlobals());

/** Width tells the tests' runs apart: what was measured for one is remembered. */
function choose(
  dModel: number,
  nRun: number,
  answer: HostMessage,
): Promise<Chosen & { port: Port & { closed?: true } }> {
  const port: Port & { closed?: true } = {
    ...{ thread: 'worker', nHost: 1, onMessage: () => {}, onLost: () => {} },
    post: () => queueMicrotask(() => port.onMessage(answer)),
    close: () => void (port.closed = true),
  };
  const openHost = async (): Promise<Port> => {
    nOpened += 1;
    return port;
  };
  const runs = Array.from({ length: nRun }, (_, seed) => ({ run: `run-${seed}`, spec: { dModel, seed } }));
  const request = { engine, wish: 'auto', runs, data: { kind: 'markov' }, thread: undefined, openHost } as const;
  return chooseDevice({ ...request, runs }).then((chosen) => ({ ...chosen, port }));
}

const measured = (wasm: number, webgpu: number): HostMessage => ({ type: 'measured', wasm, webgpu, adapter: 'acme one' }); // prettier-ignore

test('a faster GPU is taken, and the host that measured it goes on', async () => {
  const { choice, host, port } = await choose(8, 1, measured(100, 150));
  expect(choice).toEqual({
    ...{ device: 'webgpu', reason: 'measured', adapter: 'acme one', message: null },
    stepsPerSecond: { wasm: 100, webgpu: 150 },
  });
  expect(host).toBe(port);
  expect(port.closed).toBeUndefined();
});

test('the core counts as often as there are hosts in the pool', async () => {
  const { choice, host, port } = await choose(16, 3, measured(100, 150));
  expect(choice).toMatchObject({ device: 'wasm', reason: 'measured', stepsPerSecond: { wasm: 300, webgpu: 150 } });
  expect([host, port.closed]).toEqual([null, true]);
});

test('a GPU that wins by less than timings scatter is left', async () => {
  const { choice } = await choose(24, 1, measured(100, 110));
  expect(choice).toMatchObject({ device: 'wasm', reason: 'measured', stepsPerSecond: { wasm: 100, webgpu: 110 } });
});

test('the same runs with other seeds are not measured again', async () => {
  const first = await choose(32, 2, measured(100, 500));
  const second = await choose(32, 2, measured(100, 1));
  expect(second.choice).toEqual(first.choice);
  expect(nOpened).toBe(1);
});

test('a GPU that fails while it is measured is left, and asked again the next time', async () => {
  const trouble = { reason: 'out-of-memory', message: 'too little', adapter: 'acme one' } as const;
  const { choice, port } = await choose(64, 1, { type: 'gpu-failed', trouble });
  expect(choice).toEqual({ device: 'wasm', ...trouble });
  expect(port.closed).toBe(true);
  expect((await choose(64, 1, measured(1, 2))).choice.device).toBe('webgpu');
});
