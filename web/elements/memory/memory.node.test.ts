import { planModel } from 'normscope';
import { describe, expect, test } from 'vitest';
import { adapterLimits, footprintOf, PARTS } from './footprint.js';
import { GPT2, orderOf, SIZES, type SizeName } from './sizes.js';

const OWN = { placement: 'pre-ln' as const, nLayer: 2, dModel: 16, nHead: 2, nBatch: 2, nCtx: 16 };
const MARKOV = { kind: 'markov' as const };
const planned = (size: SizeName, nBatch = 1) => footprintOf(size, orderOf(size, OWN, MARKOV, nBatch), null);

describe('the memory of a model', () => {
  test('is the sum of its parts; Adam keeps two numbers per weight and a gradient one', async () => {
    const { parts, memory } = await planned('own');
    expect(PARTS.reduce((sum, name) => sum + parts[name], 0)).toBe(memory.bytes.total);
    expect(parts.weight).toBeGreaterThanOrEqual(4 * memory.parameters);
    expect(parts.state).toBeGreaterThanOrEqual(2 * parts.weight);
  });

  test('every weight has a gradient of its size, as the plan lists them', async () => {
    const { tensors } = await planModel(orderOf('own', OWN, MARKOV, 1));
    const sizes = new Map(tensors.map(({ name, size }) => [name, size]));
    for (const { name, size, role } of tensors) if (role === 'parameter') expect(sizes.get(`${name}.grad`)).toBe(size);
  });

  // GPT-2's own counts tie the head to the embedding and have no norms of ours; the order of size is the promise.
  test.each([
    ['124M', 124e6],
    ['355M', 355e6],
    ['774M', 774e6],
    ['1.5B', 1.5e9],
  ] as const)('GPT-2 %s is planned, though no page could hold it', async (size, count) => {
    const { memory, shape } = await planned(size);
    expect(memory.parameters / count).toBeGreaterThan(0.95);
    expect(memory.parameters / count).toBeLessThan(1.4);
    expect(shape).toEqual({ ...pick(GPT2[size]), nBatch: 1, nCtx: 1024 });
    expect(memory.wasmRefusal!.need).toBe(memory.bytes.total);
  });

  test('names the tensor that no buffer can hold, with need and limit; more room lets it pass', async () => {
    const order = orderOf('124M', OWN, MARKOV, 1);
    const { refusal } = (await footprintOf('124M', order, null)).memory;
    expect(refusal!.tensor).toMatch(/embed|head|logits/);
    expect(refusal!.need).toBeGreaterThan(refusal!.limit);
    const wide = { maxBufferSize: 2 ** 32, maxStorageBufferBindingSize: 2 ** 32 - 4 };
    expect((await footprintOf('124M', order, wide)).memory.refusal).toBeNull();
  });

  test('more sequences need more activations and no more weights', async () => {
    const [one, four] = await Promise.all([planned('124M', 1), planned('124M', 4)]);
    expect(four.parts.weight).toBe(one.parts.weight);
    expect(four.parts.activation / one.parts.activation).toBeGreaterThan(3);
  });

  test('every size keeps the reader’s wiring', () => {
    const wiring = { ...OWN, placement: 'keel' as const, normKind: 'rmsnorm' as const };
    for (const size of SIZES)
      expect(orderOf(size, wiring, MARKOV, 1).spec).toMatchObject({ placement: 'keel', normKind: 'rmsnorm' });
  });
});

test('limits are those of the adapter, and null without one or when it cannot be asked', async () => {
  const limits = { maxBufferSize: 7, maxStorageBufferBindingSize: 5, maxBindGroups: 4 };
  const gpu = (adapter: () => Promise<unknown>) => ({ requestAdapter: adapter }) as GPU;
  expect(await adapterLimits(gpu(() => Promise.resolve({ limits })))).toEqual({
    maxBufferSize: 7,
    maxStorageBufferBindingSize: 5,
  });
  expect(await adapterLimits(gpu(() => Promise.resolve(null)))).toBeNull();
  expect(await adapterLimits(gpu(() => Promise.reject(new Error('no'))))).toBeNull();
  expect(await adapterLimits(undefined)).toBeNull();
});

function pick({ nLayer, dModel }: { nLayer: number; dModel: number }) {
  return { nLayer, dModel };
}
