import { batchNorm, batchNormBackward, layerNorm, layerNormBackward, load, NormscopeError, residualAdd, residualAddBackward, rmsNorm, rmsNormBackward, transformerBlock } from 'normscope';
import { OP_NAMES, runOp } from 'normscope/testing';
import { describe, expect, it } from 'vitest';

const near = (got: ArrayLike<number>, right: number[], tolerance = 1e-6): void => {
  expect(got.length).toBe(right.length);
  right.forEach((value, i) => expect(Math.abs(got[i]! - value), `[${i}] is ${got[i]}, not ${value}`).toBeLessThanOrEqual(tolerance));
};

/** In doubles, as a textbook writes it. */
function exactLayerNorm(x: number[], eps = 1e-5): number[] {
  const mean = x.reduce((sum, value) => sum + value, 0) / x.length;
  const variance = x.reduce((sum, value) => sum + (value - mean) ** 2, 0) / x.length;
  return x.map((value) => (value - mean) / Math.sqrt(variance + eps));
}

const refusal = async (call: Promise<unknown>): Promise<NormscopeError> => {
  const error = await call.then(
    () => null,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(NormscopeError);
  expect((error as Error).message).toMatch(/\w+ \w+/);
  return error as NormscopeError;
};

describe('layerNorm', () => {
  it("computes the course's example", async () => {
    const { y, mean, rstd } = await layerNorm({ x: [3.2, -1.8, 0.5, 2.1], dModel: 4 });
    near(y, exactLayerNorm([3.2, -1.8, 0.5, 2.1]));
    expect(Array.from(y, (value) => value.toFixed(4))).toEqual(['1.1701', '-1.4892', '-0.2659', '0.5851']);
    near(mean, [1]);
    near(rstd, [1 / Math.sqrt(3.535 + 1e-5)]);
  });

  it('treats each row on its own: editing one leaves the others bit for bit', async () => {
    const rows = new Float32Array([3.2, -1.8, 0.5, 2.1, 1, 2, 3, 4, -1, 0, 1, 0]);
    const before = await layerNorm({ x: rows, dModel: 4 });
    rows[5] = 1e6;
    const after = await layerNorm({ x: rows, dModel: 4 });
    expect(after.y.subarray(0, 4)).toEqual(before.y.subarray(0, 4));
    expect(after.y.subarray(8)).toEqual(before.y.subarray(8));
  });

  it('gives copies: later calls and the caller do not disturb them', async () => {
    const first = await layerNorm({ x: [50000, 50001, 50003, 50006], dModel: 4 });
    const kept = Array.from(first.y);
    first.mean.fill(7);
    const second = await layerNorm({ x: [1, 2, 3, 6], dModel: 4 });
    expect(Array.from(first.y)).toEqual(kept);
    expect(second.y).not.toBe(first.y);
    near(second.mean, [3]);
  });

  it('takes the numbers at the time of the call', async () => {
    const x = Float32Array.of(1, 2, 3, 6);
    const pending = layerNorm({ x, dModel: 4 });
    x.fill(9);
    near((await pending).y, exactLayerNorm([1, 2, 3, 6]));
  });

  it('writes into out and returns it', async () => {
    const out = new Float32Array(4);
    const { y } = await layerNorm({ x: [1, 2, 3, 6], dModel: 4, out });
    expect(y).toBe(out);
    near(out, exactLayerNorm([1, 2, 3, 6]));
    const x = Float32Array.of(1, 2, 3, 6);
    await layerNorm({ x, dModel: 4, out: x });
    expect(x).toEqual(out);
  });

  it('honours views and touches nothing around them', async () => {
    const buffer = Float32Array.of(9, 9, 9, 9, 1, 2, 3, 6, 9, 9);
    const out = new Float32Array(10).fill(5);
    await layerNorm({ x: buffer.subarray(4, 8), dModel: 4, out: out.subarray(3, 7) });
    near(out.subarray(3, 7), exactLayerNorm([1, 2, 3, 6]));
    expect(Array.from(out)).toEqual([5, 5, 5, ...Array.from(out.subarray(3, 7)), 5, 5, 5]);
    expect(Array.from(buffer)).toEqual([9, 9, 9, 9, 1, 2, 3, 6, 9, 9]);
  });

  it('converts Float64Array and arrays of numbers', async () => {
    const right = exactLayerNorm([1, 2, 3, 6]);
    near((await layerNorm({ x: Float64Array.of(1, 2, 3, 6), dModel: 4, gamma: new Float64Array(4).fill(1) })).y, right);
    near((await layerNorm({ x: [1, 2, 3, 6], dModel: 4, beta: [0, 0, 0, 1] })).y, right.map((value, i) => (i === 3 ? value + 1 : value)));
  });

  it('takes eps 0; a constant row then is not a number', async () => {
    near((await layerNorm({ x: [1, 2, 4], dModel: 3, eps: 0 })).y, [-1.069045, -0.2672612, 1.336306]);
    expect(Array.from((await layerNorm({ x: [3, 3, 3], dModel: 3, eps: 0 })).y)).toEqual([NaN, NaN, NaN]);
  });

  it('lets NaN and Infinity through without spoiling other rows', async () => {
    const { y, mean } = await layerNorm({ x: [1, 2, 3, 6, 1, NaN, 0, 0, Infinity, 0, 0, 0, 1, 2, 3, 6], dModel: 4 });
    near(y.subarray(0, 4), exactLayerNorm([1, 2, 3, 6]));
    near(y.subarray(12), exactLayerNorm([1, 2, 3, 6]));
    expect(y.subarray(4, 12).every(Number.isNaN)).toBe(true);
    expect(mean[1]).toBeNaN();
  });

  it('returns nothing for no rows, and zero gradients', async () => {
    expect((await layerNorm({ x: [], dModel: 8 })).y.length).toBe(0);
    const { dx, dgamma, dbeta } = await layerNormBackward({ x: [], dy: [], dModel: 8, gamma: new Array<number>(8).fill(2) });
    expect([dx.length, Array.from(dgamma), Array.from(dbeta)]).toEqual([0, new Array(8).fill(0), new Array(8).fill(0)]);
  });

  it('keeps no state between calls: a backward belongs to its own x', async () => {
    await layerNorm({ x: [1, 2, 4, 9], dModel: 4 });
    await layerNorm({ x: [0, 0, 1, 1], dModel: 4 });
    near((await layerNormBackward({ x: [1, 2, 4, 9], dy: [1, 0, 0, 0], dModel: 4 })).dx, [0.1664904, -0.1323384, -0.08111067, 0.04695867]);
  });

  it('is not mixed up by calls of one shape with and without gamma', async () => {
    const x = [1, 2, 3, 6];
    const [plain, scaled, again] = await Promise.all([layerNorm({ x, dModel: 4 }), layerNorm({ x, dModel: 4, gamma: [2, 2, 2, 2] }), layerNorm({ x, dModel: 4 })]);
    near(scaled.y, exactLayerNorm(x).map((value) => 2 * value), 2e-6);
    expect(again.y).toEqual(plain.y);
  });
});

describe('the other one-shot functions', () => {
  it('rmsNorm and batchNorm', async () => {
    near((await rmsNorm({ x: [3, 3, 3, 3], dModel: 4 })).y, new Array(4).fill(0.99999944));
    const { y, mean, rstd } = await batchNorm({ x: [1, 10, 3, 10], dModel: 2 });
    near(y, [-0.999995, 0, 0.999995, 0], 1e-6);
    near(mean, [2, 10]);
    near(rstd, [0.999995, 316.22775], 1e-3);
    const { dgamma } = await rmsNormBackward({ x: [1, -2, 2], dy: [1, 1, -3], dModel: 3, gamma: [2, 0.5, -1], eps: 0.25 });
    near(dgamma, [0.5547002, -1.1094004, -3.3282012]);
    const gradients = await batchNormBackward({ x: [1, 10, 3, 10], dy: [1, 1, 0, 1], dModel: 2 });
    near(gradients.dbeta, [1, 2]);
  });

  it('residualAdd and its gradients', async () => {
    near((await residualAdd({ x: [1, 2], branch: [4, 8], dt: 0.25 })).y, [2, 4]);
    const { dx, dbranch } = await residualAddBackward({ dy: [4, 8], dt: 0.25 });
    near(dx, [4, 8]);
    near(dbranch, [1, 2]);
    expect((await residualAdd({ x: [], branch: [] })).y.length).toBe(0);
  });
});

describe('what is wrong is refused by name before anything is written', () => {
  it('gamma of the wrong length', async () => {
    const out = new Float32Array(12).fill(7);
    const x = new Float32Array(12).map((_, i) => i);
    const error = await refusal(layerNorm({ x, dModel: 6, gamma: [1, 1, 1, 1, 1], beta: new Float32Array(6), out }));
    expect(error.message).toMatch(/gamma.*6.*5/);
    expect(error.code).toBe('bad-size');
    expect(out.every((value) => value === 7)).toBe(true);
    near((await layerNorm({ x, dModel: 6 })).mean, [2.5, 8.5]);
  });

  it('eps', async () => {
    for (const eps of [-1e-5, NaN, Infinity, 'abc']) expect((await refusal(layerNorm({ x: [1, 2], dModel: 2, eps: eps as number }))).message).toMatch(/^eps is/);
  });

  it('sizes', async () => {
    for (const dModel of [0, -1, 2.5, NaN, '3', 4294967298]) expect((await refusal(layerNorm({ x: [1, 2, 3, 4], dModel: dModel as number }))).message).toMatch(/^dModel is/);
    for (const rows of [-1, 2.5, NaN, '3', 4294967298]) {
      const error = await refusal(runOp({ op: 'layernorm_forward', params: { rows, d: 2 }, inputs: { x: [1, 2, 3, 4] } }));
      expect(error.message).toMatch(/^rows is/);
    }
    expect((await refusal(layerNorm({ x: [1, 2, 3], dModel: 2 }))).message).toMatch(/x has 3 numbers.*dModel 2/);
    expect((await refusal(layerNorm({ x: [1, 2], dModel: 2, out: new Float32Array(3) }))).message).toMatch(/out needs 2 numbers but has 3/);
    expect((await refusal(layerNormBackward({ x: [1, 2], dy: [1], dModel: 2 }))).message).toMatch(/dy.*x has 2, dy has 1/);
  });

  it('sizes that no memory holds, with the size in the text', async () => {
    const large = await refusal(runOp({ op: 'layernorm_forward', params: { rows: 30000, d: 30000 }, inputs: { x: [] } }));
    expect(large.code).toBe('too-large');
    expect(large.message).toMatch(/900,000,000 numbers \(3\.6 GB\)/);
    const beyond = await refusal(runOp({ op: 'layernorm_forward', params: { rows: 65536, d: 65536 }, inputs: { x: [] } }));
    expect(beyond.message).toMatch(/4,294,967,296/);
  });

  it('arrays of other types, strided, nested, detached', async () => {
    const refused: [unknown, RegExp][] = [
      [Int32Array.of(1, 2), /x is an Int32Array/],
      [Uint8Array.of(1, 2), /x is a Uint8Array/],
      [BigInt64Array.of(1n, 2n), /x is a BigInt64Array/],
      [new DataView(new ArrayBuffer(8)), /x is a DataView/],
      [{ data: new Float32Array(4), shape: [2], stride: [2], offset: 0 }, /x is an array object with strides/],
      [[[1, 2]], /x\[0\] is an array; flatten/],
      [['1', 2], /x\[0\] is the text '1'/],
      ['12', /x is the text '12'/],
      [null, /x is null/],
      [undefined, /x is undefined/],
    ];
    for (const [x, text] of refused) expect((await refusal(layerNorm({ x: x as Float32Array, dModel: 2 }))).message).toMatch(text);

    const detached = Float32Array.of(1, 2);
    structuredClone(detached, { transfer: [detached.buffer] });
    expect((await refusal(layerNorm({ x: detached, dModel: 2 }))).message).toMatch(/x is detached/);
    const out = new Float32Array(2);
    structuredClone(out, { transfer: [out.buffer] });
    expect((await refusal(layerNorm({ x: [1, 2], dModel: 2, out }))).message).toMatch(/out is detached/);
  });

  it('options that do not exist, with the nearest one', async () => {
    expect((await refusal(layerNorm({ x: [1, 2], dModel: 2, epsilon: 1 } as never))).message).toMatch(/layerNorm does not know 'epsilon'; did you mean 'eps'/);
    expect((await refusal(layerNorm({ x: [1, 2], dModel: 2, device: 'gpu' as never }))).message).toMatch(/device is the text 'gpu'/);
    expect((await refusal(layerNorm(undefined as never))).message).toMatch(/layerNorm takes one object/);
  });

  it('labels, naming position and label', async () => {
    const request = { op: 'cross_entropy_mean', params: { V: 5, rows: 2, ignore_index: -100 } };
    for (const label of [5, -1]) {
      const error = await refusal(runOp({ ...request, inputs: { logits: new Float32Array(10), labels: [0, label] } }));
      expect(error.message).toContain(`labels[1] is ${label}`);
    }
    await runOp({ ...request, inputs: { logits: new Float32Array(10), labels: [0, -100] } });
  });

  it('sequences longer than the position table or nCtx', async () => {
    const tables = { token_table: new Float32Array(8), position_table: new Float32Array(6) };
    const error = await refusal(runOp({ op: 'embedding', params: { vocab: 4, d: 2, ctx: 4 }, inputs: { tokens: [0, 1, 2, 3], ...tables } }));
    expect(error.message).toMatch(/sequence of ctx 4 tokens is longer than the position table, which has 3 rows/);
    const block = transformerBlock({ x: new Float32Array(20), spec: { dModel: 4, nHead: 2, nCtx: 4 } });
    expect((await refusal(block)).message).toMatch(/5 rows.*longer than nCtx 4/);
  });
});

describe('every op of the testing entry', () => {
  it('attends to any length and head size', async () => {
    for (const T of [1, 3, 5, 7, 31]) {
      const n = T * 2 * 3;
      const q = Float32Array.from({ length: n }, (_, i) => Math.sin(i));
      const { o } = await runOp({ op: 'attention_forward', params: { T, S: T, heads: 2, head_dim: 3, causal: true }, inputs: { q, k: q.map((x) => -2 * x), v: q.map(() => 1) } });
      near(o as Float32Array, new Array<number>(n).fill(1));
    }
  });

  it('rounds to half precision and latches what leaves the range', async () => {
    const { y, latch } = (await runOp({ op: 'round_format', params: { format: 'fp16', d: 2 }, inputs: { x: [1.0001, 2, 65519, 70000] } })) as Record<string, Float32Array>;
    expect(Array.from(y!)).toEqual([1, 2, 65504, Infinity]);
    expect(latch![0]).toBe(1);
    expect(latch![3]).toBe(1);
    const { latch: clean } = (await runOp({ op: 'round_format', params: { format: 'fp16', d: 2 }, inputs: { x: [1, 2, 3, 4] } })) as Record<string, Float32Array>;
    expect(clean![0]).toBe(0);
  });

  it('drops out by a mask that seed and step fix', async () => {
    const request = { op: 'dropout', params: { rate: 0.25, seed: 70000, step: 3 }, inputs: { x: new Float32Array(4096).fill(1) } };
    const first = (await runOp(request)).y as Float32Array;
    expect((await runOp(request)).y).toEqual(first);
    expect(new Set(first)).toEqual(new Set([0, Math.fround(1 / 0.75)]));
    expect(Math.abs(first.filter((value) => value === 0).length / 4096 - 0.25)).toBeLessThan(0.03);
    expect((await runOp({ ...request, params: { ...request.params, train: false } })).y).toEqual(new Float32Array(4096).fill(1));
  });

  it('covers linear, embedding, ReLU and BatchNorm', async () => {
    const { y } = await runOp({ op: 'linear_forward', params: { rows: 1, n_in: 2, n_out: 3 }, inputs: { x: [1, 2], weight: [1, 0, 0, 1, 1, 1], bias: [0, 0, 1] } });
    near(y as Float32Array, [1, 2, 4]);
    const embedded = await runOp({ op: 'embedding', params: { vocab: 2, d: 1, ctx: 2 }, inputs: { tokens: [1, 0], token_table: [10, 20], position_table: [1, 2] } });
    near(embedded.y as Float32Array, [21, 12]);
    near((await runOp({ op: 'relu', inputs: { x: [-1, 0, 2] } })).y as Float32Array, [0, 0, 2]);
    near((await runOp({ op: 'relu_backward', inputs: { x: [-1, 1, 2], dy: [5, 6, 7] } })).dx as Float32Array, [0, 6, 7]);
    expect(OP_NAMES).toContain('batchnorm_backward');
  });
});

describe('memory', () => {
  it('grows without disturbing earlier results, and is given back', async () => {
    const before = await layerNorm({ x: [50000, 50001, 50003, 50006], dModel: 4 });
    const n = 16_777_216;
    const { y } = await layerNorm({ x: new Float32Array(n).fill(1), dModel: 4096 });
    expect(y.length).toBe(n);
    near(before.y, [-1.0910884, -0.65465305, 0.21821768, 1.5275238], 2e-6);
    near((await layerNorm({ x: [1, 2, 3, 6], dModel: 4 })).y, exactLayerNorm([1, 2, 3, 6]));
  });

  it('load is idempotent and says what runs', async () => {
    const results = await Promise.all([load(), load({ device: 'wasm' }), load()]);
    expect(results[0]).toMatchObject({ device: 'wasm', adapter: null, simd: true, version: expect.stringMatching(/^\d+\.\d+\.\d+/) });
    expect(results[1]).toEqual(results[0]);
  });
});
