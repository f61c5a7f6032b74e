/** What callers of training may get wrong or do at the same time: errors with names, iterators that end, whole snapshots. */
import { createSession, type ModelSpec, train, trainAll, type TrainingRun, type TrainRequest } from 'normscope';
import { afterEach, describe, expect, it, vi } from 'vitest';

const spec: ModelSpec = { nLayer: 1, dModel: 16, nHead: 2, nCtx: 8, nBatch: 2 };
const data = { kind: 'markov' } as const;

async function expectRefused(run: TrainingRun, code: string, message: RegExp): Promise<void> {
  const expected = { name: 'NormscopeError', code, message: expect.stringMatching(message) };
  await expect(run.started).rejects.toMatchObject(expected);
  await expect(run[Symbol.asyncIterator]().next()).rejects.toMatchObject(expected);
  for (const verdict of await run.finished) expect(verdict).toMatchObject({ code: 'failed', error: { code } });
}

export function describeTrainingCalls(thread: 'worker' | 'inline'): void {
  const request = (more: object = {}): TrainRequest => ({ spec, data, steps: 20, thread, ...more });

  describe(`calls of training (${thread})`, () => {
    afterEach(() => void vi.restoreAllMocks());

    it('refuse a field that cannot be sent, by name', async () => {
      await expectRefused(
        train(request({ spec: { ...spec, nLayer: () => 1 } })),
        'bad-number',
        /^spec\.nLayer is .*expected a finite number/,
      );
      await expectRefused(train(request({ spec: { ...spec, placement: Symbol('x') } })), 'bad-option', /placement/);
      await expectRefused(
        trainAll({ specs: [spec, { ...spec, width: 3 } as never], data, steps: 2, thread }),
        'bad-option',
        /specs\[1\].*'width'/,
      );
      await expectRefused(train(request({ data: { kind: 'text', text: () => 'a' } })), 'bad-data', /^data\.text is/);
      await expectRefused(train(request({ device: () => 'wasm' })), 'bad-option', /^device is/);
    });

    it('end a cosine without an end of its own at the last step', async () => {
      const cosine = { ...spec, schedule: 'cosine', learningRate: 0.1, finalLearningRate: 0.02 } as const;
      const ratesOf = async (more: ModelSpec): Promise<number[]> => {
        const rates: number[] = [];
        for await (const { learningRate } of train(request({ spec: { ...cosine, ...more } }))) rates.push(learningRate);
        return rates;
      };
      const rates = await ratesOf({});
      expect(rates[0]).toBeCloseTo(0.1, 6);
      expect(rates[10]).toBeCloseTo(0.06, 6);
      expect(rates[19]).toBeCloseTo(0.02, 2);
      expect((await ratesOf({ totalSteps: 10 }))[10]).toBeCloseTo(0.02, 6);
      expect((await ratesOf({ schedule: 'constant' }))[10]).toBeCloseTo(0.1, 6);
    });

    it('never throw at once, whatever is given', async () => {
      for (const given of [undefined, null, 7, 'pre-ln', []]) {
        await expectRefused(train(given as never), 'bad-option', /^train /);
        await expectRefused(trainAll(given as never), 'bad-option', /^trainAll /);
      }
      await expectRefused(train(request({ spec: null })), 'bad-option', /^spec takes one object/);
      await expectRefused(train(request({ specs: [spec] })), 'bad-option', /^train does not know 'specs'.*'spec'/);
      await expectRefused(trainAll({ specs: 3 as never, data, steps: 2, thread }), 'bad-option', /needs specs/);
      await expectRefused(train(request({ onMetrics: 3 })), 'bad-option', /^onMetrics is 3/);
      await expectRefused(train(request({ signal: {} })), 'bad-option', /^signal is/);
      await expectRefused(train(request({ thread: 'main' })), 'bad-option', /^thread is/);
      await expectRefused(train(request({ paused: 'yes' })), 'bad-option', /^paused is/);
    });

    it('take steps only in whole numbers', async () => {
      const run = train(request({ paused: true }));
      for (const n of [0, 1.5, NaN, '2']) await expect(run.step({ n: n as never })).rejects.toThrow(/^n is/);
      await expect(run.step(null as never)).rejects.toMatchObject({ code: 'bad-option' });
      await expect(run.step({ steps: 3 } as never)).rejects.toThrow(/^step does not know 'steps'/);
      await run.stop();
    });

    it('go on when onMetrics throws or rejects, and say so once', async () => {
      const told = vi.spyOn(console, 'error').mockImplementation(() => {});
      let nThrown = 0;
      const throwing = train(request({ onMetrics: () => { nThrown += 1; throw new Error('mine'); } })); // prettier-ignore
      expect(await throwing.finished).toMatchObject([{ code: 'finished', step: 20 }]);
      expect(nThrown).toBe(20);
      expect(told).toHaveBeenCalledTimes(1);
      expect(told).toHaveBeenCalledWith(
        expect.stringContaining('onMetrics'),
        expect.objectContaining({ message: 'mine' }),
      );
      const rejecting = train(request({ onMetrics: () => Promise.reject(new Error('later')) }));
      expect(await rejecting.finished).toMatchObject([{ code: 'finished', step: 20 }]);
      await new Promise((resolve) => setTimeout(resolve));
      expect(told).toHaveBeenCalledTimes(2);
    });

    it('end an iterator that is given up while it waits', async () => {
      const run = train(request({ paused: true }));
      const records = run[Symbol.asyncIterator]();
      const waiting = [records.next(), records.next()];
      await records.return!();
      expect(await Promise.all(waiting)).toEqual([{ value: undefined, done: true }, { value: undefined, done: true }]); // prettier-ignore
      expect(await records.next()).toEqual({ value: undefined, done: true });
      await run.stop();
    });

    it('end an iterator after its error', async () => {
      const run = train(request({ steps: 0 }));
      const records = run[Symbol.asyncIterator]();
      await expect(records.next()).rejects.toMatchObject({ code: 'bad-number' });
      expect(await records.next()).toEqual({ value: undefined, done: true });
    });

    it('give a snapshot of one step, also when the next is asked for at once', async () => {
      const specs: ModelSpec[] = [spec, { ...spec, placement: 'peri-ln' }];
      const run = trainAll({ specs, data, steps: 20, paused: true, thread });
      await run.step({ n: 3 });
      const taken = run.snapshot();
      const stepped = run.step({ n: 5 });
      const snapshots = await taken;
      await stepped;
      await run.stop();
      for (const [i, snapshot] of snapshots.entries()) {
        expect(snapshot.step).toBe(3);
        using session = await createSession({ spec: specs[i]!, data });
        for (let n = 0; n < 3; ++n) {
          await session.nextBatch();
          await session.run({ phases: ['forward', 'backward', 'update'] });
        }
        for (const [name, values] of Object.entries(await session.parameters()))
          expect(snapshot.tensors[name], name).toEqual(values);
      }
    });
  });
}
