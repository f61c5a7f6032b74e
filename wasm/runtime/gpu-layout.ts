import { NormscopeError } from './errors.js';
import type { TensorInfo } from './types.js';

// Pure arithmetic of the WebGPU executor: where tensors lie, how many workgroups run, which bytes a uniform holds.

/** Bytes per float and the alignment of binding offsets that every WebGPU device accepts. */
const floatBytes = 4;
export const bindingAlignment = 256;

export interface GpuLimits {
  /** Bytes of one buffer. */
  maxBufferSize: number;
  /** Bytes of one bound range, so of one tensor. */
  maxStorageBufferBindingSize: number;
}
/** What every WebGPU device offers. */
export const defaultGpuLimits: GpuLimits = { maxBufferSize: 256 * 2 ** 20, maxStorageBufferBindingSize: 128 * 2 ** 20 };

/** Where one tensor lies; `size` 0 for an empty tensor, which is never bound. Bytes. */
export interface TensorRange {
  buffer: number;
  offset: number;
  size: number;
}
export interface ArenaLayout {
  /** Bytes of each buffer. */
  bufferSizes: number[];
  /** Index as in `tensors`. */
  ranges: TensorRange[];
}

/**
 * Cuts the plan's logical arena into buffers. No tensor crosses a border; tensors that share floats share a buffer.
 * Throws 'too-large' with the tensor's name when a limit does not hold.
 */
export function layoutArena(tensors: readonly TensorInfo[], limits: GpuLimits = defaultGpuLimits): ArenaLayout {
  const ranges: TensorRange[] = tensors.map(() => ({ buffer: 0, offset: 0, size: 0 }));
  const bufferSizes: number[] = [];
  let start = 0; // first float of the buffer being filled
  let end = 0; // one past its last
  for (const { tensor, index } of byOffset(tensors)) {
    checkTensor(tensor, limits);
    const next = Math.max(end, tensor.offset + tensor.size);
    const overlaps = bufferSizes.length > 0 && tensor.offset < end;
    if (bufferSizes.length === 0 || (!overlaps && paddedBytes(next - start) > limits.maxBufferSize)) {
      bufferSizes.push(0);
      start = tensor.offset;
    }
    end = next;
    const buffer = bufferSizes.length - 1;
    bufferSizes[buffer] = paddedBytes(end - start);
    requireLimit(tensor.name, bufferSizes[buffer]!, limits.maxBufferSize, 'a buffer');
    ranges[index] = { buffer, offset: (tensor.offset - start) * floatBytes, size: tensor.size * floatBytes };
  }
  return { bufferSizes, ranges };
}

function byOffset(tensors: readonly TensorInfo[]) {
  return tensors
    .map((tensor, index) => ({ tensor, index }))
    .filter(({ tensor }) => tensor.size > 0)
    .sort((a, b) => a.tensor.offset - b.tensor.offset);
}

function paddedBytes(floats: number): number {
  return Math.ceil((floats * floatBytes) / bindingAlignment) * bindingAlignment;
}

function checkTensor(tensor: TensorInfo, limits: GpuLimits): void {
  if ((tensor.offset * floatBytes) % bindingAlignment !== 0)
    throw new NormscopeError(
      'gpu-refused',
      `tensor ${tensor.name} starts at float ${tensor.offset}; WebGPU binds multiples of 64`,
    );
  requireLimit(tensor.name, tensor.size * floatBytes, limits.maxStorageBufferBindingSize, 'one binding');
}

export function requireLimit(name: string, need: number, limit: number, what: string): void {
  if (need <= limit) return;
  throw new NormscopeError(
    'too-large',
    `tensor ${name} needs ${need} bytes in ${what}; this GPU allows ${limit}. Use a smaller batch, width or vocabulary, or device "wasm".`,
  );
}

/**
 * Workgroups [x, y, z] for `groups` groups of `nModel` models: x fills first, what exceeds a dimension goes to y, z is
 * the model. Group id = x + y * (number in x); ids from `groups` on must write nothing. Throws 'too-large'.
 */
export function dispatchPlan(groups: number, maxPerDimension = 65535, nModel = 1): [number, number, number] {
  if (groups === 0 || nModel === 0) return [0, 0, 0];
  const y = Math.ceil(groups / maxPerDimension);
  if (y > maxPerDimension || nModel > maxPerDimension)
    throw new NormscopeError(
      'too-large',
      `${groups} workgroups for ${nModel} models; a dispatch has at most ${maxPerDimension} in each of three dimensions`,
    );
  return [Math.ceil(groups / y), y, nModel];
}

export interface ParamField {
  name: string;
  type: 'u32' | 'i32' | 'f32';
}

/**
 * The bytes of a parameter struct of 4-byte scalars: integers through an integer view (16 777 217 is no float32), floats
 * as float32, little-endian as GPUs read them.
 */
export function uniformLayout(
  fields: readonly ParamField[],
  values: Readonly<Record<string, number>>,
): Uint8Array<ArrayBuffer> {
  const view = new DataView(new ArrayBuffer(fields.length * 4));
  fields.forEach(({ name, type }, i) => {
    const value = values[name];
    if (value === undefined) throw new NormscopeError('bad-number', `parameter ${name} is missing`);
    if (type === 'f32') return view.setFloat32(i * 4, value, true);
    const [low, high] = type === 'u32' ? [0, 2 ** 32 - 1] : [-(2 ** 31), 2 ** 31 - 1];
    if (!Number.isInteger(value) || value < low || value > high)
      throw new NormscopeError(
        'bad-number',
        `parameter ${name} is ${value}; expected an integer from ${low} to ${high}`,
      );
    view.setUint32(i * 4, value, true);
  });
  return new Uint8Array(view.buffer);
}
