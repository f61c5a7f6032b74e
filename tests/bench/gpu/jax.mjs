// jax-js on WebGPU, everything under jit. An array is consumed by what it is given to; `.ref` keeps it.
import * as jax from '@jax-js/jax';
import { blockShapes } from './cases.mjs';

const { numpy: np, nn, jit, grad, valueAndGrad } = jax;

async function start() {
  const devices = await jax.init('webgpu');
  if (!devices.includes('webgpu')) throw new Error('jax-js found no WebGPU');
  jax.defaultDevice('webgpu');
}

async function put(values, shape) {
  const array = np.array(values, { shape }).reshape(shape);
  await array.blockUntilReady();
  return array;
}

function candidate(work, inputs) {
  let last = [];
  const drop = (arrays) => arrays.forEach((array) => array.dispose());
  const run = () => {
    drop(last);
    last = [work(...inputs.map((array) => array.ref))].flat();
  };
  const settle = async () => {
    for (const array of last) await array.blockUntilReady();
  };
  return { run, settle, output: () => last[0].ref.data(), free: () => drop([...last, ...inputs]) };
}

const layerNorm = (x, gamma, beta, eps) => nn.standardize(x, -1, { epsilon: eps }).mul(gamma).add(beta);
const affine = (x, weight, bias) => np.matmul(x, weight).add(bias);

function block(x, p, { B, T, d, h, eps }) {
  const split = affine(layerNorm(x.ref, p.gamma1, p.beta1, eps), p.qkv, p.qkvBias).reshape([B, T, 3, h, d / h]);
  const [q, k, v] = [split.ref.slice([], [], 0), split.ref.slice([], [], 1), split.slice([], [], 2)];
  const heads = nn.dotProductAttention(q, k, v, { isCausal: true }).reshape([B * T, d]);
  const mid = x.add(affine(heads, p.out, p.outBias));
  const hidden = nn.gelu(affine(layerNorm(mid.ref, p.gamma2, p.beta2, eps), p.up, p.upBias));
  return mid.add(affine(hidden, p.down, p.downBias));
}

const NAMES = Object.keys(blockShapes(1));
const byName = (arrays) => Object.fromEntries(NAMES.map((name, i) => [name, arrays[i]]));

/** Names, shapes and start values of a whole model. */
function modelParameters({ L, T, d, V }) {
  const shapes = [
    ['token', [V, d]],
    ['position', [T, d]],
    ...Array.from({ length: L }, (_, l) =>
      Object.entries(blockShapes(d)).map(([name, shape]) => [`${l}.${name}`, shape]),
    ).flat(),
    ['gamma', [1, d]],
    ['beta', [1, d]],
    ['head', [d, V]],
  ];
  return shapes.map(([name, shape]) => {
    const gain = /gamma/.test(name) ? 1 : 0;
    const values = Float32Array.from({ length: shape[0] * shape[1] }, (_, i) => gain + 0.05 * Math.sin(i * 12.9898));
    return { name, shape, values };
  });
}

/** Mean cross-entropy of the model; consumes its arguments. */
const lossOf = (names, { B, T, d, h, L, V, eps }) =>
  function loss(arrays, tokens, targets) {
    const p = Object.fromEntries(names.map((name, i) => [name, arrays[i]]));
    const embedded = np.matmul(nn.oneHot(tokens, V), p.token).reshape([B, T, d]).add(p.position);
    let x = embedded.reshape([B * T, d]);
    for (let l = 0; l < L; l++) x = block(x, byName(NAMES.map((name) => p[`${l}.${name}`])), { B, T, d, h, eps });
    const logits = np.matmul(layerNorm(x, p.gamma, p.beta, eps), p.head);
    return nn
      .logSoftmax(logits, -1)
      .mul(nn.oneHot(targets, V))
      .sum()
      .mul(-1 / (B * T));
  };

/** One parameter's AdamW: its next value and moments. correction1, correction2: 1 / (1 - beta^t). */
function adamw({ rate, beta1, beta2, adamEps, decay }, p, m, v, g, correction1, correction2) {
  const nextM = m.mul(beta1).add(g.ref.mul(1 - beta1));
  const nextV = v.mul(beta2).add(np.square(g).mul(1 - beta2));
  const update = nextM.ref.mul(correction1).div(np.sqrt(nextV.ref.mul(correction2)).add(adamEps));
  return [p.ref.sub(update.add(p.mul(decay)).mul(rate)), nextM, nextV];
}

async function training(work) {
  const model = modelParameters(work);
  const loss = lossOf(
    model.map(({ name }) => name),
    work,
  );
  let p = await Promise.all(model.map(({ values, shape }) => put(values, shape)));
  let [m, v] = [0, 1].map(() => model.map(({ shape }) => np.zeros(shape)));
  const n = work.B * work.T;
  const token = (shift) =>
    np.array(
      Int32Array.from({ length: n }, (_, i) => (i * 7 + shift) % work.V),
      { dtype: np.int32 },
    );
  const [tokens, targets] = [token(0), token(7)];
  const step = jit((oldP, oldM, oldV, correction1, correction2, from, to) => {
    const [value, gradients] = valueAndGrad(loss)(jax.tree.ref(oldP), from, to);
    const next = oldP.map((_, i) =>
      adamw(work, oldP[i], oldM[i], oldV[i], gradients[i], correction1.ref, correction2.ref),
    );
    correction1.dispose();
    correction2.dispose();
    return [value, ...[0, 1, 2].map((part) => next.map((parts) => parts[part]))];
  });
  let t = 0;
  let value;
  const run = () => {
    t++;
    value?.dispose();
    const corrections = [work.beta1, work.beta2].map((beta) => np.array(1 / (1 - beta ** t)));
    [value, p, m, v] = step(p, m, v, ...corrections, tokens.ref, targets.ref);
  };
  const settle = async () => void (await value.blockUntilReady());
  const free = () => [value, ...p, ...m, ...v, tokens, targets].forEach((array) => array.dispose());
  return { run, settle, free };
}

const KINDS = {
  async layernorm({ rows, d, eps, x, gamma, beta }) {
    const inputs = [await put(x, [rows, d]), await put(gamma, [d]), await put(beta, [d])];
    return candidate(
      jit((a, g, b) => layerNorm(a, g, b, eps)),
      inputs,
    );
  },
  async gradients({ rows, d, eps, x, dy, gamma, beta }) {
    const inputs = [await put(x, [rows, d]), await put(dy, [rows, d]), await put(gamma, [d]), await put(beta, [d])];
    const gradients = (a, arriving, g, b) =>
      grad((a1, g1, b1) => layerNorm(a1, g1, b1, eps).mul(arriving).sum(), { argnums: [0, 1, 2] })(a, g, b);
    return candidate(jit(gradients), inputs);
  },
  async residual({ rows, d, eps, x, residual, gamma, beta }) {
    const inputs = [
      await put(x, [rows, d]),
      await put(residual, [rows, d]),
      await put(gamma, [d]),
      await put(beta, [d]),
    ];
    const work = (a, r, g, b) => {
      const sum = a.add(r);
      return [layerNorm(sum.ref, g, b, eps), sum];
    };
    return candidate(jit(work), inputs);
  },
  async matmul({ rows, nIn, nOut, x, weight }) {
    return candidate(
      jit((a, b) => np.matmul(a, b)),
      [await put(x, [rows, nIn]), await put(weight, [nIn, nOut])],
    );
  },
  async block(work) {
    const { B, T, d, x, parameters } = work;
    const shapes = Object.entries(blockShapes(d));
    const arrays = await Promise.all(shapes.map(([name, shape]) => put(parameters[name], shape)));
    return candidate(
      jit((a, ...p) => block(a, byName(p), work)),
      [await put(x, [B * T, d]), ...arrays],
    );
  },
  training,
};

export async function open(work) {
  await start();
  return KINDS[work.kind](work);
}
