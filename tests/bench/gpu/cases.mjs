// The work: sizes, and the numbers that every candidate gets. Matrices are [in, out] here.

const numbers = (n, seed = 1, reach = 1) =>
  Float32Array.from({ length: n }, (_, i) => reach * Math.sin(i * 12.9898 + seed));

const SIZES = {
  small: {
    norm: [
      [1024, 64],
      [256, 768],
    ],
    product: [
      [128, 128, 128],
      [256, 128, 512],
    ],
    block: [{ B: 1, T: 64, d: 128, h: 4 }],
    training: [{ L: 2, B: 2, T: 32, d: 64, h: 4, V: 64 }],
  },
  large: {
    norm: [
      [4096, 64],
      [8192, 768],
      [8192, 1600],
      [2048, 4096],
    ],
    product: [
      [1024, 768, 768],
      [2048, 2048, 2048],
      [4096, 768, 3072],
    ],
    block: [
      { B: 4, T: 128, d: 128, h: 4 },
      { B: 4, T: 512, d: 768, h: 12 },
    ],
    training: [
      { L: 4, B: 8, T: 64, d: 128, h: 4, V: 64 },
      { L: 12, B: 4, T: 256, d: 768, h: 12, V: 256 },
    ],
  },
};

function norm(kind, title, [rows, d]) {
  const arrays = {
    x: numbers(rows * d, 1, 2),
    residual: numbers(rows * d, 2),
    dy: numbers(rows * d, 3),
    gamma: numbers(d, 4, 0.3).map((value) => 1 + value),
    beta: numbers(d, 5, 0.3),
  };
  return { kind, title: `${title}, ${rows} x ${d}`, rows, d, eps: 1e-5, ...arrays };
}

const product = ([rows, nIn, nOut]) => ({
  kind: 'matmul',
  title: `Matrix product, ${rows} x ${nIn} x ${nOut}`,
  ...{ rows, nIn, nOut, x: numbers(rows * nIn, 1), weight: numbers(nIn * nOut, 2, 0.1) },
});

/** [rows, columns] of each parameter of a block; vectors have one row. */
export const blockShapes = (d) => ({
  gamma1: [1, d],
  beta1: [1, d],
  qkv: [d, 3 * d],
  qkvBias: [1, 3 * d],
  out: [d, d],
  outBias: [1, d],
  gamma2: [1, d],
  beta2: [1, d],
  up: [d, 4 * d],
  upBias: [1, 4 * d],
  down: [4 * d, d],
  downBias: [1, d],
});

/** Small numbers; gains around 1. */
function blockParameters(d) {
  const entries = Object.entries(blockShapes(d)).map(([name, [rows, columns]], i) => {
    const values = numbers(rows * columns, i, 1 / Math.sqrt(d));
    return [name, name.startsWith('gamma') ? values.map((value) => 1 + value) : values];
  });
  return Object.fromEntries(entries);
}

const block = (sizes) => ({
  kind: 'block',
  title: `Pre-LN block forward, ${sizes.B} x ${sizes.T} tokens, d ${sizes.d}, ${sizes.h} heads`,
  ...{ ...sizes, eps: 1e-5, x: numbers(sizes.B * sizes.T * sizes.d), parameters: blockParameters(sizes.d) },
});

const training = (sizes) => ({
  kind: 'training',
  title: `Training step (AdamW), ${sizes.L} layers, d ${sizes.d}, batch ${sizes.B} x ${sizes.T}`,
  ...{ ...sizes, eps: 1e-5, rate: 1e-3, beta1: 0.9, beta2: 0.95, adamEps: 1e-8, decay: 0.1 },
});

export const casesOf = (shapes) => [
  ...SIZES[shapes].norm.map((size) => norm('layernorm', 'LayerNorm forward', size)),
  ...SIZES[shapes].norm.map((size) => norm('gradients', 'LayerNorm forward and backward', size)),
  ...SIZES[shapes].norm.map((size) => norm('residual', 'Residual addition and LayerNorm', size)),
  ...SIZES[shapes].product.map(product),
  ...SIZES[shapes].block.map(block),
  ...SIZES[shapes].training.map(training),
];
