/** What the core gives a plan whose memory is the GPU's: initial values once, and the inputs of every step. */
import type { Core } from './core.js';
import type { GpuExecutor } from './gpu-executor.js';
import type { PlanInfo, TensorInfo } from './types.js';

/** Bytes that may wait for their upload; the browser holds a copy of each until then. */
const MAX_WAITING = 64 * 2 ** 20;

/** Roles whose tensors do not start at 0 or as leftovers of a step. */
const STARTS_WITH_VALUES: TensorInfo['role'][] = ['parameter', 'state', 'constant', 'input'];

/** Tensor by tensor. New GPU memory holds zeros, so what starts at 0 costs nothing. */
export async function uploadInitialValues(core: Core, plan: PlanInfo, executor: GpuExecutor): Promise<void> {
  let waiting = 0;
  for (const [index, tensor] of plan.tensors.entries()) {
    if (!STARTS_WITH_VALUES.includes(tensor.role)) continue;
    const values = core.initialValues(index, tensor.size);
    if (values.every((value) => value === 0)) continue;
    void executor.write(tensor, values);
    waiting += values.byteLength;
    if (waiting < MAX_WAITING) continue;
    await executor.gpu.queue.onSubmittedWorkDone();
    waiting = 0;
  }
}

/** The inputs that a step draws anew; the seed stays. */
export const drawnInputs = (plan: PlanInfo): TensorInfo[] =>
  plan.tensors.filter(({ role, name }) => role === 'input' && name !== 'seed');
