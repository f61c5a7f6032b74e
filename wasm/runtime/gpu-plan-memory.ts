import { bindingAlignment, layoutArena, requireLimit, type TensorRange } from './gpu-layout.js';
import { bufferUsage, createBuffer, destroyBuffer } from './gpu-memory.js';
import { checked } from './gpu-pipelines.js';
import type { Phase, PlanInfo } from './types.js';

/** The parameters of all dispatches in one uniform buffer, a slot of 256 bytes each; equal ones share a slot. */
export class ParamSlots {
  private readonly slots = new Map<string, number>();
  /** The buffer, once uploaded. */
  readonly buffers: GPUBuffer[] = [];

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
    const buffer = createBuffer(this.device, 'params', words.byteLength, bufferUsage.uniform | bufferUsage.copyTarget);
    this.buffers.push(buffer);
    this.device.queue.writeBuffer(buffer, 0, words);
  }

  binding(params: readonly number[]): GPUBufferBinding {
    return {
      buffer: this.buffers[0]!,
      offset: this.slots.get(params.join())! * bindingAlignment,
      size: bindingAlignment,
    };
  }
}

/** The GPU memory of one plan. */
export interface PlanMemory {
  device: GPUDevice;
  buffers: GPUBuffer[];
  /** Index as in plan.tensors. */
  ranges: TensorRange[];
  params: ParamSlots;
  /** For partial results between two passes of a dispatch; null when no dispatch needs it. */
  scratch: GPUBuffer | null;
  /** Bytes of all buffers. */
  readonly bytes: number;
  free(): void;
}

/**
 * Makes the buffers of a plan, among them one of `scratchFloats`; rejects with 'too-large' (naming the tensor) or
 * 'out-of-memory'.
 */
export async function allocatePlan(
  plan: PlanInfo,
  phases: readonly Phase[],
  device: GPUDevice,
  scratchFloats: number,
): Promise<PlanMemory> {
  const { bufferSizes, ranges } = layoutArena(plan.tensors, device.limits);
  requireLimit('scratch', scratchFloats * 4, device.limits.maxStorageBufferBindingSize, 'one binding');
  const usage = bufferUsage.storage | bufferUsage.copySource | bufferUsage.copyTarget;
  const buffers: GPUBuffer[] = [];
  const params = new ParamSlots(device, plan, phases);
  const scratch: GPUBuffer[] = [];
  const all = () => [...buffers, ...scratch, ...params.buffers];
  const free = () => {
    all().forEach(destroyBuffer);
    for (const list of [buffers, scratch, params.buffers]) list.length = 0;
  };
  try {
    await checked(device, `the tensors of the plan (${bufferSizes.reduce((a, b) => a + b, 0)} bytes)`, () => {
      for (const size of bufferSizes) buffers.push(createBuffer(device, 'arena', size, usage));
      if (scratchFloats > 0) scratch.push(createBuffer(device, 'scratch', scratchFloats * 4, usage));
      params.upload();
    });
  } catch (error) {
    free();
    throw error;
  }
  const bytes = all().reduce((sum, { size }) => sum + size, 0);
  return { device, buffers, ranges, params, scratch: scratch[0] ?? null, bytes, free };
}
