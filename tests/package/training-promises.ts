/** What training promises, in Node and in browsers, in workers and on the caller's thread. */
import {
  createSession,
  type ModelSpec,
  NormscopeError,
  type StepMetrics,
  train,
  trainAll,
  type TrainAllRequest,
  type TrainingRun,
} from 'normscope';
import { describe, expect, it } from 'vitest';

const small: ModelSpec = { nLayer: 2, dModel: 16, nHead: 2, nCtx: 16, nBatch: 2, learningRate: 0.01 };
const data = { kind: 'markov' } as const;
/** The recipe in which Pre-LN's stream leaves the range of fp16. */
const stormy: ModelSpec = {
  placement: 'pre-ln',
  nLayer: 6,
  dModel: 32,
  nBatch: 4,
  nCtx: 32,
  learningRate: 0.2,
  format: 'fp16',
};

async function collect(run: TrainingRun): Promise<StepMetrics[]> {
  const records: StepMetrics[] = [];
  for await (const record of run) records.push(record);
  return records;
}

const stepsOf = (records: StepMetrics[], run: string): number[] =>
  records.filter((record) => record.run === run).map(({ step }) => step);
const count = (n: number): number[] => Array.from({ length: n }, (_, i) => i + 1);
const pause = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds));

export function describeTraining(thread: 'worker' | 'inline'): void {
  const two = (more: Partial<TrainAllRequest> = {}): TrainAllRequest => ({
    ...{
      specs: [
        { ...small, placement: 'pre-ln' },
        { ...small, placement: 'peri-ln' },
      ],
      data,
      steps: 60,
      seed: 3,
      thread,
    },
    ...more,
  });

  describe(`training (${thread})`, () => {
    it('gives every step of every run once and in order, and a verdict', async () => {
      const run = trainAll(two());
      const infos = await run.started;
      expect(infos.map((info) => [info.run, info.thread, info.device])).toEqual([
        ['pre-ln', thread, 'wasm'],
        ['peri-ln', thread, 'wasm'],
      ]);
      const records = await collect(run);
      expect(stepsOf(records, 'pre-ln')).toEqual(count(60));
      expect(stepsOf(records, 'peri-ln')).toEqual(count(60));
      expect(records[0]!.maxAbs.length).toBe(infos[0]!.points.length);
      expect(records[0]!.groupGradNorm.length).toBe(infos[0]!.groups.length);
      expect(records[0]!.learningRate).toBeCloseTo(0.01, 6);
      const verdicts = await run.finished;
      expect(verdicts).toMatchObject([
        { code: 'finished', step: 60, passedHalfRange: null },
        { code: 'finished', step: 60 },
      ]);
      expect(verdicts[0]!.finalLoss).toBeLessThan(records[0]!.loss);
      expect(run.verdict).toEqual(verdicts);
    });

    it('repeats itself bit for bit', async () => {
      const [first, second] = await Promise.all([
        collect(train({ spec: small, data, steps: 50, thread })),
        collect(train({ spec: small, data, steps: 50, thread })),
      ]);
      expect(second).toEqual(first);
    });

    it('gives the bits of a session that is stepped by hand', async () => {
      const records = await collect(train({ spec: small, data, steps: 10, thread }));
      using session = await createSession({ spec: small, data });
      for (const { loss } of records) {
        await session.nextBatch();
        await session.run({ phases: ['forward', 'backward', 'update'] });
        expect((await session.read({ name: 'loss' }))[0]).toBe(loss);
      }
    });

    it('pauses all runs at the same step, takes exact steps, and resumes', async () => {
      const records: StepMetrics[] = [];
      const run = trainAll(two({ steps: 400, onMetrics: (record) => records.push(record) }));
      await run.started;
      await pause(40);
      await run.pause();
      const at = stepsOf(records, 'pre-ln').length;
      expect(at).toBeLessThan(400);
      expect(stepsOf(records, 'peri-ln').length).toBe(at);
      await pause(80);
      expect(records.length).toBe(2 * at);
      await run.step({ n: 3 });
      expect(stepsOf(records, 'pre-ln')).toEqual(count(at + 3));
      await Promise.all([run.step(), run.step()]);
      expect(stepsOf(records, 'peri-ln')).toEqual(count(at + 5));
      await run.resume();
      expect((await run.finished).map(({ code }) => code)).toEqual(['finished', 'finished']);
      expect(stepsOf(records, 'pre-ln')).toEqual(count(400));
      expect(stepsOf(records, 'peri-ln')).toEqual(count(400));
    });

    it('starts paused when asked to', async () => {
      const run = train({ spec: small, data, steps: 20, paused: true, thread });
      await run.started;
      await pause(50);
      expect(run.verdict[0]).toMatchObject({ code: 'running', step: 0 });
      await run.step({ n: 2 });
      expect(run.verdict[0]!.step).toBe(2);
      await run.stop();
      expect(await run.finished).toMatchObject([{ code: 'stopped', step: 2 }]);
    });

    it('stops at once, also out of a long step', async () => {
      const run = trainAll(two({ steps: 100_000, paused: true }));
      await run.started;
      const long = run.step({ n: 50_000 });
      await pause(60);
      const asked = performance.now();
      await run.stop();
      await long;
      expect(performance.now() - asked).toBeLessThan(1000);
      const verdicts = await run.finished;
      expect(verdicts.map(({ code }) => code)).toEqual(['stopped', 'stopped']);
      expect(verdicts[0]!.step).toBeLessThan(50_000);
    });

    it('stops by a signal', async () => {
      const controller = new AbortController();
      const run = train({ spec: small, data, steps: 100_000, signal: controller.signal, thread });
      await run.started;
      controller.abort();
      expect(await run.finished).toMatchObject([{ code: 'stopped' }]);
      const never = train({ spec: small, data, steps: 10, signal: AbortSignal.abort(), thread });
      await expect(never.started).rejects.toMatchObject({ code: 'aborted' });
      expect(await never.finished).toMatchObject([{ code: 'stopped', step: 0 }]);
    });

    it('hands out snapshots from which a session goes on', async () => {
      const run = trainAll(two({ steps: 30, paused: true }));
      await run.step({ n: 10 });
      const [at10] = await run.snapshot();
      expect(at10!.step).toBe(10);
      await run.resume();
      const records = await collect(run);
      await run.finished;
      expect((await run.snapshot()).map(({ step }) => step)).toEqual([30, 30]);
      using session = await createSession({ spec: { ...small, placement: 'pre-ln', seed: 3 }, data, from: at10 });
      await session.nextBatch();
      await session.run({ phases: ['forward'] });
      expect((await session.read({ name: 'loss' }))[0]).toBe(
        records.find(({ run: name, step }) => name === 'pre-ln' && step === 11)!.loss,
      );
    });

    it('names an overflow with step, place and value, and lets the others go on', async () => {
      const run = trainAll({ specs: [stormy, { ...stormy, placement: 'peri-ln' }], data, steps: 200, seed: 1, thread });
      const records = await collect(run);
      const [pre, peri] = await run.finished;
      expect(pre).toMatchObject({ code: 'overflow', quantity: 'max|x|', format: 'fp16' });
      expect(pre!.where).toMatch(/^blocks\.\d\.resid_(mid|post)$/);
      expect(Math.abs(pre!.value!)).toBeGreaterThan(65504);
      expect(pre!.step).toBe(stepsOf(records, 'pre-ln').at(-1));
      expect(peri).toMatchObject({ code: 'finished', step: 200 });
      expect(peri!.maxAbs).toBeLessThan(1000);
      expect(stepsOf(records, 'peri-ln')).toEqual(count(200));
    }, 60_000);

    it('names the layer in which numbers stop being finite', async () => {
      const run = train({ spec: { ...stormy, placement: 'none', format: 'fp32' }, data, steps: 50, seed: 1, thread });
      const records = await collect(run);
      const { points } = (await run.started)[0]!;
      const [verdict] = await run.finished;
      const first = records.at(-1)!.maxAbs.findIndex((value) => !Number.isFinite(value));
      expect(verdict).toMatchObject({
        code: 'non-finite',
        quantity: 'max|x|',
        where: points[first],
        step: records.length,
      });
      expect(Number.isInteger(verdict!.channel)).toBe(true);
    }, 60_000);

    it('refuses what makes no sense, by name, through started, finished and the iterator', async () => {
      const run = train({ spec: { ...small, nHead: 3 }, data, steps: 10, thread });
      await expect(run.started).rejects.toMatchObject({
        code: 'bad-spec',
        message: expect.stringContaining('nHead 3 does not divide dModel 16'),
      });
      expect(await run.finished).toMatchObject([{ code: 'failed', error: { code: 'bad-spec' } }]);
      await expect(collect(run)).rejects.toBeInstanceOf(NormscopeError);
      await run.pause();
      await run.stop();
      for (const steps of [0, -1, 2.5, NaN, '3' as never])
        await expect(train({ spec: small, data, steps, thread }).started).rejects.toThrow(/^steps is/);
      await expect(trainAll({ specs: [], data, steps: 1, thread }).started).rejects.toThrow(/needs specs/);
    });
  });
}
