/** For every op of the testing entry one request or more with arbitrary numbers, shapes that divide evenly and such that do not. */
import type { OpRequest } from 'normscope/testing';

type Request = Omit<OpRequest, 'op' | 'device'>;

/** Repeatable numbers in (-1, 1), by a small linear congruence. */
export function noise(length: number, seed: number): Float32Array {
  let state = seed >>> 0;
  return Float32Array.from({ length }, () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return (state >>> 8) / 2 ** 23 - 1;
  });
}

/** Around `centre`, up to `reach` away. */
const around = (centre: number, reach: number, length: number, seed: number): Float32Array =>
  noise(length, seed).map((value) => centre + reach * value);

/** Whole numbers from 0 to n - 1. */
const classes = (n: number, length: number, seed: number): Float32Array =>
  noise(length, seed).map((value) => Math.floor(((value + 1) / 2) * n));

const SHAPES = [
  [5, 7],
  [8, 64],
  [3, 260],
] as const;

const norm = (withBeta: boolean, withDy: boolean): Request[] =>
  SHAPES.map(([rows, d]) => ({
    params: { rows, d, eps: 1e-5 },
    inputs: {
      x: around(0.5, 3, rows * d, d),
      gamma: around(1, 0.5, d, d + 1),
      ...(withBeta && { beta: noise(d, d + 2) }),
      ...(withDy && { dy: noise(rows * d, d + 3) }),
    },
  }));

const elementwise = (withDy: boolean): Request[] =>
  [6, 256, 1021].map((n) => ({ inputs: { x: around(0, 6, n, n), ...(withDy && { dy: noise(n, n + 1) }) } }));

const dyt = (withDy: boolean): Request[] =>
  norm(true, withDy).map(({ params, inputs }) => ({
    params: { d: (params as { d: number }).d },
    inputs: { ...inputs, alpha: [0.7] },
  }));

const softmaxRows = (names: string[]): Request[] =>
  SHAPES.map(([rows, n]) => ({
    params: { rows, n },
    inputs: Object.fromEntries(names.map((name, i) => [name, around(0, 4, rows * n, n + i)])),
  }));

function addNorm(withBeta: boolean): Request[] {
  return norm(withBeta, false).map(({ params, inputs }) => {
    const { rows, d } = params as { rows: number; d: number };
    return { params: { d, alpha: 1.5, dt: 0.5 }, inputs: { ...inputs, residual: noise(rows * d, 9) } };
  });
}

function attention(withDo: boolean): Request[] {
  const shape = (T: number, S: number, heads: number, head_dim: number, more: object): Request => {
    const names = withDo ? ['q', 'k', 'v', 'do'] : ['q', 'k', 'v'];
    const rows = (name: string): number => (name === 'k' || name === 'v' ? S : T);
    const inputs = names.map((name, i) => [name, around(0, 2, rows(name) * heads * head_dim, T + i)]);
    return { params: { T, S, heads, head_dim, ...more }, inputs: Object.fromEntries(inputs) };
  };
  const mask = Array.from(noise(6 * 9, 3), (value) => value > -0.3);
  return [
    shape(5, 5, 2, 3, { causal: true }),
    shape(16, 16, 2, 8, { causal: true }),
    shape(17, 33, 1, 20, { causal: false, scale: 0.3 }),
    shape(6, 9, 3, 4, { mask }),
    shape(4, 9, 1, 4, { causal: true, kv_offset: 5 }),
    shape(9, 4, 1, 4, { causal: true, kv_offset: -3 }),
  ];
}

const linear = (withDy: boolean): Request[] =>
  [
    [1, 3, 2],
    [16, 16, 64],
    [33, 20, 7],
    [5, 130, 65],
  ].map(([rows, n_in, n_out]) => ({
    params: { rows, n_in, n_out },
    inputs: {
      x: noise(rows! * n_in!, 1),
      weight: noise(n_out! * n_in!, 2),
      ...(withDy ? { dy: noise(rows! * n_out!, 4) } : { bias: noise(n_out!, 3) }),
    },
  }));

const optimizer = (more: object): Request[] =>
  [1, 6, 300].map((n) => ({
    params: { lr: 0.02, weight_decay: 0.1, max_norm: 0.5, step_before: 3, ...more },
    inputs: { p: noise(n, 1), grads: noise(4 * n, 2), v: around(0.5, 0.4, n, 4) },
  }));

const matrices = (names: string[], n: number): Record<string, Float32Array> =>
  Object.fromEntries(names.map((name, i) => [name, around(0, 0.4, n, 50 + i)]));

const blocks: Request[] = [
  {
    params: { d: 6, norm: 'rmsnorm', sublayer: 'f(v) = -0.5 v + 1', dt: 0.5 },
    inputs: { x: noise(24, 1), gamma: around(1, 0.5, 6, 2), dy: noise(24, 3) },
  },
];

export const randomRequests: Record<string, Request[]> = {
  layernorm_forward: norm(true, false),
  layernorm_backward: norm(false, true),
  rmsnorm_forward: norm(false, false),
  rmsnorm_backward: norm(false, true),
  batchnorm_forward: norm(true, false),
  batchnorm_backward: norm(false, true),
  batchnorm_running: [true, false].flatMap((train) =>
    norm(true, false).map(({ params, inputs }) => {
      const { d, eps } = params as { d: number; eps: number };
      const running = { running_mean: noise(d, 7), running_var: around(1, 0.5, d, 8) };
      return { params: { d, eps, momentum: 0.2, train }, inputs: { ...inputs, ...running } };
    }),
  ),
  dyt_forward: dyt(false),
  dyt_backward: dyt(true),
  channel_scale: [1, 7, 64].flatMap((d) =>
    [1, d].map((nScale) => ({
      params: { d },
      inputs: { x: noise(9 * d, 1), s: noise(nScale, 2), dy: noise(9 * d, 3) },
    })),
  ),
  residual_add: [5, 256, 1021].map((n) => ({
    params: { alpha: 0.7, dt: -1.5 },
    inputs: { skip: noise(n, 1), branch: noise(n, 2) },
  })),
  add_layernorm_forward: addNorm(true),
  add_rmsnorm_forward: addNorm(false),
  linear_forward: linear(false),
  linear_backward: linear(true),
  relu: elementwise(false),
  relu_backward: elementwise(true),
  gelu: elementwise(false),
  gelu_tanh: elementwise(false),
  gelu_tanh_backward: elementwise(true),
  gelu_erf: elementwise(false),
  gelu_erf_backward: elementwise(true),
  tanh: elementwise(false),
  tanh_backward: elementwise(true),
  softmax: softmaxRows(['z']),
  softmax_backward: softmaxRows(['p', 'dp']),
  attention_forward: attention(false),
  attention_backward: attention(true),
  cross_entropy_mean: [0, 0.01].flatMap((z_loss) =>
    [3, 32, 300].map((V) => ({
      params: { V, z_loss },
      inputs: { logits: around(0, 5, 9 * V, V), labels: classes(V, 9, 2).map((label, i) => (i === 4 ? -100 : label)) },
    })),
  ),
  embedding: [3, 16].map((d) => ({
    params: { batch: 3, ctx: 5, d, vocab: 6 },
    inputs: {
      tokens: classes(6, 15, 1),
      token_table: noise(6 * d, 2),
      position_table: noise(5 * d, 3),
      dy: noise(15 * d, 4),
    },
  })),
  dropout: [true, false].map((train) => ({
    params: { rate: 0.3, seed: 3_000_000_000, step: 7, train },
    inputs: { x: noise(1021, 1), ...(train && { dy: noise(1021, 2) }) },
  })),
  round_format: ['fp32', 'fp16', 'bf16'].map((format) => ({
    params: { format, d: 7 },
    inputs: { x: noise(203, 1).map((value, i) => value * 2 ** ((i % 45) - 22)) },
  })),
  adamw: optimizer({ beta1: 0.8, beta2: 0.95 }),
  sgd: optimizer({ momentum: 0.8 }),
  adamw_groups: [true, false].map((decay1d) => ({
    params: { decay1d, steps: 2, lr: 0.1, weight_decay: 0.2 },
    inputs: { matrix_weight: [0.5], norm_gamma: [1.5], norm_beta: [0.25], linear_bias: [-0.75] },
  })),
  clip_grad_norm: [2, 0, 0.01].map((max_norm) => ({ params: { max_norm }, inputs: { g: noise(77, 3) } })),
  train_step_guard: [{ params: { lr: 0.1 }, inputs: { p: [1, 2], g: [NaN, 1], m: [0.1], v: [0.2] } }],
  two_steps: [true, false].map((zero_grad_between) => ({
    params: { op: 'layernorm_backward', zero_grad_between, rows: 4, d: 6 },
    inputs: { x: noise(24, 1), gamma: around(1, 0.5, 6, 2), dy: noise(24, 3) },
  })),
  prenorm_block: blocks,
  postnorm_block: blocks,
  residual_backward: [{ params: { d: 6 }, inputs: { x: noise(24, 1), gamma: noise(6, 2), dy: noise(24, 3) } }],
  prenorm_transformer_block: [
    {
      params: { d_model: 8, hidden: 20, heads: 2, T: 5, causal: true, gelu: 'gelu_erf' },
      inputs: {
        x: noise(5 * 8, 1),
        ...matrices(['Wq', 'Wk', 'Wv', 'Wo'], 64),
        ...matrices(['gamma1', 'beta1', 'gamma2', 'beta2', 'c2'], 8),
        ...matrices(['W1', 'W2'], 160),
        c1: noise(20, 9),
      },
    },
  ],
};
