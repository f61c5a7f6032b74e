/** Where a model runs: as its caller wishes, or where it was timed to run faster. */
import { startEngine, type Core, type Engine } from './core.js';
import { findAdapter, requestGpu } from './gpu-device.js';
import { planOnGpu, planOnWasm, type LivePlan } from './live-plan.js';
import { faster, stepsPerSecond, type StepsPerSecond } from './measure.js';
import { findTensor } from './plan.js';
import type { DeviceChoice, DeviceWish, Phase } from './types.js';
import { gpuFailure, type Wish } from './wish.js';

/** What the core plans: its kind, its spec or parameters, and its data, as lines. */
export interface Planned {
  kind: 'model' | 'block' | `op:${string}`;
  lines: string;
  data?: string;
  /** The phases that will be run; default: all. */
  phases?: Phase[];
}

export interface Chosen {
  live: LivePlan;
  choice: DeviceChoice;
}

/**
 * Plans, and finds memory and a device for it. Rejects where the plan is wrong, and where a call asked for WebGPU by name
 * and it does not take the plan; otherwise WASM takes it, and the choice says why.
 */
export async function openPlan(planned: Planned, { device, strict }: Wish<DeviceWish>): Promise<Chosen> {
  const engine = await startEngine();
  if (device === 'wasm') return onWasm(engine, planned);
  engine.create(planned.kind, planned.lines, planned.data).free(); // a wrong spec is refused before a GPU is looked for
  try {
    return device === 'webgpu' ? await onGpu(engine, planned) : await onFaster(engine, planned);
  } catch (error) {
    const reason = gpuFailure(error);
    if (!reason || (strict && device === 'webgpu')) throw error;
    return onWasm(engine, planned, { reason, message: (error as Error).message, adapter: await adapterName() });
  }
}

async function onFaster(engine: Engine, planned: Planned): Promise<Chosen> {
  const found = await findAdapter();
  if (found.state !== 'ready') return onWasm(engine, planned, { reason: 'no-webgpu', message: found.reason });
  const adapter = found.name;
  if (found.fallback) return onWasm(engine, planned, { reason: 'software-adapter', adapter });
  const rates = await measured(engine, planned);
  const choice = { reason: 'measured', stepsPerSecond: rates, adapter } as const;
  return faster(rates) === 'webgpu' ? onGpu(engine, planned, choice) : onWasm(engine, planned, choice);
}

function onWasm(engine: Engine, { kind, lines, data }: Planned, why: Partial<DeviceChoice> = {}): Chosen {
  const live = planOnWasm(engine, engine.create(kind, lines, data));
  return { live, choice: { device: 'wasm', reason: 'asked', adapter: null, message: null, ...why } };
}

async function onGpu(
  engine: Engine,
  { kind, lines, data, phases }: Planned,
  why: Partial<DeviceChoice> = {},
): Promise<Chosen> {
  const live = await planOnGpu(engine.create(kind, lines, data), phases);
  const adapter = await adapterName();
  return { live, choice: { device: 'webgpu', reason: 'asked', adapter, message: null, ...why } };
}

async function adapterName(): Promise<string | null> {
  const gpu = await requestGpu();
  return gpu.state === 'ready' ? gpu.adapter : null;
}

/** By plan; timings stay good for as long as the page lives. */
const timings = new Map<string, Promise<StepsPerSecond>>();

function measured(engine: Engine, planned: Planned): Promise<StepsPerSecond> {
  const key = planned.lines + planned.data;
  const known = timings.get(key);
  if (known) return known;
  const rates = measure(engine, planned);
  timings.set(key, rates);
  rates.catch(() => timings.delete(key));
  return rates;
}

/** On plans of their own, so that whatever the steps change goes with them. What is too large for WASM has no rate there. */
async function measure(engine: Engine, { kind, lines, data }: Planned): Promise<StepsPerSecond> {
  const create = (): Core => engine.create(kind, lines, data);
  const webgpu = await rateOf(await planOnGpu(create()));
  let onCpu: LivePlan;
  try {
    onCpu = planOnWasm(engine, create());
  } catch {
    return { webgpu, wasm: 0 };
  }
  return { webgpu, wasm: await rateOf(onCpu) };
}

/** Steps in a second, with the loss of the last one read at the end of each round. */
async function rateOf({ plan, executor, free }: LivePlan): Promise<number> {
  const loss = findTensor(plan, 'loss');
  const run = async (steps: number): Promise<void> => {
    for (let step = 0; step < steps; ++step) await executor.run(['forward', 'backward', 'update']);
    await executor.read(loss);
  };
  try {
    return await stepsPerSecond({ run });
  } finally {
    free();
  }
}
