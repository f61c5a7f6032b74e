/** A GPU that is not there, has no memory, or goes away: every run still ends with its verdict, and says what happened. */
import {
  type ModelSpec,
  type RunNotice,
  type StepMetrics,
  train,
  trainAll,
  type TrainAllRequest,
  type TrainingRun,
} from 'normscope';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { gpuMemory } from '../../wasm/runtime/gpu-memory.js';
import { faster } from '../../wasm/runtime/measure.js';
import { count, data, expectNear, outcomeOf, recordsOf, stepsOf, tiny } from './gpu-training-promises.js';
import { type Mood, WatchedGpu } from './watched-gpu.js';

/** Each test compiles its shaders anew: a new device has none. */
const LONG = { timeout: 120_000 };

/** No attention: fewer shaders to compile for each new device. */
const small: ModelSpec = { ...tiny, block: 'sublayer', seed: 3 };
const pair: ModelSpec[] = [small, { ...small, placement: 'peri-ln' }];

export function describeGpuLosses(realGpu: () => GPU, thread?: 'inline'): void {
  let notices: RunNotice[];
  let records: StepMetrics[];

  /** From here on this is the machine's GPU. */
  function machine(mood: Mood = {}): WatchedGpu {
    const gpu = new WatchedGpu(realGpu(), mood);
    vi.stubGlobal('navigator', { gpu, hardwareConcurrency: 2 });
    return gpu;
  }

  const start = (specs: ModelSpec[], more: Partial<TrainAllRequest> = {}): TrainingRun =>
    trainAll({
      ...{ specs, data, steps: 30, device: 'webgpu', thread },
      ...more,
      onNotice: (notice) => notices.push(notice),
      onMetrics: (record) => {
        records.push(record);
        more.onMetrics?.(record);
      },
    });

  const ofRun = (run: string): StepMetrics[] => recordsOf({ records, verdicts: [] }, run);

  describe('a machine', LONG, () => {
    beforeEach(() => {
      [notices, records] = [[], []];
    });
    afterEach(() => {
      vi.unstubAllGlobals();
      expect(gpuMemory(), 'GPU buffers that nobody freed').toEqual({ buffers: 0, bytes: 0 });
    });

    it.each([
      ['no interface', null, 'no-webgpu', /navigator\.gpu/],
      ['no adapter', { adapter: 'missing' }, 'no-webgpu', /no adapter/],
      ['an adapter that gives no device', { adapter: 'consumed' }, 'gpu-refused', /consumed/],
      ['no memory on its GPU', { scopes: 'out-of-memory' }, 'out-of-memory', /no memory/],
      ['a GPU that refuses what it is given', { scopes: 'validation' }, 'gpu-refused', /simulated/],
    ] as const)('with %s trains on WASM and says why', async (_, mood, reason, message) => {
      if (mood) machine(mood);
      else vi.stubGlobal('navigator', { hardwareConcurrency: 2 });
      const run = start(pair);
      const infos = await run.started;
      const choice = { device: 'wasm', reason, message: expect.stringMatching(message) };
      expect(infos).toMatchObject(pair.map(() => ({ device: 'wasm', gpuBytes: 0, choice })));
      expect(await run.finished).toMatchObject([{ code: 'finished', step: 30 }, { code: 'finished', step: 30 }]); // prettier-ignore
      expect(notices).toMatchObject([
        { code: 'gpu-fallback', runs: ['sublayer', 'peri-ln'].map((_, i) => infos[i]!.run), device: 'wasm', fromStep: 0, lastStep: 0 }, // prettier-ignore
      ]);
      expect(notices[0]!.message).toMatch(message);
      expect(stepsOf(ofRun(infos[1]!.run))).toEqual(count(30));
    });

    it('with a software adapter is not given to it by "auto", which says so without a notice', async () => {
      const gpu = machine();
      const run = start([small], { device: 'auto' });
      expect(await run.started).toMatchObject([
        { device: 'wasm', choice: { reason: 'software-adapter', adapter: expect.stringMatching(/\w/) } },
      ]);
      await run.finished;
      expect([gpu.devices.length, notices.length]).toEqual([0, 0]);
    });

    it('with a GPU is timed by "auto" once for the same runs', async () => {
      const gpu = machine({ adapter: 'hardware' });
      const first = start([small], { device: 'auto' });
      const [{ choice, device }] = (await first.started) as [Awaited<typeof first.started>[0]];
      expect(choice).toMatchObject({ device, reason: 'measured' });
      expect(choice.stepsPerSecond!.wasm).toBeGreaterThan(0);
      expect(choice.stepsPerSecond!.webgpu).toBeGreaterThan(0);
      expect(device).toBe(faster(choice.stepsPerSecond!));
      expect(await first.finished).toMatchObject([{ code: 'finished', step: 30 }]);
      const encoders = vi.spyOn(gpu.devices[0]!, 'createCommandEncoder');
      const second = start([{ ...small, seed: 4 }], { device: 'auto' });
      expect((await second.started)[0]!.choice).toEqual(choice);
      if (device === 'wasm') expect(encoders).not.toHaveBeenCalled();
      await second.finished;
    });
  });

  describe('an abort', LONG, () => {
    afterEach(() => void vi.unstubAllGlobals());

    it('ends a run while the devices are still timed, and leaves nothing behind', async () => {
      [notices, records] = [[], []];
      machine({ adapter: 'hardware' });
      const controller = new AbortController();
      const run = start([{ ...small, nCtx: 4 }], { device: 'auto', signal: controller.signal });
      await vi.waitFor(() => expect(gpuMemory().buffers).toBeGreaterThan(0), { timeout: 20_000, interval: 5 });
      controller.abort();
      await expect(run.started).rejects.toMatchObject({ code: 'aborted' });
      expect(await run.finished).toMatchObject([{ code: 'stopped', step: 0 }]);
      await vi.waitFor(() => expect(gpuMemory()).toEqual({ buffers: 0, bytes: 0 }), { timeout: 60_000 });
      expect([records, notices]).toEqual([[], []]);
    });
  });

  describe('a GPU that is lost', LONG, () => {
    beforeEach(() => {
      [notices, records] = [[], []];
    });
    afterEach(() => {
      vi.unstubAllGlobals();
      expect(gpuMemory(), 'GPU buffers that nobody freed').toEqual({ buffers: 0, bytes: 0 });
    });

    it('in the middle of a run is followed by a new device, from the last kept state and without a gap', async () => {
      machine();
      const undisturbed = await outcomeOf(trainAll({ specs: pair, data, steps: 60, device: 'webgpu', thread }));
      const gpu = machine();
      let shot = false;
      const shoot = ({ step }: StepMetrics): void => {
        if (step < 40 || shot) return;
        shot = true;
        gpu.lose();
      };
      const run = start(pair, { steps: 60, paused: true, onMetrics: shoot });
      const names = (await run.started).map((info) => info.run);
      await run.step({ n: 20 });
      await run.resume();
      expect(await run.finished).toEqual(undisturbed.verdicts);
      expect(gpu.devices.length).toBe(2);
      for (const name of names) expect(ofRun(name)).toEqual(recordsOf(undisturbed, name));
      expect(notices).toMatchObject([{ code: 'device-lost', runs: names, device: 'webgpu' }]);
      const [{ fromStep, lastStep, message }] = notices as [RunNotice];
      expect(fromStep).toBeGreaterThanOrEqual(20);
      expect(lastStep).toBeGreaterThanOrEqual(fromStep);
      expect(message).toMatch(/lost.*from step/);
    });

    it('never takes more than 200 steps with it', async () => {
      const gpu = machine();
      let last = 0;
      const run = start([small], { steps: 420, onMetrics: ({ step }) => (last = step) });
      await run.started;
      await vi.waitFor(() => expect(last).toBeGreaterThan(330), { timeout: 60_000, interval: 5 });
      gpu.lose();
      expect(await run.finished).toMatchObject([{ code: 'finished', step: 420 }]);
      const [{ fromStep, lastStep }] = notices as [RunNotice];
      expect(lastStep).toBeGreaterThan(330);
      expect(lastStep - fromStep).toBeLessThanOrEqual(200);
      expect(stepsOf(records)).toEqual(count(420));
    });

    it('a second time is left: the runs end on WASM with the same verdict', async () => {
      const gpu = machine();
      const shoot = ({ step }: StepMetrics): void => {
        if (step >= 10 * gpu.devices.length) gpu.lose();
      };
      const run = start(pair, { onMetrics: shoot });
      const [info] = await run.started;
      const verdicts = await run.finished;
      const core = await outcomeOf(trainAll({ specs: pair, data, steps: 30, device: 'wasm' }));
      expect(notices.map(({ code, device }) => [code, device])).toEqual([
        ['device-lost', 'webgpu'],
        ['gpu-fallback', 'wasm'],
      ]);
      expect(stepsOf(ofRun(info!.run))).toEqual(count(30));
      verdicts.forEach((verdict, i) => {
        expect(verdict).toMatchObject({ code: 'finished', step: 30 });
        expectNear(verdict.finalLoss, core.verdicts[i]!.finalLoss, 'final loss');
      });
    });

    it('while paused still gives the state of that step, and the next steps', async () => {
      const gpu = machine();
      const run = start([small], { paused: true });
      await run.step({ n: 5 });
      const [before] = await run.snapshot();
      gpu.lose();
      await vi.waitFor(() => expect(notices.length).toBe(1));
      expect(await run.snapshot()).toEqual([before]);
      await run.step({ n: 2 });
      expect((await run.snapshot())[0]!.step).toBe(7);
      await run.stop();
      expect(await run.finished).toMatchObject([{ code: 'stopped', step: 7 }]);
    });

    it('does not lose a stop', async () => {
      const gpu = machine();
      const run = start([small], { steps: 100_000 });
      await run.started;
      await vi.waitFor(() => expect(records.length).toBeGreaterThan(3), { timeout: 20_000 });
      gpu.lose();
      await run.stop();
      const [verdict] = await run.finished;
      expect(verdict!.code).toBe('stopped');
      expect((await run.snapshot())[0]!.step).toBe(verdict!.step);
    });
  });

  describe('a notice', () => {
    afterEach(() => void vi.unstubAllGlobals());

    it('goes to a function, and an error of that function does not touch the run', async () => {
      vi.stubGlobal('navigator', { hardwareConcurrency: 2 });
      const told = vi.spyOn(console, 'error').mockImplementation(() => {});
      const request = { spec: small, data, steps: 3, device: 'webgpu', thread } as const;
      await expect(train({ ...request, onNotice: 3 as never }).started).rejects.toThrow(/^onNotice is 3/);
      const onNotice = (): never => {
        throw new Error('mine');
      };
      expect(await train({ ...request, onNotice }).finished).toMatchObject([{ code: 'finished', step: 3 }]);
      expect(told).toHaveBeenCalledWith(expect.stringContaining('onNotice'), expect.objectContaining({ message: 'mine' })); // prettier-ignore
      told.mockRestore();
    });
  });
}
