/** A plan with memory of its own on one device, its initial values in place. */
import type { Core, Engine } from './core.js';
import { CpuExecutor } from './cpu-executor.js';
import type { Executor } from './executor.js';
import type { GpuExecutor } from './gpu-executor.js';
import { drawnInputs, uploadInitialValues } from './gpu-inputs.js';
import { gpuModule } from './gpu-module.js';
import { findTensor } from './plan.js';
import type { Phase, PlanInfo } from './types.js';

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
    const { createGpuExecutor } = await gpuModule(import('./gpu-executor.js'));
    executor = await createGpuExecutor({ plan, ...(phases && { phases }) });
    await uploadInitialValues(core, plan, executor);
    return { plan, executor, drawBatch: batchDrawer(core, plan, executor), free };
  } catch (error) {
    free();
    throw error;
  }
}

/** The core draws; the step that is due stands in the GPU's `control`, because a step that is not finite does not count. */
function batchDrawer(core: Core, plan: PlanInfo, executor: Executor): LivePlan['drawBatch'] {
  const inputs = drawnInputs(plan);
  return async (split) => {
    const [step] = await executor.read(findTensor(plan, 'control'));
    core.allocateInputs();
    core.setStep(step!);
    core.beginStep(split);
    await Promise.all(inputs.map((tensor) => executor.write(tensor, core.inputs(tensor.name))));
  };
}
