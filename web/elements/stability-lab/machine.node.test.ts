import type { DeviceChoice, RunInfo, RunNotice, StepMetrics, trainAll } from 'normscope';
import { describe, expect, test } from 'vitest';
import { lab } from '../../locales/lab.js';
import { bytesOnGpu, machineGroups, parseWish, plannedBytes } from './machine.js';
import { reasonText } from './machine-view.js';
import { RunRecord } from './metric-store.js';
import { noticeText } from './notices-view.js';
import { Pace } from './pace.js';
import { TrainingLab } from './training-lab.js';

const GPU: DeviceChoice = { device: 'webgpu', reason: 'asked', adapter: 'a gpu', message: null };
const CORE: DeviceChoice = { device: 'wasm', reason: 'out-of-memory', adapter: 'a gpu', message: 'no room' };

function info(run: string, placement: string, seed: number, choice = GPU): RunInfo {
  const dataset = { kind: 'markov' as const, nVocab: 9, uniformLoss: 2, unigramLoss: 2, bestLoss: 1 };
  return {
    run,
    spec: { placement, seed, n_layer: 1, n_batch: 2, n_ctx: 8, norm_output: placement === 'peri-ln' },
    dataset: { ...dataset, symbols: [], nToken: 0 },
    points: ['resid_embedding'],
    groups: [],
    nParameter: 100,
    device: choice.device,
    thread: 'worker',
    choice,
    gpuBytes: choice.device === 'webgpu' ? 1000 : 0,
  };
}

const record = (...given: Parameters<typeof info>) =>
  new RunRecord(info(...given), { placement: given[1], seed: given[2] });

const lost: RunNotice = {
  code: 'device-lost',
  runs: ['a', 'b'],
  device: 'webgpu',
  choice: GPU,
  fromStep: 100,
  lastStep: 120,
  message: 'the driver was reset',
};
const fallback: RunNotice = { ...lost, code: 'gpu-fallback', device: 'wasm', choice: CORE };

describe('where runs compute', () => {
  test('a name that is no device’s leaves the choice to the package', () => {
    expect([' WebGPU', 'wasm', 'cuda', '', null].map(parseWish)).toEqual(['webgpu', 'wasm', 'auto', 'auto', 'auto']);
  });

  test('runs are told apart by place and reason', () => {
    const records = [record('a', 'pre-ln', 1), record('b', 'keel', 1, CORE), record('c', 'peri-ln', 1)];
    expect(machineGroups(records).map(({ records }) => records.map(({ placement }) => placement))).toEqual([
      ['pre-ln', 'peri-ln'],
      ['keel'],
    ]);
  });

  test('the bytes of a plan count once, however many seeds share it', () => {
    const seeds = [1, 2, 3].flatMap((seed) => [
      record(`a${seed}`, 'pre-ln', seed),
      record(`b${seed}`, 'peri-ln', seed),
    ]);
    expect(bytesOnGpu(seeds)).toBe(2000);
    expect(bytesOnGpu([record('a', 'pre-ln', 1), record('b', 'pre-ln', 2, CORE)])).toBe(1000);
  });

  test.each(['en', 'ko'] as const)('every reason has words (%s)', (language) => {
    const say = (choice: Partial<DeviceChoice>) => reasonText(lab[language], language, { ...GPU, ...choice });
    const reasons = Object.keys(lab[language].machine.reasons) as DeviceChoice['reason'][];
    expect(new Set(reasons.map((reason) => say({ reason }))).size).toBe(8);
    const measured = say({ reason: 'measured', stepsPerSecond: { wasm: 83.24, webgpu: 1812 } });
    expect(measured.match(/[\d.,]*\d/g)!.sort()).toEqual(['1,810', '83']);
    expect(measured).toContain('WebAssembly');
  });

  test('memory is planned once per placement and counts every seed', async () => {
    const spec = { nLayer: 1, dModel: 8, nHead: 1, nBatch: 1, nCtx: 8 };
    const run = (seed: number) => ({
      placement: 'pre-ln',
      seed,
      spec: { ...spec, placement: 'pre-ln' as const, seed },
    });
    const one = await plannedBytes([run(1)], { kind: 'markov' });
    expect(one).toBeGreaterThan(10_000);
    expect(await plannedBytes([run(1), run(2), run(3)], { kind: 'markov' })).toBe(3 * one);
  });
});

describe('messages about the machine', () => {
  const records = [record('a', 'pre-ln', 1), record('b', 'peri-ln', 1)];
  const say = (notice: RunNotice, language: 'en' | 'ko' = 'en') =>
    noticeText({ text: lab[language], language, records }, notice);

  test('say what happened, where it goes on and how many steps are computed again', () => {
    expect(say(lost)).toBe(
      'The GPU was lost. Training goes on with a new WebGPU device. Steps 101 to 120 are computed again (20 steps).',
    );
    expect(say(fallback)).toContain('the GPU’s memory was not enough');
    expect(say(fallback)).toContain('goes on with WebAssembly');
    expect(say({ ...lost, code: 'worker-lost', fromStep: 119 })).toContain('Step 120 is computed again.');
    expect(say({ ...lost, fromStep: 120 })).toContain(lab.en.notices.noneAgain);
    expect(say({ ...fallback, fromStep: 0, lastStep: 0 })).not.toMatch(/again|goes on/);
  });

  test('name the placements when they are not about all runs, in the reader’s language', () => {
    expect(say({ ...lost, runs: ['b'] }, 'ko')).toBe(
      'Peri-LN: GPU와 연결이 끊겼습니다. 새 WebGPU 장치에서 학습을 계속합니다. 101~120스텝을 다시 계산합니다(20스텝).',
    );
  });

  test('are kept in order, and a run’s place follows them', async () => {
    let onNotice: (notice: RunNotice) => void = () => {};
    let onMetrics: (metrics: StepMetrics) => void = () => {};
    const train = ((request: Parameters<typeof trainAll>[0]) => {
      onNotice = request.onNotice!;
      onMetrics = request.onMetrics!;
      onNotice({ ...lost, fromStep: 0, lastStep: 0 });
      const started = Promise.resolve([info('a', 'pre-ln', 1), info('b', 'peri-ln', 1)]);
      return { started, finished: new Promise(() => {}), verdict: [], stop: () => Promise.resolve() };
    }) as unknown as typeof trainAll;
    const heard: string[] = [];
    const events = { onPhase: () => {}, onData: () => {}, onNotice: ({ code }: RunNotice) => heard.push(code) };
    const training = new TrainingLab(events, train);
    const runs = ['pre-ln', 'peri-ln'].map((placement) => ({ placement, seed: 1, spec: {} }));
    await training.start({ runs, data: { kind: 'markov' }, steps: 9, device: 'webgpu' });
    onNotice({ ...fallback, runs: ['b'] });
    onMetrics({ run: 'b', step: 1, maxAbs: new Float32Array(1) } as StepMetrics);
    expect(heard).toEqual(['device-lost', 'gpu-fallback']);
    expect(training.notices.map(({ code }) => code)).toEqual(heard);
    expect(training.records.map(({ choice }) => choice.device)).toEqual(['webgpu', 'wasm']);
    expect(training.records.map(({ gpuBytes }) => gpuBytes)).toEqual([1000, 0]);
    training.reset();
    expect(training.notices).toEqual([]);
  });
});

describe('speed', () => {
  test('a reading stays for a moment and then follows the last seconds', () => {
    const pace = new Pace();
    for (let step = 0; step <= 10; step += 1) pace.mark(step, step * 100);
    const early = pace.perSecond;
    expect(early).toBeCloseTo(10, 6);
    for (let step = 1; step <= 100; step += 1) pace.mark(10 + step, 1000 + step * 3);
    expect(pace.perSecond).toBe(early);
    for (let step = 1; step <= 1000; step += 1) pace.mark(110 + step, 1300 + step * 10);
    expect(pace.perSecond).toBeCloseTo(100, 6);
  });

  test('steps that a GPU delivers at once do not look like an endless speed', () => {
    const pace = new Pace();
    for (let burst = 0; burst < 40; burst += 1)
      for (let step = 1; step <= 50; step += 1) pace.mark(burst * 50 + step, burst * 250);
    expect(pace.perSecond).toBeGreaterThan(180);
    expect(pace.perSecond).toBeLessThan(220);
  });

  test('the mean leaves pauses out', () => {
    const pace = new Pace();
    expect(pace.mean).toBeNaN();
    pace.mark(0, 0);
    pace.mark(10, 1000);
    pace.reset();
    pace.mark(10, 60_000);
    pace.mark(20, 61_000);
    expect(pace.mean).toBeCloseTo(10, 6);
  });
});
