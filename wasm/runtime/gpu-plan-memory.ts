import { bindingAlignment, requireLimit, type ArenaLayout, type TensorRange } from './gpu-layout.js';
import { bufferUsage, createBuffer, destroyBuffer } from './gpu-memory.js';
import { checked } from './gpu-pipelines.js';
import type { Job } from './gpu-schedule.js';

type Words = readonly number[] | Uint32Array;

/** Lists of words in one buffer, each at an offset that can be bound; equal ones lie there once. */
export class Tables {
  private readonly places = new Map<string, { offset: number; size: number }>();
  private readonly words: number[] = [];
  private buffer: GPUBuffer | undefined;

  /** `usage`: how the buffer is bound. One buffer cannot be a uniform and writable in the same dispatch. */
  constructor(private readonly usage: number) {}

  /** `size`: bytes to bind, at least those of the words. */
  add(words: Words, size: number): void {
    const key = words.join();
    if (this.places.has(key)) return;
    this.places.set(key, { offset: this.words.length * 4, size });
    const padded = (Math.ceil(size / bindingAlignment) * bindingAlignment) / 4;
    for (let i = 0; i < padded; i += 1) this.words.push(words[i] ?? 0);
  }

  get bytes(): number {
    return this.words.length * 4;
  }

  upload(device: GPUDevice): GPUBuffer {
    this.buffer = createBuffer(device, 'tables', this.bytes, this.usage | bufferUsage.copyTarget);
    device.queue.writeBuffer(this.buffer, 0, Uint32Array.from(this.words));
    return this.buffer;
  }

  binding(words: Words): GPUBufferBinding {
    return { buffer: this.buffer!, ...this.places.get(words.join())! };
  }
}

/** The GPU memory of one plan. */
export interface PlanMemory {
  device: GPUDevice;
  buffers: GPUBuffer[];
  /** Index as in plan.tensors. */
  ranges: TensorRange[];
  /** Parameters of single dispatches, tables of batches. */
  params: Tables;
  items: Tables;
  /** For partial results between two passes of a dispatch; null when no dispatch needs it. */
  scratch: GPUBuffer | null;
  /** Bytes of all buffers. */
  readonly bytes: number;
  free(): void;
}

/**
 * Makes the buffers for a layout and its jobs; rejects with 'too-large' (naming what exceeds a limit) or 'out-of-memory'.
 */
export async function allocatePlan(
  { bufferSizes, ranges }: ArenaLayout,
  jobs: readonly Job[],
  device: GPUDevice,
): Promise<PlanMemory> {
  const params = new Tables(bufferUsage.uniform);
  const items = new Tables(bufferUsage.storage);
  for (const job of jobs) {
    params.add(job.dispatches[0].params, bindingAlignment);
    if (job.items) items.add(job.items, job.items.byteLength);
  }
  const scratchBytes = 4 * jobs.reduce((most, job) => Math.max(most, job.scratch), 0);
  requireLimit('scratch', scratchBytes, device.limits.maxStorageBufferBindingSize, 'one binding');
  const usage = bufferUsage.storage | bufferUsage.copySource | bufferUsage.copyTarget;
  const all: GPUBuffer[] = [];
  const make = (label: string, size: number): GPUBuffer => {
    const buffer = createBuffer(device, label, size, usage);
    all.push(buffer);
    return buffer;
  };
  const free = () => all.splice(0).forEach(destroyBuffer);
  const bytes = bufferSizes.reduce((sum, size) => sum + size, scratchBytes + params.bytes + items.bytes);
  try {
    return await checked(device, `the tensors of the plan (${bytes} bytes)`, () => {
      const buffers = bufferSizes.map((size) => make('arena', size));
      const scratch = scratchBytes > 0 ? make('scratch', scratchBytes) : null;
      for (const table of [params, items]) if (table.bytes > 0) all.push(table.upload(device));
      return { device, buffers, ranges, params, items, scratch, bytes, free };
    });
  } catch (error) {
    free();
    throw error;
  }
}
