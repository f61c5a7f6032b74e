/** A plan with memory of its own on one device, its initial values in place. */
import type { Core, Engine } from './core.js';
import { CpuExecutor } from './cpu-executor.js';
import type { Executor } from './executor.js';
import { createGpuExecutor, type GpuExecutor } from './gpu-executor.js';
import { findTensor } from './plan.js';
import type { Phase, PlanInfo, TensorInfo } from './types.js';

export type Split = 'train' | 'held-out';

export interface LivePlan {
  readonly plan: PlanInfo;
  readonly executor: Executor;
  /** Draws the batch of the step in `control` into the input tensors. */
  drawBatch(split: Split): void | Promise<void>;
  free(): void;
}

/** In WASM memory. Owns `core` from here on. */
export function planOnWasm(engine: Engine, core: Core): LivePlan {
  const plan = core.describe();
  const executor = new CpuExecutor(engine, core);
  return { plan, executor, drawBatch: (split) => executor.beginStep(split), free: () => executor.free() };
}

/**
 * In GPU memory alone: the core holds the inputs of one step, no activations and no parameters. Owns `core` from here on.
 * Rejects as createGpuExecutor does.
 */
export async function planOnGpu(core: Core, phases?: Phase[]): Promise<LivePlan> {
  let executor: GpuExecutor | undefined;
  const free = (): void => {
    executor?.free();
    core.free();
  };
  try {
    const plan = core.describe();
    executor = await createGpuExecutor({ plan, ...(phases && { phases }) });
    await uploadInitialValues(core, plan, executor);
    return { plan, executor, drawBatch: batchDrawer(core, plan, executor), free };
  } catch (error) {
    free();
    throw error;
  }
}

/** Bytes that may wait for their upload; the browser holds a copy of each until then. */
const MAX_WAITING = 64 * 2 ** 20;

/** Tensor by tensor. New GPU memory holds zeros, so what starts at 0 costs nothing. */
async function uploadInitialValues(core: Core, plan: PlanInfo, executor: GpuExecutor): Promise<void> {
  let waiting = 0;
  for (const [index, tensor] of plan.tensors.entries()) {
    if (!STARTS_WITH_VALUES.includes(tensor.role)) continue;
    const values = core.initialValues(index, tensor.size);
    if (values.every((value) => value === 0)) continue;
    executor.write(tensor, values);
    waiting += values.byteLength;
    if (waiting < MAX_WAITING) continue;
    await executor.gpu.queue.onSubmittedWorkDone();
    waiting = 0;
  }
}

const STARTS_WITH_VALUES: TensorInfo['role'][] = ['parameter', 'state', 'constant', 'input'];

/** The core draws; the step that is due stands in the GPU's `control`, because a step that is not finite does not count. */
function batchDrawer(core: Core, plan: PlanInfo, executor: Executor): LivePlan['drawBatch'] {
  const inputs = plan.tensors.filter(({ role }) => role === 'input');
  return async (split) => {
    const [step] = await executor.read(findTensor(plan, 'control'));
    core.allocateInputs();
    core.setStep(step!);
    core.beginStep(split);
    await Promise.all(inputs.map((tensor) => executor.write(tensor, core.inputs(tensor.name))));
  };
}
