import { bindingAlignment, layoutArena, type TensorRange } from './gpu-layout.js';
import { bufferUsage, createBuffer, destroyBuffer } from './gpu-memory.js';
import { checked } from './gpu-pipelines.js';
import type { Phase, PlanInfo } from './types.js';

/** The parameters of all dispatches in one uniform buffer, a slot of 256 bytes each; equal ones share a slot. */
export class ParamSlots {
  private readonly slots = new Map<string, number>();
  private buffer: GPUBuffer | undefined;

  constructor(
    private readonly device: GPUDevice,
    plan: PlanInfo,
    phases: readonly Phase[],
  ) {
    for (const phase of phases)
      for (const { params } of plan.phases[phase]) {
        const key = params.join();
        if (!this.slots.has(key)) this.slots.set(key, this.slots.size);
      }
  }

  upload(): void {
    if (this.slots.size === 0) return;
    const words = new Uint32Array((this.slots.size * bindingAlignment) / 4);
    for (const [key, slot] of this.slots) words.set(key.split(',').map(Number), (slot * bindingAlignment) / 4);
    this.buffer = createBuffer(this.device, 'params', words.byteLength, bufferUsage.uniform | bufferUsage.copyTarget);
    this.device.queue.writeBuffer(this.buffer, 0, words);
  }

  binding(params: readonly number[]): GPUBufferBinding {
    return { buffer: this.buffer!, offset: this.slots.get(params.join())! * bindingAlignment, size: bindingAlignment };
  }

  /** Hands out the buffer for destruction. */
  release(): GPUBuffer[] {
    const buffers = this.buffer ? [this.buffer] : [];
    this.buffer = undefined;
    return buffers;
  }
}

/** The GPU memory of one plan. */
export interface PlanMemory {
  device: GPUDevice;
  buffers: GPUBuffer[];
  /** Index as in plan.tensors. */
  ranges: TensorRange[];
  params: ParamSlots;
  free(): void;
}

/** Makes the buffers of a plan; rejects with 'too-large' (naming the tensor) or 'out-of-memory'. */
export async function allocatePlan(plan: PlanInfo, phases: readonly Phase[], device: GPUDevice): Promise<PlanMemory> {
  const { bufferSizes, ranges } = layoutArena(plan.tensors, device.limits);
  const usage = bufferUsage.storage | bufferUsage.copySource | bufferUsage.copyTarget;
  const buffers: GPUBuffer[] = [];
  const params = new ParamSlots(device, plan, phases);
  const free = () => [...buffers.splice(0), ...params.release()].forEach(destroyBuffer);
  try {
    await checked(device, `the tensors of the plan (${bufferSizes.reduce((a, b) => a + b, 0)} bytes)`, () => {
      for (const size of bufferSizes) buffers.push(createBuffer(device, 'arena', size, usage));
      params.upload();
    });
  } catch (error) {
    free();
    throw error;
  }
  return { device, buffers, ranges, params, free };
}
