/** What a training run of a model would take, and whether it fits: numbers from the package's plan, no words. */
import { planMemory, planModel, type PlanInfo, type TensorInfo } from 'normscope';
import type { SizeName, SizeOrder } from './sizes.js';

/** The parts that a reader tells apart. */
export const PARTS = ['weight', 'weightGradient', 'state', 'activation', 'activationGradient', 'rest'] as const;
export type PartName = (typeof PARTS)[number];

/** Bytes that one WASM core has at most. */
export const WASM_BYTES = 3 * 2 ** 30;

/** Largest buffer and largest piece of one that a shader sees, in bytes. */
export interface GpuLimits {
  maxBufferSize: number;
  maxStorageBufferBindingSize: number;
}

export interface Footprint {
  size: SizeName;
  shape: { nLayer: number; dModel: number; nBatch: number; nCtx: number };
  parameters: number;
  /** Bytes. */
  parts: Record<PartName, number>;
  total: number;
  fitsWasm: boolean;
  /** GPU buffers that the plan is laid out in. */
  buffers: number;
  /** The first tensor that no buffer can hold, in bytes; null where all fit. */
  refusal: { tensor: string; need: number; limit: number } | null;
}

/** Plans a model and adds up its tensors; allocates nothing. `limits` null: those of every WebGPU device. */
export async function footprintOf(size: SizeName, order: SizeOrder, limits: GpuLimits | null): Promise<Footprint> {
  const plan = await planModel(order);
  const { parameters, bytes, buffers, refusal } = planMemory(plan, limits ?? undefined);
  const { total } = bytes;
  const shape = shapeOf(plan);
  return {
    size,
    shape,
    parameters,
    parts: partsOf(plan, bytes),
    total,
    fitsWasm: total <= WASM_BYTES,
    buffers,
    refusal,
  };
}

function shapeOf({ spec }: PlanInfo): Footprint['shape'] {
  const of = (name: string) => Number(spec[name]);
  return { nLayer: of('n_layer'), dModel: of('d_model'), nBatch: of('n_batch'), nCtx: of('n_ctx') };
}

/** Gradients of weights live from step to step, those of activations only within one: they are told apart. */
function partsOf({ tensors }: PlanInfo, bytes: Record<TensorInfo['role'], number>): Record<PartName, number> {
  const weights = new Set(tensors.flatMap(({ name, role }) => (role === 'parameter' ? [`${name}.grad`] : [])));
  const weightGradient = tensors.reduce((sum, { name, size }) => sum + (weights.has(name) ? 4 * size : 0), 0);
  return {
    weight: bytes.parameter,
    weightGradient,
    state: bytes.state,
    activation: bytes.activation,
    activationGradient: bytes.gradient - weightGradient,
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
