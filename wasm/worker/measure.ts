/** How fast these very runs are, on the GPU and by this thread's core: what `device: 'auto'` decides by. */
import type { Engine } from '../runtime/core.js';
import type { GpuReady } from '../runtime/gpu-device.js';
import { planKey } from '../runtime/spec.js';
import type { TrainingData } from '../runtime/types.js';
import { GpuRuns } from './gpu-runs.js';
import type { RunPlan } from './protocol.js';
import { RunState } from './run-state.js';
import { nextTurn } from './turns.js';

/** Milliseconds that each side is timed for, after a start that does not count. */
const TIMED = 400;

/** Steps of all runs together in a second. Rejects as opening the runs on the GPU does. */
export async function measure(
  engine: Engine,
  { device }: GpuReady,
  plans: RunPlan[],
  data: TrainingData,
): Promise<{ wasm: number; webgpu: number }> {
  const webgpu = await stepsOnGpu(engine, device, plans, data);
  return { wasm: plans.length / (await secondsHere(engine, plans, data)), webgpu: plans.length * webgpu };
}

async function stepsOnGpu(engine: Engine, device: GPUDevice, plans: RunPlan[], data: TrainingData): Promise<number> {
  const onLost = (): void => {}; // `turn` rejects as well
  const runs = await GpuRuns.open({ engine, device, plans, data, nStep: Infinity, keeps: false, onLost });
  try {
    await takeStepsFor(runs, TIMED / 2);
    return await takeStepsFor(runs, TIMED);
  } finally {
    runs.free();
  }
}

/** Steps a second over at least one arrival. */
async function takeStepsFor(runs: GpuRuns, milliseconds: number): Promise<number> {
  const [begin, from] = [performance.now(), runs.arrived];
  while (performance.now() - begin < milliseconds || runs.arrived === from) {
    runs.slice(Infinity);
    await runs.turn();
  }
  return ((runs.arrived - from) * 1000) / (performance.now() - begin);
}

/** Seconds that a step of every run takes one after the other; runs of one shape take the same. */
async function secondsHere(engine: Engine, plans: RunPlan[], data: TrainingData): Promise<number> {
  const shapeOf = ({ spec }: RunPlan): string => planKey(engine.ownFields, spec);
  const byShape = new Map(plans.map((plan) => [shapeOf(plan), plan]));
  let sum = 0;
  for (const [shape, plan] of byShape) {
    const seconds = await secondsOf(engine, plan, data, TIMED / byShape.size);
    sum += seconds * plans.filter((each) => shapeOf(each) === shape).length;
  }
  return sum;
}

/** The fastest step: what another process takes away says nothing about this one. */
async function secondsOf(engine: Engine, plan: RunPlan, data: TrainingData, milliseconds: number): Promise<number> {
  const state = new RunState(engine, { run: plan.run, spec: plan.spec }, data);
  const begin = performance.now();
  let fastest = Infinity;
  try {
    do {
      const start = performance.now();
      state.takeStep(Infinity);
      fastest = Math.min(fastest, performance.now() - start);
      await nextTurn();
    } while (performance.now() - begin < milliseconds && !state.verdict);
  } finally {
    state.free();
  }
  return Math.max(fastest, 0.001) / 1000;
}
