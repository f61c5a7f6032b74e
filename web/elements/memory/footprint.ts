/** What a training run of a model would take, and whether it fits: numbers from the package's plan, no words. */
import { planMemory, planModel, type PlanInfo, type PlannedMemory } from 'normscope';
import type { SizeName, SizeOrder } from './sizes.js';

/** The parts that a reader tells apart. */
export const PARTS = ['weight', 'weightGradient', 'state', 'activation', 'activationGradient', 'rest'] as const;
export type PartName = (typeof PARTS)[number];

/** Largest buffer and largest piece of one that a shader sees, in bytes. */
export interface GpuLimits {
  maxBufferSize: number;
  maxStorageBufferBindingSize: number;
}

export interface Footprint {
  size: SizeName;
  shape: { nLayer: number; dModel: number; nBatch: number; nCtx: number };
  /** Bytes of each part; together `memory.bytes.total`. */
  parts: Record<PartName, number>;
  /** The package's own answer: bytes, buffers, and what each device refuses. */
  memory: PlannedMemory;
}

/** Plans a model and adds up its tensors; allocates nothing. `limits` null: those of every WebGPU device. */
export async function footprintOf(size: SizeName, order: SizeOrder, limits: GpuLimits | null): Promise<Footprint> {
  const plan = await planModel(order);
  const memory = planMemory(plan, limits ?? undefined);
  return { size, shape: shapeOf(plan), parts: partsOf(memory), memory };
}

function shapeOf({ spec }: PlanInfo): Footprint['shape'] {
  const of = (name: string) => Number(spec[name]);
  return { nLayer: of('n_layer'), dModel: of('d_model'), nBatch: of('n_batch'), nCtx: of('n_ctx') };
}

/** Every weight has one gradient of its size; the other gradients are those of activations. */
function partsOf({ bytes }: PlannedMemory): Record<PartName, number> {
  return {
    weight: bytes.parameter,
    weightGradient: bytes.parameter,
    state: bytes.state,
    activation: bytes.activation,
    activationGradient: bytes.gradient - bytes.parameter,
    rest: bytes.input + bytes.constant + bytes.statistic,
  };
}

/** Limits of the machine's own GPU; null without one. */
export async function adapterLimits(gpu: GPU | undefined = globalThis.navigator?.gpu): Promise<GpuLimits | null> {
  const adapter = await gpu?.requestAdapter().catch(() => null);
  if (!adapter) return null;
  const { maxBufferSize, maxStorageBufferBindingSize } = adapter.limits;
  return { maxBufferSize, maxStorageBufferBindingSize };
}
