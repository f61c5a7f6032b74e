/** What training on WebGPU promises, wherever the GPU is driven from. Numbers are held against the same runs on WASM. */
import {
  createSession,
  type ModelSpec,
  type StepMetrics,
  train,
  trainAll,
  type TrainAllRequest,
  type TrainingRun,
  type Verdict,
} from 'normscope';
import { describe, expect, it } from 'vitest';

/** Small, because a software adapter computes it. */
export const tiny: ModelSpec = { nLayer: 1, dModel: 16, nHead: 2, nCtx: 8, nBatch: 2, learningRate: 0.01 };
export const data = { kind: 'markov' } as const;
/** Relative: what 50 steps may add up to. */
const DRIFT = 0.005;

export interface Outcome {
  records: StepMetrics[];
  verdicts: Verdict[];
}

export async function outcomeOf(run: TrainingRun): Promise<Outcome> {
  const records: StepMetrics[] = [];
  for await (const record of run) records.push(record);
  return { records, verdicts: await run.finished };
}

export const recordsOf = ({ records }: Outcome, run: string): StepMetrics[] =>
  records.filter((each) => each.run === run);
export const stepsOf = (records: StepMetrics[]): number[] => records.map(({ step }) => step);
export const count = (n: number): number[] => Array.from({ length: n }, (_, i) => i + 1);

export function expectNear(actual: number, expected: number, what: string): void {
  expect(Math.abs(actual - expected), `${what}: ${actual}, not ${expected}`).toBeLessThanOrEqual(
    DRIFT * Math.abs(expected),
  );
}

export function describeGpuTraining(thread: 'worker' | 'inline'): void {
  const on = (device: 'wasm' | 'webgpu', specs: ModelSpec[], more: Partial<TrainAllRequest> = {}): TrainingRun =>
    trainAll({ specs, data, steps: 20, seed: 3, device, thread, ...more });

  describe(`training on WebGPU (${thread})`, { timeout: 90_000 }, () => {
    it('gives the losses and the verdict of WASM', async () => {
      const run = on('webgpu', [tiny], { steps: 50 });
      const [info] = await run.started;
      expect(info).toMatchObject({ device: 'webgpu', thread, choice: { device: 'webgpu', reason: 'asked' } });
      expect(info!.choice.adapter).toMatch(/\w/);
      expect(info!.gpuBytes).toBeGreaterThan(info!.nParameter * 4 * 4);
      const [gpu, core] = [await outcomeOf(run), await outcomeOf(on('wasm', [tiny], { steps: 50 }))];
      expect(stepsOf(gpu.records)).toEqual(count(50));
      gpu.records.forEach(({ loss }, i) => expectNear(loss, core.records[i]!.loss, `loss of step ${i + 1}`));
      expect(gpu.verdicts[0]).toMatchObject({ code: 'finished', step: 50, bestStep: core.verdicts[0]!.bestStep });
      expectNear(gpu.verdicts[0]!.finalLoss, core.verdicts[0]!.finalLoss, 'final loss');
    });

    it('gives every run of several placements and seeds the bits that it has alone', async () => {
      const specs = (['pre-ln', 'post-ln', 'peri-ln'] as const).flatMap((placement) =>
        [1, 2].map((seed): ModelSpec => ({ ...tiny, placement, seed, learningRate: 0.01 * seed })),
      );
      const seedless = { seed: undefined, steps: 6 };
      const run = on('webgpu', specs, seedless);
      const infos = await run.started;
      const together = await outcomeOf(run);
      for (const i of [1, 4]) {
        const alone = await outcomeOf(on('webgpu', [specs[i]!], seedless));
        const own = recordsOf(together, infos[i]!.run).map((record) => ({ ...record, run: infos[i]!.spec.placement }));
        expect(own).toEqual(alone.records);
      }
      expect(together.verdicts.map(({ code, step }) => [code, step])).toEqual(specs.map(() => ['finished', 6]));
    });

    it('repeats itself bit for bit', async () => {
      const first = await outcomeOf(on('webgpu', [tiny]));
      expect(await outcomeOf(on('webgpu', [tiny]))).toEqual(first);
    });

    it('pauses, takes exact steps, gives snapshots of them, and stops', async () => {
      const records: StepMetrics[] = [];
      const specs: ModelSpec[] = [tiny, { ...tiny, placement: 'peri-ln' }];
      const onMetrics = (record: StepMetrics): number => records.push(record);
      const run = on('webgpu', specs, { steps: 1000, paused: true, onMetrics });
      await run.step({ n: 3 });
      expect(records.map(({ step }) => step).sort()).toEqual([1, 1, 2, 2, 3, 3]);
      const [snapshot] = await run.snapshot();
      expect(snapshot!.step).toBe(3);
      await Promise.all([run.step(), run.step()]);
      expect(run.verdict.map(({ step }) => step)).toEqual([5, 5]);
      await run.resume();
      await run.pause();
      const { step } = run.verdict[0]!;
      expect(records.length).toBe(2 * step);
      await run.stop();
      expect(await run.finished).toMatchObject([{ code: 'stopped', step }, { code: 'stopped', step }]); // prettier-ignore
      expect((await run.snapshot()).map((last) => last.step)).toEqual([step, step]);

      using session = await createSession({ spec: { ...tiny, seed: 3 }, data, from: snapshot });
      await session.nextBatch();
      await session.run({ phases: ['forward'] });
      const fourth = records.find(({ run, step }) => run === 'model' && step === 4)!;
      expectNear((await session.read({ name: 'loss' }))[0]!, fourth.loss, 'loss of a session that goes on');
    });

    it('stops in the middle of many steps, with a snapshot of the last one', async () => {
      const run = on('webgpu', [tiny], { steps: 100_000 });
      await run.started;
      await new Promise((resolve) => setTimeout(resolve, 300));
      await run.stop();
      const [verdict] = await run.finished;
      expect(verdict!.code).toBe('stopped');
      expect((await run.snapshot())[0]!.step).toBe(verdict!.step);
    });

    it('names a divergence as WASM does, and lets the run that shares its plan go on', async () => {
      const wild: ModelSpec = { ...tiny, placement: 'none', normFinal: false };
      const specs = [
        { ...wild, learningRate: 1e6 }, // at once: what goes wrong after many wild steps depends on every rounding
        { ...wild, learningRate: 1e-4 },
      ];
      const [gpu, core] = [await outcomeOf(on('webgpu', specs)), await outcomeOf(on('wasm', specs))];
      const [ended, other] = gpu.verdicts;
      const { code, step, where, quantity } = core.verdicts[0]!;
      expect(code).toBe('non-finite');
      expect(ended).toMatchObject({ code, step, where, quantity });
      expect(recordsOf(gpu, 'none').length).toBe(step);
      expect(other).toMatchObject({ code: 'finished', step: 20 });
      expectNear(other!.finalLoss, core.verdicts[1]!.finalLoss, 'final loss of the other');
    });

    it('names the first value that leaves the range of fp16', async () => {
      const specs: ModelSpec[] = [{ ...tiny, placement: 'none', normFinal: false, format: 'fp16', learningRate: 30 }];
      const [gpu, core] = [await outcomeOf(on('webgpu', specs)), await outcomeOf(on('wasm', specs))];
      const { code, step, where, channel } = core.verdicts[0]!;
      expect(code).toBe('overflow');
      expect(gpu.verdicts[0]).toMatchObject({ code, step, where, channel, format: 'fp16' });
    });

    it('evaluates what it has trained on data that it was not trained on', async () => {
      const text = 'the rain in the plain falls mainly in the lane again. '.repeat(20);
      const request = { data: { kind: 'text', text }, evaluation: { nBatch: 2, sample: { nSample: 1, nPrompt: 4, nToken: 4 } } } as const; // prettier-ignore
      const [gpu, core] = [
        await outcomeOf(on('webgpu', [tiny], request)),
        await outcomeOf(on('wasm', [tiny], request)),
      ];
      const evaluation = gpu.verdicts[0]!.evaluation!;
      expectNear(evaluation.loss, core.verdicts[0]!.evaluation!.loss, 'held-out loss');
      expect(evaluation.samples.length).toBe(1);
    });

    it('refuses a spec that makes no sense as WASM does', async () => {
      const run = train({ spec: { ...tiny, nHead: 3 }, data, steps: 5, device: 'webgpu', thread });
      await expect(run.started).rejects.toMatchObject({
        code: 'bad-spec',
        message: expect.stringContaining('nHead 3 does not divide'),
      });
      expect(await run.finished).toMatchObject([{ code: 'failed', error: { code: 'bad-spec' } }]);
    });
  });
}
