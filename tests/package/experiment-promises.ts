/** What experiments promise, in Node and in browsers, in workers and on the caller's thread. */
import {
  countCells,
  createSession,
  type Experiment,
  experiment,
  type ExperimentProgress,
  type ExperimentRecord,
  type ExperimentRequest,
  mergeRecords,
  type ModelSpec,
  parseRecords,
  recordLine,
  train,
} from 'normscope';
import { describe, expect, it, vi } from 'vitest';

const base: ModelSpec = { nLayer: 1, dModel: 16, nHead: 2, nCtx: 16, nBatch: 2, learningRate: 0.01 };
const text = 'to normalize is to take the mean away and to divide by the spread. '.repeat(12);

const linesOf = (records: readonly ExperimentRecord[]): string => records.map(recordLine).join('');

export function describeExperiments(thread: 'worker' | 'inline'): void {
  const request = (more: Partial<ExperimentRequest> = {}): ExperimentRequest => ({
    ...{ base, steps: 12, thread, concurrency: 2 },
    grid: { placement: ['pre-ln', 'peri-ln', 'post-ln'], seed: [1, 2, 3] },
    ...more,
  });

  describe(`an experiment (${thread})`, () => {
    it('gives one record for each cell, in an order that the keys of the grid do not change', async () => {
      const grid = { seed: [2, 1], dt: [0.5], placement: ['pre-ln', 'post-ln'] } as const;
      expect(countCells(request({ grid }))).toBe(4);
      const records = await experiment(request({ grid })).records;
      expect(records.map(({ index, cell }) => [index, cell])).toEqual([
        [0, { placement: 'pre-ln', dt: 0.5, seed: 2 }],
        [1, { placement: 'pre-ln', dt: 0.5, seed: 1 }],
        [2, { placement: 'post-ln', dt: 0.5, seed: 2 }],
        [3, { placement: 'post-ln', dt: 0.5, seed: 1 }],
      ]);
      const turned = { placement: grid.placement, seed: grid.seed, dt: grid.dt };
      expect(linesOf(await experiment(request({ grid: turned })).records)).toBe(linesOf(records));
    });

    it('records what train gives for the same spec', async () => {
      const [record] = await experiment(request({ grid: { placement: ['peri-ln'], seed: [5] }, keepCurve: true }))
        .records;
      const losses: number[] = [];
      const run = train({ spec: { ...base, placement: 'peri-ln', seed: 5 }, data: { kind: 'markov' }, steps: 12, thread, onMetrics: ({ loss }) => losses.push(loss) }); // prettier-ignore
      const [[info], [verdict]] = await Promise.all([run.started, run.finished]);
      const { finalLoss, bestLoss, bestStep, maxAbs, passedHalfRange, step } = verdict!;
      expect(record).toMatchObject({ finalLoss, bestLoss, bestStep, maxAbs, passedHalfRange, step });
      expect(record).toMatchObject({
        spec: info!.spec,
        nParameter: info!.nParameter,
        firstLoss: losses[0],
        curve: losses,
      });
      expect(record!.lrTimesWidth).toBeCloseTo(0.16, 12);
      expect(record!.unigramLoss).toBe(info!.dataset.unigramLoss);
    });

    it('writes the same bytes at any concurrency and in lockstep', async () => {
      const free = linesOf(await experiment(request({ concurrency: 1 })).records);
      expect(linesOf(await experiment(request({ concurrency: 3 })).records)).toBe(free);
      expect(linesOf(await experiment(request({ mode: 'lockstep', concurrency: 4 })).records)).toBe(free);
    });

    it('split in two shards merges to the bytes of the whole', async () => {
      const grid = { placement: ['pre-ln', 'peri-ln', 'post-ln'], seed: [1, 2, 3, 4, 5] } as const;
      const whole = await experiment(request({ grid })).records;
      const parts = await Promise.all(
        [0, 1].map((index) => experiment(request({ grid, shard: { index, count: 2 } })).records),
      );
      expect(parts.map((part) => part.length)).toEqual([8, 7]);
      expect(mergeRecords(parts.reverse().map(linesOf))).toBe(linesOf(whole));
    });

    it('makes a cell that cannot run a record, and goes on', async () => {
      const records = await experiment(request({ grid: { nHead: [2, 3], seed: [1, 2] }, mode: 'lockstep' })).records;
      expect(records.map(({ verdict }) => verdict)).toEqual([
        ...Array(2).fill(records[0]!.verdict),
        'failed',
        'failed',
      ]);
      expect(records[0]!.verdict).not.toBe('failed');
      expect(records[2]).toMatchObject({
        reasons: [{ code: 'error', where: 'bad-spec', message: expect.stringMatching(/nHead 3 .*dModel 16/) }],
        spec: { n_head: 3, d_model: 16, seed: 1 },
        finalLoss: NaN,
      });
      expect(parseRecords(linesOf(records))).toEqual(records);
    });

    it('finds out which of a group in lockstep was refused after the others were planned', async () => {
      const records = await experiment(
        request({
          ...{ data: { kind: 'text', text }, mode: 'lockstep', grid: { causal: [true, false] } },
          evaluation: { nBatch: 1, sample: { nSample: 1, nPrompt: 4, nToken: 4 } },
        }),
      ).records;
      expect(records.map(({ verdict }) => verdict === 'failed')).toEqual([false, true]);
      expect(records[1]!.reasons[0]!.message).toMatch(/causal true/);
    });

    it('can be cancelled also while it looks for the refused one', async () => {
      const sweep: Experiment = experiment(
        request({
          ...{
            data: { kind: 'text', text },
            mode: 'lockstep',
            grid: { causal: [true, false], seed: [1, 2, 3] },
            concurrency: 6,
          },
          evaluation: { nBatch: 1, sample: { nSample: 1, nPrompt: 4, nToken: 4 } },
          onRecord: () => void sweep.cancel(),
        }),
      );
      expect((await sweep.records).length).toBeLessThanOrEqual(2); // the second may have begun
    });

    it('does not run again what is done, and runs what differs in anything', async () => {
      const first = await experiment(request()).records;
      const seen: number[] = [];
      const again = experiment(request({ done: parseRecords(linesOf(first.slice(2, 6))), onRecord: ({ index }) => void seen.push(index) })); // prettier-ignore
      expect(linesOf(await again.records)).toBe(linesOf(first));
      expect(seen.sort((a, b) => a - b)).toEqual([0, 1, 6, 7, 8]);
      expect(again.progress).toMatchObject({
        state: 'finished',
        nCell: 9,
        nDone: 9,
        nKept: 4,
        fraction: 1,
        secondsLeft: 0,
      });
      const changes: Partial<ExperimentRequest>[] = [
        { steps: 13 },
        { base: { ...base, eps: 1e-6 } },
        { data: { kind: 'markov', seed: 8 } },
        { evaluation: { nBatch: 1 } },
        { keepCurve: true },
      ];
      for (const change of changes) {
        const other = experiment(request({ grid: { placement: ['pre-ln'] }, done: first, ...change }));
        await other.records;
        expect(other.progress.nKept, JSON.stringify(change)).toBe(0);
      }
      const version = first.map((record) => ({ ...record, version: '0.0.0' }));
      const renewed = experiment(request({ done: version, shard: { index: 0, count: 9 } }));
      await renewed.records;
      expect(renewed.progress.nKept).toBe(0);
    });

    it('takes records of a smaller grid to their new places', async () => {
      const small = await experiment(request({ grid: { placement: ['peri-ln'], seed: [2] } })).records;
      const grown = experiment(request({ done: small }));
      const records = await grown.records;
      expect(grown.progress.nKept).toBe(1);
      expect(records[4]).toEqual({ ...small[0], index: 4 });
    });

    it('tries again what failed for reasons of the machine', async () => {
      const [good] = await experiment(request({ grid: {} })).records;
      const lost: ExperimentRecord = {
        ...good!,
        verdict: 'failed',
        reasons: [{ code: 'error', where: 'worker-lost' }],
      };
      const again = experiment(request({ grid: {}, done: [lost] }));
      expect(await again.records).toEqual([good]);
    });

    it('hands out the trained models, for analysis', async () => {
      const losses: [number, number][] = [];
      const sweep = experiment(
        request({
          ...{ mode: 'lockstep', grid: { placement: ['pre-ln', 'peri-ln'] }, keepCurve: true },
          onSnapshot: async (record, snapshot) => {
            using session = await createSession({ spec: { ...base, ...record.cell } as ModelSpec, data: { kind: 'markov' }, from: snapshot }); // prettier-ignore
            await session.nextBatch();
            await session.run({ phases: ['forward'] });
            losses.push([record.index, (await session.read({ name: 'loss' }))[0]!]);
          },
        }),
      );
      await sweep.records;
      const longer = await experiment(request({ steps: 13, grid: { placement: ['pre-ln', 'peri-ln'] }, keepCurve: true })).records; // prettier-ignore
      expect(losses).toEqual(longer.map(({ index, curve }) => [index, curve!.at(-1)]));
    });

    it('holds between two steps while paused and ends with the same bytes', async () => {
      const steps = 60;
      const undisturbed = linesOf(await experiment(request({ steps })).records);
      let nStep = 0;
      const sweep = experiment(request({ steps, onMetrics: () => { if (++nStep === 40) void sweep.pause(); } })); // prettier-ignore
      await vi.waitFor(() => expect(sweep.progress.state).toBe('paused'), { timeout: 20_000 });
      await sweep.pause();
      await new Promise((resolve) => setTimeout(resolve, 100));
      const { seconds } = sweep.progress;
      const held = nStep;
      await new Promise((resolve) => setTimeout(resolve, 100));
      expect(nStep).toBe(held);
      expect(sweep.progress.seconds).toBe(seconds);
      await sweep.resume();
      expect(linesOf(await sweep.records)).toBe(undisturbed);
    });

    it('keeps the finished records and leaves none of a cancelled run', async () => {
      const whole = await experiment(request({ steps: 40 })).records;
      const sweep = experiment(request({ steps: 40 }));
      const seen: ExperimentRecord[] = [];
      for await (const record of sweep) if (seen.push(record) === 3) void sweep.cancel();
      const records = await sweep.records;
      expect(sweep.progress.state).toBe('cancelled');
      expect(records.length).toBeGreaterThanOrEqual(3);
      expect(records.length).toBeLessThan(9);
      expect(new Set(records)).toEqual(new Set(seen));
      for (const record of records) expect(record).toEqual(whole[record.index]);
      const rest = await experiment(request({ steps: 40, done: records })).records;
      expect(rest).toEqual(whole);
    });

    it('is cancelled by its signal, paused or not yet begun', async () => {
      const controller = new AbortController();
      const sweep = experiment(request({ steps: 100_000, signal: controller.signal }));
      await sweep.pause();
      controller.abort();
      expect(await sweep.records).toEqual([]);
      expect(await experiment(request({ signal: AbortSignal.abort() })).records).toEqual([]);
    });

    it('weighs cells by their work in the time that is left', async () => {
      const reports: ExperimentProgress[] = [];
      await experiment(request({ steps: 30, concurrency: 1, grid: { nLayer: [1, 4] }, onProgress: (report) => reports.push(report) })).records; // prettier-ignore
      const half = reports.find(({ nDone }) => nDone === 1)!;
      expect(half.fraction).toBeGreaterThan(0.2);
      expect(half.fraction).toBeLessThan(0.45);
      const fractions = reports.map(({ fraction }) => fraction);
      expect(fractions).toEqual([...fractions].sort((a, b) => a - b));
      expect(reports.at(-1)).toMatchObject({ state: 'finished', fraction: 1, running: [] });
    });

    it('measures held-out loss on what training never sees, and changes nothing else', async () => {
      const data = { kind: 'text', text: 'ab'.repeat(450) + 'cd'.repeat(50) } as const;
      const ask = request({ steps: 80, data, grid: {} });
      const [{ heldOut, ...record } = {} as ExperimentRecord] = await experiment({ ...ask, evaluation: { nBatch: 6 } })
        .records;
      expect(record.finalLoss).toBeLessThan(0.5);
      expect(heldOut!.loss).toBeGreaterThan(1.5);
      expect(heldOut!.perplexity).toBeCloseTo(Math.exp(heldOut!.loss), 9);
      expect(heldOut).toMatchObject({ nBatch: 6, samples: [], rougeWords: null });
      const [plain] = await experiment(ask).records;
      expect({ ...plain, evaluation: { nBatch: 6 } }).toEqual({ ...record, heldOut: null });
    });

    it('measures held-out loss as a session does, without dropout, over the first batches', async () => {
      const spec = { ...base, dropout: 0.4 };
      const run = train({ spec, data: { kind: 'markov' }, steps: 5, thread, evaluation: { nBatch: 2 } });
      const [[verdict], [snapshot]] = [await run.finished, await run.snapshot()];
      using session = await createSession({ spec, data: { kind: 'markov' }, from: snapshot! });
      const control = await session.read({ name: 'control' });
      let sum = 0;
      for (const i of [0, 1]) {
        await session.write({ name: 'control', data: control.map((value, k) => (k === 0 ? i : value)) });
        await session.nextBatch({ split: 'held-out' });
        await session.run({ phases: ['evaluate'] });
        sum += (await session.read({ name: 'loss' }))[0]!;
      }
      expect(verdict!.evaluation!.loss).toBe(sum / 2);
    });

    it('evaluates without touching the state in which a run ends', async () => {
      const ask = { spec: { ...base, format: 'fp16' }, data: { kind: 'text', text }, steps: 9, thread } as const;
      const [plain, evaluated] = [train(ask), train({ ...ask, evaluation: { nBatch: 3, sample: { nToken: 5 } } })];
      const [[first], [second]] = await Promise.all([plain.finished, evaluated.finished]);
      expect(first!.evaluation).toBeUndefined();
      expect(second!.evaluation!.samples.length).toBe(4);
      expect(await evaluated.snapshot()).toEqual(await plain.snapshot());
    });

    it('lets a text model continue held-out passages and scores them', async () => {
      const evaluation = { nBatch: 2, sample: { nSample: 3, nPrompt: 12, nToken: 40, temperature: 0 } };
      const ask = request({ steps: 600, data: { kind: 'text', text }, grid: {}, evaluation });
      const [{ heldOut } = {} as ExperimentRecord] = await experiment(ask).records;
      expect(heldOut!.samples.length).toBe(3);
      for (const { prompt, text: written, reference } of heldOut!.samples) {
        expect(text).toContain(prompt + reference);
        expect(written.length).toBe(40);
      }
      // The text repeats one sentence: a trained model knows it by heart.
      expect(heldOut!.rougeTokens!.rouge2.f1).toBeGreaterThan(0.8);
      expect(heldOut!.embeddingSimilarity!.f1).toBeGreaterThan(0.95);
      const untrained = await experiment({ ...ask, steps: 1 }).records;
      expect(untrained[0]!.heldOut!.rougeTokens!.rouge2.f1).toBeLessThan(0.3);
    });

    it('varies the task, and fields that belong together, as axes too', async () => {
      const grid = {
        data: [{ kind: 'markov' }, { kind: 'text', text }],
        variant: [{ learningRate: 0.1, weightDecay: 0.1 }, { learningRate: 0.2 }],
        seed: [1],
      } as const;
      const records = await experiment(request({ grid })).records;
      expect(records.map(({ data, cell }) => [data.kind, cell])).toEqual([
        ['markov', { learningRate: 0.1, weightDecay: 0.1, seed: 1 }],
        ['markov', { learningRate: 0.2, seed: 1 }],
        ['text', { learningRate: 0.1, weightDecay: 0.1, seed: 1 }],
        ['text', { learningRate: 0.2, seed: 1 }],
      ]);
      expect(linesOf(records)).not.toContain('divide by the spread');
    });

    it('refuses what makes no sense, by name', async () => {
      const refused = async (more: object, message: RegExp): Promise<void> => {
        const sweep = experiment({ ...request(), ...more } as ExperimentRequest);
        await expect(sweep.records).rejects.toMatchObject({
          name: 'NormscopeError',
          message: expect.stringMatching(message),
        });
        await expect(sweep[Symbol.asyncIterator]().next()).rejects.toThrow(message);
      };
      await refused({ steps: 0 }, /^steps is 0/);
      await refused({ grid: { learnigRate: [1] } }, /grid does not know 'learnigRate'.*'learningRate'/);
      await refused({ grid: { seed: 3 } }, /^grid\.seed is 3; expected a list/);
      await refused({ grid: { seed: [1, 2, 1] } }, /^grid\.seed has 1 twice, at 0 and 2/);
      await refused({ grid: { seed: [[1]] } }, /^grid\.seed\[0\]/);
      await refused({ data: { kind: 'markov' }, grid: { data: [{ kind: 'markov' }] } }, /one or the other/);
      await refused({ shard: { index: 2, count: 2 } }, /^shard\.index is 2/);
      await refused({ evaluation: { nBatches: 1 } }, /evaluation does not know 'nBatches'/);
      await refused({ signal: {} }, /^signal is/);
      await refused({ evaluation: { sample: { nToken: 5000 } } }, /^evaluation\.sample\.nToken is 5000/);
      await refused({ mode: 'fast' }, /^mode is the text 'fast'/);
      const seed = Array.from({ length: 400 }, (_, i) => i);
      await refused({ grid: { seed, warmup: seed } }, /^the grid has 160000 cells; at most 100000 .*shard/);
      await refused({ grid: { seed, warmup: seed }, shard: { index: 1, count: 1 } }, /^shard\.index/);
      await refused({ done: 'records.jsonl' }, /^done is the text 'records/);
      await expect(experiment(null as never).records).rejects.toThrow(/^experiment takes one object/);
    });

    it('ends when a record cannot be written down, with that error', async () => {
      const full = new Error('the disk is full');
      const sweep = experiment(request({ onRecord: () => Promise.reject(full) }));
      await expect(sweep.records).rejects.toBe(full);
      expect(sweep.progress.state).toBe('cancelled');
    });
  });
}
