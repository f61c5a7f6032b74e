/**
 * One-shot calls: a planned op is kept for the next call of the same shape, so that a repeated call only copies in,
 * runs and copies out. On WASM everything after the start of the core happens in the caller's turn.
 */
import { checkOut } from './checks.js';
import { readyEngine, startEngine, type Engine } from './core.js';
import { CpuExecutor } from './cpu-executor.js';
import { NormscopeError } from './errors.js';
import type { Executor } from './executor.js';
import { gpuModule } from './gpu-module.js';
import { LruCache } from './lru-cache.js';
import { findTensor, hasTensor } from './plan.js';
import { paramLines } from './spec.js';
import type { DeviceWish, Phase, PlanInfo } from './types.js';
import { callWish, onWished } from './wish.js';

export interface OpCall {
  /** e.g. 'layernorm_forward' */
  op: string;
  params: Record<string, number | boolean>;
  /** By tensor name; an absent gamma counts as 1, any other absent input as 0. */
  inputs: Record<string, Float32Array | undefined>;
  phases: Phase[];
  /** Tensors to return; an array given here is filled and returned. */
  outputs: Record<string, Float32Array | undefined>;
  device?: DeviceWish;
}
export type OpResult = Record<string, Float32Array>;

interface PlannedOp {
  plan: PlanInfo;
  executor: Executor;
}

/** Kept arenas: 16 shapes, 64 MiB in all. */
const KEPT = { entries: 16, weight: 64 * 2 ** 20 };
const newCache = (): LruCache<PlannedOp> => new LruCache(KEPT, (planned) => planned.executor.free());
const cpuOps = new WeakMap<Engine, LruCache<PlannedOp>>();
const gpuOps = newCache();

/** Rejects where WebGPU was asked for by name and does not take the op; where it was only preferred, WASM does it then. */
export function runCoreOp(call: OpCall): Promise<OpResult> {
  const engine = readyEngine();
  if (!engine) return startAndRun(call);
  const wish = callWish(call.device);
  if (wish.device === 'wasm') return runOnCpu(engine, call);
  const own = { ...call, inputs: copyOf(call.inputs) };
  return onWished(wish, (device) => (device === 'webgpu' ? runOnGpu(engine, own) : runOnCpu(engine, own)));
}

/** The first call: what the caller does with its arrays while the core starts must not matter. */
async function startAndRun(call: OpCall): Promise<OpResult> {
  const inputs = copyOf(call.inputs);
  await startEngine();
  return runCoreOp({ ...call, inputs });
}

const copyOf = (inputs: OpCall['inputs']): OpCall['inputs'] =>
  Object.fromEntries(Object.entries(inputs).map(([name, data]) => [name, data?.slice()]));

/** Shapes, parameters and which inputs are absent. */
const keyOf = ({ op, params, inputs }: OpCall): string => {
  const absent = Object.keys(inputs).filter((name) => !inputs[name]);
  return `${op}\n${paramLines(params)}${absent.join(' ')}`;
};

/** A GPU executor is prepared for some phases only. */
const gpuKeyOf = (call: OpCall): string => `${call.phases.join(' ')}\n${keyOf(call)}`;

function planOf(engine: Engine, { op, params }: OpCall): PlanInfo {
  const core = engine.create(`op:${op}`, paramLines(params));
  try {
    return core.describe();
  } finally {
    core.free();
  }
}

/** Checks all, then starts every write at once; on the CPU they are done when this returns. */
function writeInputs({ plan, executor }: PlannedOp, inputs: OpCall['inputs']): Promise<unknown> {
  const given = Object.entries(inputs).filter((entry): entry is [string, Float32Array] => entry[1] !== undefined);
  const checked = given.map(([name, data]) => [findTensor(plan, name), data] as const);
  for (const [{ name, shape, size }, data] of checked) {
    if (data.length !== size)
      throw new NormscopeError(
        'bad-size',
        `${name} has the shape [${shape.join(', ')}], ${size} numbers, but got ${data.length}`,
      );
  }
  return Promise.all(checked.map(([tensor, data]) => executor.write(tensor, data)));
}

function writeDefaults({ plan, executor }: PlannedOp, { inputs }: OpCall): void | Promise<void> {
  if (inputs.gamma || !hasTensor(plan, 'gamma')) return;
  const gamma = findTensor(plan, 'gamma');
  return executor.write(gamma, new Float32Array(gamma.size).fill(1));
}

async function runOnCpu(engine: Engine, call: OpCall): Promise<OpResult> {
  const cache = cpuOps.get(engine) ?? newCache();
  cpuOps.set(engine, cache);
  const key = keyOf(call);
  const planned = cache.take(key) ?? planOnCpu(engine, call);
  const executor = planned.executor as CpuExecutor;
  try {
    void writeInputs(planned, call.inputs);
    executor.run(call.phases);
    const result: OpResult = {};
    for (const [name, into] of Object.entries(call.outputs))
      result[name] = executor.copy(findTensor(planned.plan, name), into);
    cache.put(key, planned, planned.plan.nFloat * 4);
    return result;
  } catch (error) {
    executor.free();
    throw error;
  }
}

function planOnCpu(engine: Engine, call: OpCall): PlannedOp {
  const core = engine.create(`op:${call.op}`, paramLines(call.params));
  const planned = { plan: core.describe(), executor: new CpuExecutor(engine, core) };
  void writeDefaults(planned, call);
  return planned;
}

/** The inputs are the call's own. A kept executor's device may be lost by now: then once more with a new one. */
async function runOnGpu(engine: Engine, call: OpCall): Promise<OpResult> {
  const kept = gpuOps.take(gpuKeyOf(call));
  if (!kept) return runPlanned(await planOnGpu(engine, call), call);
  try {
    return await runPlanned(kept, call);
  } catch (error) {
    if (!(error instanceof NormscopeError && error.code === 'device-lost')) throw error;
    return runPlanned(await planOnGpu(engine, call), call);
  }
}

/** Several calls of one shape may be under way at once: each then has an executor of its own. */
async function runPlanned(planned: PlannedOp, call: OpCall): Promise<OpResult> {
  const arrays = await computePlanned(planned, call).catch((error: unknown) => {
    planned.executor.free();
    throw error;
  });
  gpuOps.put(gpuKeyOf(call), planned, planned.plan.nFloat * 4);
  return Object.fromEntries(Object.entries(call.outputs).map(([name, out], i) => [name, deliver(arrays[i]!, out)]));
}

async function computePlanned(planned: PlannedOp, { inputs, phases, outputs }: OpCall): Promise<Float32Array[]> {
  const { plan, executor } = planned;
  await writeInputs(planned, inputs);
  await executor.run(phases);
  return Promise.all(Object.keys(outputs).map((name) => executor.read(findTensor(plan, name))));
}

/** Into the caller's array, which may have been transferred while the GPU worked. */
function deliver(result: Float32Array, out: Float32Array | undefined): Float32Array {
  if (!out) return result;
  checkOut(out, result.length)!.set(result);
  return out;
}

async function planOnGpu(engine: Engine, call: OpCall): Promise<PlannedOp> {
  const plan = planOf(engine, call);
  const { createGpuExecutor } = await gpuModule(import('./gpu-executor.js'));
  const planned = { plan, executor: await createGpuExecutor({ plan, phases: call.phases }) };
  await writeDefaults(planned, call);
  return planned;
}
