/** Workers that are lost at awkward moments: nothing that was shown is taken back, nothing is left behind. */
import { createSession, type ModelSpec, train, trainAll } from 'normscope';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Worker } from 'node:worker_threads';

const threads = process.getBuiltinModule('node:worker_threads');
const NodeWorker = threads.Worker;
const spec: ModelSpec = { nLayer: 2, dModel: 16, nHead: 2, nCtx: 16, nBatch: 2, learningRate: 0.01 };
const data = { kind: 'markov' } as const;
const request = { spec, data, steps: 1000, thread: 'worker' } as const;
const pause = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds));

const made: Worker[] = [];
/** Milliseconds by which the messages of each new worker are held back. */
let delays: number[] = [];
const living = (): number => made.filter(({ threadId }) => threadId !== -1).length;

beforeEach(() => {
  made.length = 0;
  delays = [];
  threads.Worker = class extends NodeWorker {
    constructor(...args: ConstructorParameters<typeof NodeWorker>) {
      super(...args);
      made.push(this);
      const delay = delays.shift();
      if (delay === undefined) return;
      const on = this.on.bind(this) as (name: string, listener: (...args: unknown[]) => void) => this;
      this.on = ((name: string, listener: (...args: unknown[]) => void) =>
        on(name, name === 'message' ? (...args) => setTimeout(listener, delay, ...args) : listener)) as never;
    }
  };
});
afterEach(() => {
  threads.Worker = NodeWorker;
  vi.unstubAllGlobals();
});

describe('a worker that is lost', () => {
  it.each([0, 2, 20, 60])('does not lose a stop that comes %i ms later', async (milliseconds) => {
    const run = train({ ...request, steps: 1_000_000 });
    await run.started;
    await pause(60);
    void made[0]!.terminate();
    await pause(milliseconds);
    await run.stop();
    const [verdict] = await run.finished;
    expect(verdict).toMatchObject({ code: 'stopped' });
    expect((await run.snapshot())[0]!.step).toBe(verdict!.step);
    await vi.waitFor(() => expect(living()).toBe(0));
  });

  it('does not lose an abort', async () => {
    const controller = new AbortController();
    const run = train({ ...request, steps: 1_000_000, signal: controller.signal });
    await run.started;
    void made[0]!.terminate();
    await pause(2);
    controller.abort();
    expect(await run.finished).toMatchObject([{ code: 'stopped' }]);
  });

  it.each([0, 150])('while paused gives back the same step and bits, after %i ms too', async (milliseconds) => {
    const run = train({ ...request, paused: true });
    await run.step({ n: 15 });
    await pause(milliseconds);
    await run.step({ n: 5 });
    const [before] = await run.snapshot();
    void made[0]!.terminate();
    await pause(10);
    expect(run.verdict[0]!.step).toBe(20);
    const [after] = await run.snapshot();
    expect(after).toEqual(before);
    await run.step({ n: 2 });
    expect((await run.snapshot())[0]!.step).toBe(22);
    await run.stop();
    expect(await run.finished).toMatchObject([{ code: 'stopped', step: 22 }]);
    expect(made.length).toBe(2);
  });

  it('while a snapshot is on its way still gives it', async () => {
    const run = train({ ...request, paused: true });
    await run.step({ n: 5 });
    const taken = run.snapshot();
    void made[0]!.terminate();
    expect((await taken)[0]!.step).toBe(5);
    await run.stop();
  });

  it('keeps the last snapshot of a run that had ended', async () => {
    vi.stubGlobal('navigator', { hardwareConcurrency: 1 });
    const wild: ModelSpec = { ...spec, placement: 'none', normFinal: false, format: 'fp16', learningRate: 100 };
    const run = trainAll({ specs: [wild, spec], data, steps: 1000, thread: 'worker', paused: true });
    await run.step({ n: 40 });
    const [ended] = run.verdict;
    expect(['overflow', 'non-finite']).toContain(ended!.code);
    const before = await run.snapshot();
    void made[0]!.terminate();
    await pause(10);
    await run.step();
    const [first, second] = await run.snapshot();
    expect(first).toEqual(before[0]);
    expect(second!.step).toBe(41);
    await run.stop();
    expect((await run.snapshot())[0]).toEqual(before[0]);
    expect(made.length).toBe(2);
  });

  it('after all its runs ended is not missed', async () => {
    const run = train({ ...request, steps: 5 });
    await run.finished;
    void made[0]!.terminate();
    await pause(10);
    expect((await run.snapshot())[0]!.step).toBe(5);
    expect(made.length).toBe(1);
  });
});

describe('a start that fails', () => {
  it('leaves no worker of a sibling behind', async () => {
    vi.stubGlobal('navigator', { hardwareConcurrency: 2 });
    delays = [0, 150];
    const bad: ModelSpec = { ...spec, nHead: 3 };
    const run = trainAll({ specs: [bad, spec], data, steps: 10, thread: 'worker' });
    await expect(run.started).rejects.toMatchObject({ code: 'bad-spec' });
    expect(await run.finished).toMatchObject([{ code: 'failed' }, { code: 'failed' }]);
    await vi.waitFor(() => expect(made.length === 2 && living()).toBe(0), { timeout: 3000 });
  });
});

describe('the snapshots of a stopped group', () => {
  it('are those of a session at the same step', async () => {
    const run = train({ ...request, paused: true });
    await run.step({ n: 4 });
    await run.stop();
    const [snapshot] = await run.snapshot();
    using session = await createSession({ spec, data });
    for (let n = 0; n < 4; ++n) {
      await session.nextBatch();
      await session.run({ phases: ['forward', 'backward', 'update'] });
    }
    expect((await session.snapshot()).tensors).toEqual(snapshot!.tensors);
  });
});
