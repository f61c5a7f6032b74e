// Where tensors lie, how many workgroups run, which bytes a uniform holds: arithmetic that needs no GPU.
import { describe, expect, test } from 'vitest';
import { defaultGpuLimits, dispatchPlan, layoutArena, uniformLayout } from '../../wasm/runtime/gpu-layout.js';
import type { TensorInfo } from '../../wasm/runtime/types.js';
import { reportCase } from '../cases/expand.js';

const MiB = 2 ** 20;

/** Tensors one after the other, sizes in floats. */
function tensors(...sizes: number[]): TensorInfo[] {
  let offset = 0;
  return sizes.map((size, i) => {
    const tensor: TensorInfo = { name: `t${i}`, role: 'activation', shape: [size], nModel: 1, offset, size };
    offset += Math.ceil(size / 64) * 64;
    return tensor;
  });
}

describe('layoutArena', () => {
  test('keeps a small plan in one buffer at its own offsets', () => {
    const { bufferSizes, ranges } = layoutArena(tensors(3, 64, 65, 1));
    expect(bufferSizes).toEqual([5 * 256]);
    expect(ranges).toEqual([
      { buffer: 0, offset: 0, size: 12 },
      { buffer: 0, offset: 256, size: 256 },
      { buffer: 0, offset: 512, size: 260 },
      { buffer: 0, offset: 1024, size: 4 },
    ]);
  });

  test('cuts a large plan between tensors, within the limits and aligned', () => {
    const floats = (100 * MiB) / 4;
    const { bufferSizes, ranges } = layoutArena(tensors(floats, floats, 5, floats, floats, floats));
    expect(bufferSizes.length).toBe(3);
    expect(ranges.map(({ buffer }) => buffer)).toEqual([0, 0, 0, 1, 1, 2]);
    for (const { buffer, offset, size } of ranges) {
      expect(offset % 256).toBe(0);
      expect(offset + size).toBeLessThanOrEqual(bufferSizes[buffer]!);
      expect(bufferSizes[buffer]!).toBeLessThanOrEqual(defaultGpuLimits.maxBufferSize);
    }
  });

  test('keeps tensors that share floats together', () => {
    const [whole, part] = [tensors(128)[0]!, { ...tensors(64)[0]!, name: 'part', offset: 64 }];
    const { ranges } = layoutArena([part, whole], { maxBufferSize: 512, maxStorageBufferBindingSize: 512 });
    expect(ranges).toEqual([
      { buffer: 0, offset: 256, size: 256 },
      { buffer: 0, offset: 0, size: 512 },
    ]);
  });

  test('gives empty tensors nothing', () => {
    expect(layoutArena(tensors(0, 0))).toEqual({
      bufferSizes: [],
      ranges: tensors(0, 0).map(() => ({ buffer: 0, offset: 0, size: 0 })),
    });
  });

  test('refuses by name what no binding can hold', () => {
    expect(() => layoutArena(tensors(1, 128 * 1024 * 256 + 1))).toThrow(
      /tensor t1 needs 134217732 bytes in one binding; this GPU allows 134217728/,
    );
  });
});

describe('dispatchPlan', () => {
  const { inputs, params } = reportCase('O-D01a');
  const max = Number(params.max_per_dimension);

  test.each(inputs.groups!)('visits each of %i groups once', (groups) => {
    const [x, y, z] = dispatchPlan(groups, max);
    expect([x, y, z].every((extent) => extent >= 1 && extent <= max)).toBe(true);
    expect(z).toBe(1);
    // id = id_x + id_y * x takes every value below x * y once.
    expect(x * y).toBeGreaterThanOrEqual(groups);
    expect(x * (y - 1)).toBeLessThan(groups);
  });

  test('keeps z for the model and dispatches nothing for nothing', () => {
    expect(dispatchPlan(10, 65535, 3)).toEqual([10, 1, 3]);
    expect(dispatchPlan(0)).toEqual([0, 0, 0]);
  });

  test('refuses what three dimensions cannot hold', () => {
    expect(() => dispatchPlan(65535 ** 2 + 1)).toThrow(/4294836226 workgroups/);
    expect(() => dispatchPlan(1, 65535, 65536)).toThrow(/65536 models/);
  });
});

describe('uniformLayout', () => {
  test('writes integers as integers', () => {
    const { inputs, expected } = reportCase('O-D18a');
    const [rows, d, eps] = ['rows', 'd', 'eps'].map((name) => inputs[name]![0]!);
    const hex = String(expected.bytes_hex_le);
    const flag = new DataView(Uint8Array.from(hex.match(/../g)!, (byte) => parseInt(byte, 16)).buffer).getUint32(
      12,
      true,
    );
    const fields = (['rows', 'd', 'eps', 'flag'] as const).map(
      (name) => ({ name, type: name === 'eps' ? 'f32' : 'u32' }) as const,
    );
    const bytes = uniformLayout(fields, { rows: rows!, d: d!, eps: eps!, flag });
    expect(bytes.length).toBe(expected.size);
    expect([...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')).toBe(hex);
  });

  test('refuses what an integer field cannot hold', () => {
    const field = [{ name: 'n', type: 'u32' }] as const;
    for (const n of [-1, 1.5, NaN, 2 ** 32]) expect(() => uniformLayout(field, { n })).toThrow(/parameter n is/);
    expect(() => uniformLayout(field, {})).toThrow(/n is missing/);
  });
});
