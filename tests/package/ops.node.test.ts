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

type Outputs = Record<string, Float32Array>;
const run = async (op: string, params: object, inputs: object): Promise<Outputs> =>
  (await runOp({ op, params, inputs } as never)) as Outputs;
const refusal = async (op: string, params: object, inputs: object): Promise<string> =>
  run(op, params, inputs).then(
    () => 'not refused',
    (error: Error) => error.message,
  );

describe('DyT', () => {
  const [x, gamma, beta, dy] = [
    [0.5, -1, 2, 0, 3, -4],
    [2, 1, -1],
    [0.25, 0, 1],
    [1, 2, 3, 4, 5, 6],
  ];

  it('is γ tanh(α x) + β, with α 0.5 where none is given', async () => {
    const right = x.map((v, i) => gamma[i % 3]! * Math.tanh(0.5 * v) + beta[i % 3]!);
    near((await run('dyt_forward', { d: 3 }, { x, gamma, beta })).y!, right);
    near((await run('dyt_forward', { d: 3 }, { x, alpha: 0.5, gamma, beta })).y!, right);
  });

  it('has the gradients of that formula', async () => {
    const alpha = 0.75;
    const slope = x.map((v, i) => (gamma[i % 3]! * dy[i]!) / Math.cosh(alpha * v) ** 2);
    const { dx, dalpha, dgamma, dbeta } = await run('dyt_backward', { d: 3 }, { x, alpha, gamma, beta, dy });
    near(
      dx!,
      slope.map((s) => alpha * s),
    );
    near(dalpha!, [slope.reduce((sum, s, i) => sum + s * x[i]!, 0)], 1e-5);
    near(
      dgamma!,
      [0, 1, 2].map((j) => dy[j]! * Math.tanh(alpha * x[j]!) + dy[j + 3]! * Math.tanh(alpha * x[j + 3]!)),
    );
    near(dbeta!, [5, 7, 9]);
  });

  it('takes one α', async () => {
    expect(await refusal('dyt_forward', { d: 3 }, { x, alpha: [1, 2, 3] })).toMatch(/alpha .*1/);
  });
});

describe('a branch scale', () => {
  const [x, dy] = [
    [1, 2, 3, 4],
    [1, -1, 2, 0.5],
  ];

  it('multiplies by one number or by one for each feature', async () => {
    near((await run('channel_scale', { d: 2 }, { x, s: 3 })).y!, [3, 6, 9, 12]);
    near((await run('channel_scale', { d: 2 }, { x, s: [1, -1] })).y!, [1, -2, 3, -4]);
  });

  it('gathers its gradient over all that it scales', async () => {
    const one = await run('channel_scale', { d: 2 }, { x, s: 3, dy });
    near(one.ds!, [7]);
    near(one.dx!, [3, -3, 6, 1.5]);
    near((await run('channel_scale', { d: 2 }, { x, s: [1, -1], dy })).ds!, [7, 0]);
  });

  it('refuses any other number of scales', async () => {
    expect(await refusal('channel_scale', { d: 2 }, { x, s: [1, 2, 3] })).toMatch(/scales must be 1 or d/);
  });
});

describe('BatchNorm with running statistics', () => {
  const x = [1, 10, 3, 30];

  it('takes a step towards the mean and the unbiased variance of the batch', async () => {
    const { y, running_mean: mean, running_var: variance } = await run('batchnorm_running', { d: 2 }, { x });
    near(y!, [-1, -1, 1, 1], 1e-5);
    near(mean!, [0.2, 2]);
    near(variance!, [0.9 + 0.1 * 2, 0.9 + 0.1 * 200], 1e-5);
  });

  it('normalizes by what it was given in evaluation, the same in every call', async () => {
    const given = { x, running_mean: [1, 0], running_var: [4, 25], gamma: [2, 1], beta: [0, 1] };
    for (let call = 0; call < 2; ++call) {
      const { y, running_mean: mean } = await run('batchnorm_running', { d: 2, train: false, eps: 0 }, given);
      near(y!, [0, 3, 2, 7]);
      near(mean!, [1, 0]);
    }
  });

  it('lets a step that is not finite pass by', async () => {
    const { running_mean: mean, running_var: variance } = await run(
      'batchnorm_running',
      { d: 2, finite: false },
      { x },
    );
    near(mean!, [0, 0]);
    near(variance!, [1, 1]);
  });

  it('keeps its momentum between 0 and 1', async () => {
    expect(await refusal('batchnorm_running', { d: 2, momentum: 1.5 }, { x })).toMatch(/momentum must be/);
  });
});

describe('SGD', () => {
  it('gathers momentum, and decays beside it', async () => {
    const params = { lr: 0.5, momentum: 0.5, weight_decay: 0.25 };
    const { p_after_each_step: p, v } = await runOp({ op: 'sgd', params, inputs: { p: 1, grads: [1, 1] } });
    const first = 1 - 0.5 * 0.25 * 1 - 0.5 * 1;
    near(p as Float32Array, [first, first - 0.5 * 0.25 * first - 0.5 * 1.5]);
    expect(v).toBe(1.5);
  });

  it('clips the global norm and skips a gradient that is not finite', async () => {
    const params = { lr: 1, momentum: 0, max_norm: 1 };
    const { p_after_each_step: p } = await runOp({
      op: 'sgd',
      params,
      inputs: { p: [0, 0], grads: [3, 4, 'NaN', 1] },
    });
    near(p as Float32Array, [-0.6, -0.8, -0.6, -0.8]);
  });

  it('refuses a momentum that would never let go', async () => {
    expect(await refusal('sgd', { momentum: 1 }, { p: 1, grads: [1] })).toMatch(
      /momentum must be at least 0 and below 1/,
    );
  });
});

describe('z-loss', () => {
  const request = { rows: 1, V: 2 };
  const inputs = { logits: [Math.log(3), 0], labels: [0] };
  const logZ = Math.log(4);

  it('adds its share of log²Z to the loss and pulls log Z towards 0', async () => {
    const { loss, dlogits } = await run('cross_entropy_mean', { ...request, z_loss: 0.5 }, inputs);
    near([loss as unknown as number], [-Math.log(3 / 4) + 0.5 * logZ ** 2]);
    near(dlogits!, [(1 + logZ) * 0.75 - 1, (1 + logZ) * 0.25]);
  });

  it('is off unless asked for', async () => {
    const plain = await run('cross_entropy_mean', request, inputs);
    expect(await run('cross_entropy_mean', { ...request, z_loss: 0 }, inputs)).toEqual(plain);
    near([plain.loss as unknown as number], [-Math.log(3 / 4)]);
  });

  it('cannot reward', async () => {
    expect(await refusal('cross_entropy_mean', { ...request, z_loss: -1 }, inputs)).toMatch(/z_loss must be/);
  });
});
