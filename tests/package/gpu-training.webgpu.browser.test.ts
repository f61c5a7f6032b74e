// Chromium: the GPU is driven from a worker, which can be killed, and whose device can be lost.
import { type ModelSpec, type RunNotice, type StepMetrics, train, type TrainingRun } from 'normscope';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { closeIdleGpuHost } from '../../wasm/worker/gpu-host.js';
import type { HostMessage } from '../../wasm/worker/protocol.js';
import { count, data, describeGpuTraining, expectNear, outcomeOf, stepsOf, tiny } from './gpu-training-promises.js';
import { losable } from './losable-worker.js';

describeGpuTraining('worker');

const small: ModelSpec = { ...tiny, block: 'sublayer', seed: 3 };
const PageWorker = globalThis.Worker;

describe('a worker that drives the GPU', { timeout: 90_000 }, () => {
  let made: Worker[];
  let heard: HostMessage['type'][];
  let notices: RunNotice[];
  let records: StepMetrics[];

  beforeEach(() => {
    [made, heard, notices, records] = [[], [], [], []];
    closeIdleGpuHost();
    globalThis.Worker = class extends PageWorker {
      constructor(url: string | URL, options?: WorkerOptions) {
        super(losable(url), options);
        made.push(this);
        this.addEventListener('message', ({ data: { type } }: MessageEvent<HostMessage>) => heard.push(type));
      }
    };
  });
  afterEach(() => {
    closeIdleGpuHost();
    globalThis.Worker = PageWorker;
    vi.restoreAllMocks();
  });

  const start = (steps: number, onMetrics?: (metrics: StepMetrics) => void): TrainingRun =>
    train({
      ...{ spec: small, data, steps, device: 'webgpu', thread: 'worker' },
      onNotice: (notice) => notices.push(notice),
      onMetrics: (record) => {
        records.push(record);
        onMetrics?.(record);
      },
    });
  const kill = (worker: Worker): void => {
    worker.terminate();
    worker.dispatchEvent(new ErrorEvent('error', { message: 'killed' }));
  };

  it('and has done its runs waits for the next ones, also when they were stopped', async () => {
    expect(await start(5).finished).toMatchObject([{ code: 'finished', step: 5 }]);
    const stopped = start(100_000);
    await stopped.started;
    await stopped.stop();
    records.length = 0;
    expect(await start(5).finished).toMatchObject([{ code: 'finished', step: 5 }]);
    expect([made.length, stepsOf(records)]).toEqual([1, count(5)]);
  });

  it('and is killed is replaced by one that drives it too', async () => {
    const run = start(40, ({ step }) => step === 20 && made.length === 1 && kill(made[0]!));
    expect(await run.finished).toMatchObject([{ code: 'finished', step: 40 }]);
    expect(notices).toMatchObject([{ code: 'worker-lost', device: 'webgpu' }]);
    expect([made.length, stepsOf(records)]).toEqual([2, count(40)]);
  });

  it('and is killed again leaves the GPU, with the same verdict', async () => {
    const run = start(40, ({ step }) => step >= 10 * made.length && made.length < 3 && kill(made.at(-1)!));
    const [verdict] = await run.finished;
    const core = await outcomeOf(train({ spec: small, data, steps: 40, device: 'wasm' }));
    expect(notices.map(({ code, device }) => [code, device])).toEqual([
      ['worker-lost', 'webgpu'],
      ['gpu-fallback', 'wasm'],
    ]);
    expect(verdict).toMatchObject({ code: 'finished', step: 40 });
    expectNear(verdict!.finalLoss, core.verdicts[0]!.finalLoss, 'final loss');
    expect(stepsOf(records)).toEqual(count(40));
  });

  it('and loses its device is followed by one with a new device', async () => {
    const undisturbed = await outcomeOf(train({ spec: small, data, steps: 40, device: 'webgpu', thread: 'worker' }));
    const run = start(40, ({ step }) => step === 20 && made.length === 1 && made[0]!.postMessage({ type: 'lose' }));
    expect(await run.finished).toEqual(undisturbed.verdicts);
    expect(made.length).toBe(2);
    expect(notices).toMatchObject([{ code: 'device-lost', device: 'webgpu' }]);
    expect(records).toEqual(undisturbed.records);
  });

  it('keeps a state when the page hides', async () => {
    const run = start(100_000);
    await run.started;
    await vi.waitFor(() => expect(records.length).toBeGreaterThan(2), { timeout: 20_000, interval: 5 });
    const before = heard.filter((type) => type === 'keep').length;
    vi.spyOn(document, 'visibilityState', 'get').mockReturnValue('hidden');
    document.dispatchEvent(new Event('visibilitychange'));
    const step = records.at(-1)!.step;
    await vi.waitFor(() => expect(heard.filter((type) => type === 'keep').length).toBeGreaterThan(before), 1500);
    kill(made[0]!);
    await vi.waitFor(() => expect(notices.length).toBe(1));
    expect(notices[0]!.fromStep).toBeGreaterThanOrEqual(step);
    await run.stop();
  });
});
