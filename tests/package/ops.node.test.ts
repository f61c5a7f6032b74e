import { OP_NAMES, runOp } from 'normscope/testing';
import { describe, expect, it } from 'vitest';
import { near } from './numbers.js';

describe('every op of the testing entry', () => {
  it('attends to any length and head size', async () => {
    for (const T of [1, 3, 5, 7, 31]) {
      const n = T * 2 * 3;
      const q = Float32Array.from({ length: n }, (_, i) => Math.sin(i));
      const { o } = await runOp({
        op: 'attention_forward',
        params: { T, S: T, heads: 2, head_dim: 3, causal: true },
        inputs: { q, k: q.map((x) => -2 * x), v: q.map(() => 1) },
      });
      near(o as Float32Array, new Array<number>(n).fill(1));
    }
  });

  it('rounds to half precision and latches what leaves the range', async () => {
    const { y, latch } = (await runOp({
      op: 'round_format',
      params: { format: 'fp16', d: 2 },
      inputs: { x: [1.0001, 2, 65519, 70000] },
    })) as Record<string, Float32Array>;
    expect(Array.from(y!)).toEqual([1, 2, 65504, Infinity]);
    expect(latch![0]).toBe(1);
    expect(latch![3]).toBe(1);
    const { latch: clean } = (await runOp({
      op: 'round_format',
      params: { format: 'fp16', d: 2 },
      inputs: { x: [1, 2, 3, 4] },
    })) as Record<string, Float32Array>;
    expect(clean![0]).toBe(0);
  });

  it('drops out by a mask that seed and step fix', async () => {
    const request = {
      op: 'dropout',
      params: { rate: 0.25, seed: 70000, step: 3 },
      inputs: { x: new Float32Array(4096).fill(1) },
    };
    const first = (await runOp(request)).y as Float32Array;
    expect((await runOp(request)).y).toEqual(first);
    expect(new Set(first)).toEqual(new Set([0, Math.fround(1 / 0.75)]));
    expect(Math.abs(first.filter((value) => value === 0).length / 4096 - 0.25)).toBeLessThan(0.03);
    expect((await runOp({ ...request, params: { ...request.params, train: false } })).y).toEqual(
      new Float32Array(4096).fill(1),
    );
  });

  it('covers linear, embedding, ReLU and BatchNorm', async () => {
    const { y } = await runOp({
      op: 'linear_forward',
      params: { rows: 1, n_in: 2, n_out: 3 },
      inputs: { x: [1, 2], weight: [1, 0, 0, 1, 1, 1], bias: [0, 0, 1] },
    });
    near(y as Float32Array, [1, 2, 4]);
    const embedded = await runOp({
      op: 'embedding',
      params: { vocab: 2, d: 1, ctx: 2 },
      inputs: { tokens: [1, 0], token_table: [10, 20], position_table: [1, 2] },
    });
    near(embedded.y as Float32Array, [21, 12]);
    near((await runOp({ op: 'relu', inputs: { x: [-1, 0, 2] } })).y as Float32Array, [0, 0, 2]);
    near(
      (await runOp({ op: 'relu_backward', inputs: { x: [-1, 1, 2], dy: [5, 6, 7] } })).dx as Float32Array,
      [0, 6, 7],
    );
    expect(OP_NAMES).toContain('batchnorm_backward');
  });
});
