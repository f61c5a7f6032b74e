/** What a host tells its client about runs that may have to go on elsewhere. */
import type { ModelSpec } from 'normscope';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { startEngine } from '../../wasm/runtime/core.js';
import type { Device } from '../../wasm/runtime/types.js';
import { HEADER } from '../../wasm/runtime/metrics.js';
import type { ClientMessage, HostMessage, KeptState, RunLayout } from '../../wasm/worker/protocol.js';
import { TrainingHost } from '../../wasm/worker/training-host.js';
import { nodeGpu } from '../parity/node-gpu.js';
import { count } from './gpu-training-promises.js';

beforeAll(() => vi.stubGlobal('navigator', { gpu: nodeGpu(), hardwareConcurrency: 2 }));
afterAll(() => void vi.unstubAllGlobals());

const spec: ModelSpec = { nLayer: 1, dModel: 8, nHead: 2, nCtx: 4, nBatch: 2, block: 'sublayer' };
const data = { kind: 'markov' } as const;

class Heard {
  readonly messages: HostMessage[] = [];
  readonly host = new TrainingHost((message) => this.messages.push(structuredClone(message)), true);

  of<T extends HostMessage['type']>(type: T): Extract<HostMessage, { type: T }>[] {
    return this.messages.filter((message) => message.type === type) as Extract<HostMessage, { type: T }>[];
  }

  send(message: ClientMessage): Promise<void> {
    return this.host.receive(message);
  }

  /** Steps whose records came, of all messages before the index. */
  stepsBefore(index = this.messages.length): number[] {
    const [{ rowWidth }] = this.of('planned')[0]!.runs as [RunLayout];
    return this.messages
      .slice(0, index)
      .flatMap((message) => (message.type === 'records' ? [...message.rows] : []))
      .filter((_, i) => i % rowWidth === HEADER.step);
  }
}

async function opened(device: Device, from?: KeptState): Promise<Heard> {
  const heard = new Heard();
  const { build, module } = await startEngine();
  await heard.send({ type: 'start', build, source: module });
  await heard.send({ type: 'plan', runs: [{ run: 'a', spec, ...(from && { from }) }], data, steps: 1000, device });
  return heard;
}

async function keptAfter(device: Device, steps: number): Promise<Heard> {
  const heard = await opened(device);
  void heard.send({ type: 'advance', id: 1, limit: steps, drain: false });
  await vi.waitFor(() => expect(heard.of('progress').length).toBeGreaterThan(0), { timeout: 60_000, interval: 1 });
  await heard.send({ type: 'keep' });
  await vi.waitFor(() => expect(heard.of('keep').length).toBeGreaterThan(0), { timeout: 60_000, interval: 1 });
  return heard;
}

describe.each(['wasm', 'webgpu'] as const)('a host on %s', { timeout: 120_000 }, (device) => {
  test('sends the records of all steps before the state that was kept after them', async () => {
    const heard = await keptAfter(device, 400);
    heard.host.close();
    const index = heard.messages.findIndex(({ type }) => type === 'keep');
    const { step } = heard.of('keep')[0]!.runs.a!.verdict;
    expect(step).toBeGreaterThan(0);
    expect(heard.stepsBefore(index).slice(0, step)).toEqual(count(step)); // later ones may have come, too
  });

  test('that gets a run which had diverged already ends it, without another record', async () => {
    const before = await keptAfter(device, 20);
    before.host.close();
    const kept = before.of('keep')[0]!.runs.a!;
    const ending = {
      code: 'non-finite',
      step: kept.verdict.step,
      where: 'loss',
      quantity: 'loss',
      value: NaN,
    } as const;
    const heard = await opened(device, { ...kept, verdict: { ...kept.verdict, ending } });
    await heard.send({ type: 'advance', id: 1, limit: 1000, drain: true });
    heard.host.close();
    expect(heard.of('ended')).toMatchObject([{ run: 'a', verdict: { code: 'non-finite', step: ending.step } }]);
    expect([heard.of('records'), heard.of('reached').length]).toEqual([[], 1]);
  });
});
