import { bindingAlignment, defaultGpuLimits, type GpuLimits, layoutArena } from './gpu-layout.js';
import type { MemoryRefusal, PlanInfo, PlannedMemory, TensorInfo } from './types.js';

/** What the core allocates at most: WASM addresses 4 GiB, and its own code, stack and copies need room. */
const WASM_BYTES = 3 * 2 ** 30;
const ROLES = ['parameter', 'gradient', 'activation', 'input', 'state', 'constant', 'statistic'] as const;

/** Every tensor starts at a multiple of the alignment. */
const bytesOf = ({ size }: TensorInfo): number => Math.ceil((size * 4) / bindingAlignment) * bindingAlignment;

/**
 * The memory that a plan takes, before anything is allocated: bytes by role, whether one WASM core can hold it, and how
 * it is cut into WebGPU buffers. `limits`: of the device, e.g. `device.limits`; by default what every WebGPU device has.
 * A plan that passes may still be refused by a machine with less memory; its shaders may need a little scratch memory.
 */
export function planMemory(plan: PlanInfo, limits: GpuLimits = defaultGpuLimits): PlannedMemory {
  const bytes: PlannedMemory['bytes'] = {
    ...(Object.fromEntries(ROLES.map((role) => [role, 0])) as Record<TensorInfo['role'], number>),
    total: plan.nFloat * 4,
  };
  for (const tensor of plan.tensors) bytes[tensor.role] += bytesOf(tensor);
  const refusal = gpuRefusal(plan, limits);
  const bufferSizes = refusal ? [] : layoutArena(plan.tensors, limits).bufferSizes;
  return {
    parameters: plan.nParameter,
    bytes,
    buffers: bufferSizes.length,
    largestBuffer: Math.max(0, ...bufferSizes),
    refusal,
    wasmRefusal: wasmRefusal(plan, bytes.total),
  };
}

/** The first tensor that no binding holds: a buffer holds any number of whole tensors. */
function gpuRefusal({ tensors }: PlanInfo, limits: GpuLimits): MemoryRefusal | null {
  const limit = Math.min(limits.maxStorageBufferBindingSize, limits.maxBufferSize);
  const tensor = tensors.find(({ size }) => size * 4 > limit);
  return tensor ? { tensor: tensor.name, need: tensor.size * 4, limit } : null;
}

/** One arena holds everything; the largest tensor is what a smaller model would save most on. */
function wasmRefusal({ tensors }: PlanInfo, need: number): MemoryRefusal | null {
  if (need <= WASM_BYTES) return null;
  const largest = tensors.reduce((most, tensor) => (tensor.size > most.size ? tensor : most));
  return { tensor: largest.name, need, limit: WASM_BYTES };
}
