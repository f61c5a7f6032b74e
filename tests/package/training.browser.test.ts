import { train } from 'normscope';
import { afterEach, describe, expect, it } from 'vitest';
import { describeTrainingCalls } from './training-calls.js';
import { describeTraining } from './training-promises.js';

describeTraining('worker');
describeTraining('inline');
describeTrainingCalls('worker');
describeTrainingCalls('inline');

const PageWorker = globalThis.Worker;
const request = {
  spec: { nLayer: 1, dModel: 8, nHead: 2, nCtx: 8, nBatch: 2 },
  data: { kind: 'markov' },
  steps: 20,
} as const;

describe('where pages refuse workers', () => {
  afterEach(() => {
    globalThis.Worker = PageWorker;
  });

  /** Workers can only be made from addresses of these kinds; the rest is refused at once, or late by an error event. */
  function allow(schemes: string[], late = false): string[] {
    const asked: string[] = [];
    globalThis.Worker = class extends PageWorker {
      constructor(url: string | URL, options?: WorkerOptions) {
        const scheme = String(url).split(':')[0]!;
        const allowed = schemes.includes(scheme);
        asked.push(scheme);
        if (!allowed && !late) throw new DOMException('refused by the page', 'SecurityError');
        super(allowed ? url : 'data:text/javascript,throw new Error("refused late")', options);
      }
    };
    return asked;
  }

  const trainOnce = async (): Promise<string> => {
    const run = train(request);
    const [info] = await run.started;
    expect(await run.finished).toMatchObject([{ code: 'finished', step: 20 }]);
    return info!.thread;
  };

  it('takes the address itself when that is allowed', async () => {
    const asked = allow(['http']);
    expect(await trainOnce()).toBe('worker');
    expect(asked).toEqual(['http']);
  });

  it('falls back to a blob, then to a data address, and remembers what worked', async () => {
    expect(allow(['blob']) && (await trainOnce())).toBe('worker');
    const asked = allow(['data'], true);
    expect(await trainOnce()).toBe('worker');
    expect(asked.sort()).toEqual(['blob', 'data', 'http']);
    asked.length = 0;
    expect(await trainOnce()).toBe('worker');
    expect(asked).toEqual(['data']);
  });

  it('falls back to slices of the page’s own thread', async () => {
    allow([]);
    expect(await trainOnce()).toBe('inline');
    await expect(train({ ...request, thread: 'worker' }).started).rejects.toMatchObject({
      code: 'worker-refused',
      message: expect.stringMatching(/^no worker.*url: refused by the page/),
    });
  });

  it('replaces a worker that reports its own end', async () => {
    const made: Worker[] = [];
    globalThis.Worker = class extends PageWorker {
      constructor(url: string | URL, options?: WorkerOptions) {
        super(url, options);
        made.push(this);
      }
    };
    const steps: number[] = [];
    const run = train({
      ...request,
      steps: 200,
      onMetrics: ({ step }) => {
        if (steps.push(step) === 20) made[0]!.dispatchEvent(new ErrorEvent('error', { message: 'out of memory' }));
      },
    });
    expect(await run.finished).toMatchObject([{ code: 'finished', step: 200 }]);
    expect(made.length).toBe(2);
    expect(steps).toEqual(Array.from({ length: 200 }, (_, i) => i + 1));
  });
});

describe('a page that draws', () => {
  it('is not held up by training on its own thread', async () => {
    const run = train({ ...request, steps: 100_000, thread: 'inline' });
    await run.started;
    let frames = 0;
    const end = performance.now() + 500;
    while (performance.now() < end) {
      await new Promise(requestAnimationFrame);
      frames += 1;
    }
    await run.stop();
    expect(frames).toBeGreaterThan(5);
  });
});
