import { type StepMetrics, train } from 'normscope';
import { afterEach, describe, expect, it } from 'vitest';
import type { Worker } from 'node:worker_threads';
import { describeTrainingCalls } from './training-calls.js';
import { describeTraining } from './training-promises.js';

describeTraining('worker');
describeTraining('inline');
describeTrainingCalls('worker');
describeTrainingCalls('inline');

const threads = process.getBuiltinModule('node:worker_threads');
const NodeWorker = threads.Worker;

describe('a lost worker', () => {
  const made: Worker[] = [];
  const remember = (): void => {
    made.length = 0;
    threads.Worker = class extends NodeWorker {
      constructor(...args: ConstructorParameters<typeof NodeWorker>) {
        super(...args);
        made.push(this);
      }
    };
  };
  afterEach(() => {
    threads.Worker = NodeWorker;
  });

  const spec = { nLayer: 2, dModel: 16, nHead: 2, nCtx: 16, nBatch: 2, learningRate: 0.01 };
  const request = { spec, data: { kind: 'markov' }, steps: 300, thread: 'worker' } as const;

  it('is replaced, and the records go on with the same bits and without a gap', async () => {
    const undisturbed: StepMetrics[] = [];
    await train({ ...request, onMetrics: (record) => undisturbed.push(record) }).finished;
    remember();
    const records: StepMetrics[] = [];
    let killed = false;
    const run = train({
      ...request,
      onMetrics: (record) => {
        records.push(record);
        if (record.step >= 20 && !killed) {
          killed = true;
          void made[0]!.terminate();
        }
      },
    });
    expect(await run.finished).toMatchObject([{ code: 'finished', step: 300 }]);
    expect(made.length).toBe(2);
    expect(records).toEqual(undisturbed);
  });

  it('that keeps getting lost is reported as such', async () => {
    remember();
    const run = train({ ...request, steps: 100_000 });
    await run.started;
    const killer = setInterval(() => void made.at(-1)?.terminate(), 50);
    const [verdict] = await run.finished;
    clearInterval(killer);
    expect(verdict).toMatchObject({ code: 'failed', error: { code: 'worker-lost' } });
    await expect(run.snapshot()).rejects.toMatchObject({ code: 'worker-lost' });
  });
});
