import {
  batchNorm,
  batchNormBackward,
  layerNorm,
  layerNormBackward,
  load,
  residualAdd,
  residualAddBackward,
  rmsNorm,
  rmsNormBackward,
} from 'normscope';
import { describe, expect, it } from 'vitest';
import { exactLayerNorm, near } from './numbers.js';

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
    near(
      (await layerNorm({ x: [1, 2, 3, 6], dModel: 4, beta: [0, 0, 0, 1] })).y,
      right.map((value, i) => (i === 3 ? value + 1 : value)),
    );
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

  it('counts the rows whose results are not finite', async () => {
    const rows = (...values: number[][]): number[] => values.flat();
    expect((await layerNorm({ x: rows([1, 2], [NaN, 1], [Infinity, 1]), dModel: 2 })).nonFinite).toBe(2);
    expect((await rmsNorm({ x: rows([1, 2], [-Infinity, 1]), dModel: 2 })).nonFinite).toBe(1);
    expect((await batchNorm({ x: rows([1, 2], [NaN, 1]), dModel: 2 })).nonFinite).toBe(1);
    expect((await layerNorm({ x: [3, 3], dModel: 2, eps: 0 })).nonFinite).toBe(1);
    expect((await layerNorm({ x: [], dModel: 2 })).nonFinite).toBe(0);
    const x = [1, 2, 3, 60];
    expect((await layerNorm({ x, dModel: 4, gamma: [1, 1, 1, 3e38] })).nonFinite).toBe(1);
    expect((await layerNorm({ x, dModel: 4, gamma: [1, 1, 1, 1e38] })).nonFinite).toBe(0);
    expect((await layerNorm({ x, dModel: 4, beta: [1, 1, NaN, 1] })).nonFinite).toBe(1);
    expect((await layerNorm({ x: x.map((value) => value * 1e-42), dModel: 4, eps: 0 })).nonFinite).toBe(0);
  });

  it('counts as a search through all of y would, whatever the numbers', async () => {
    const pool = [0, 1, -2, 1e-45, 1e-30, 1e20, -3e38, 3.4e38, NaN, Infinity, -Infinity];
    const draw = (seed: number, n: number, bound: number): number[] =>
      Array.from({ length: n }, (_, i) => pool[Math.floor(Math.abs(Math.sin(seed * 99 + i * 7.13)) * bound)]!);
    for (let seed = 0; seed < 300; ++seed) {
      const request = { x: draw(seed, 9, 11), dModel: 3, gamma: draw(seed + 0.5, 3, 9), eps: seed % 2 ? 0 : 1e-5 };
      for (const [norm, perFeature] of [
        [layerNorm, false],
        [rmsNorm, false],
        [batchNorm, true],
      ] as const) {
        const { y, nonFinite } = await norm(request);
        const bad = new Set<number>();
        y.forEach((value, i) => !Number.isFinite(value) && bad.add(perFeature ? i % 3 : Math.floor(i / 3)));
        expect(nonFinite, JSON.stringify({ seed, perFeature })).toBe(bad.size);
      }
    }
  });

  it('returns nothing for no rows, and zero gradients', async () => {
    expect((await layerNorm({ x: [], dModel: 8 })).y.length).toBe(0);
    const { dx, dgamma, dbeta } = await layerNormBackward({
      x: [],
      dy: [],
      dModel: 8,
      gamma: new Array<number>(8).fill(2),
    });
    expect([dx.length, Array.from(dgamma), Array.from(dbeta)]).toEqual([0, new Array(8).fill(0), new Array(8).fill(0)]);
  });

  it('keeps no state between calls: a backward belongs to its own x', async () => {
    await layerNorm({ x: [1, 2, 4, 9], dModel: 4 });
    await layerNorm({ x: [0, 0, 1, 1], dModel: 4 });
    near(
      (await layerNormBackward({ x: [1, 2, 4, 9], dy: [1, 0, 0, 0], dModel: 4 })).dx,
      [0.1664904, -0.1323384, -0.08111067, 0.04695867],
    );
  });

  it('is not mixed up by calls of one shape with and without gamma', async () => {
    const x = [1, 2, 3, 6];
    const [plain, scaled, again] = await Promise.all([
      layerNorm({ x, dModel: 4 }),
      layerNorm({ x, dModel: 4, gamma: [2, 2, 2, 2] }),
      layerNorm({ x, dModel: 4 }),
    ]);
    near(
      scaled.y,
      exactLayerNorm(x).map((value) => 2 * value),
      2e-6,
    );
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
    const { dgamma } = await rmsNormBackward({
      x: [1, -2, 2],
      dy: [1, 1, -3],
      dModel: 3,
      gamma: [2, 0.5, -1],
      eps: 0.25,
    });
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
    expect(results[0]).toMatchObject({
      device: 'wasm',
      adapter: null,
      simd: true,
      version: expect.stringMatching(/^\d+\.\d+\.\d+/),
    });
    expect(results[1]).toEqual(results[0]);
  });
});
