/** The block against an independent implementation with automatic differentiation. */
import * as tf from '@tensorflow/tfjs-core/dist/index.js';
import '@tensorflow/tfjs-core/dist/register_all_gradients.js';
import '@tensorflow/tfjs-backend-cpu/dist/index.js';
import { type ModelSpec, type PlacementName, transformerBlock } from 'normscope';
import { beforeAll, describe, expect, it } from 'vitest';

const [nBatch, nCtx, d, nHead, hidden, eps] = [2, 5, 8, 2, 12, 1e-5];
type Vars = Record<string, tf.Tensor>;

const x = Float32Array.from({ length: nBatch * nCtx * d }, (_, i) => Math.sin(1.7 * i) + 0.3 * Math.cos(i * i));
const dy = Float32Array.from(x, (_, i) => Math.cos(0.9 * i));

const layerNorm = (v: Vars, name: string, z: tf.Tensor): tf.Tensor => {
  const centred = tf.sub(z, tf.mean(z, -1, true));
  const deviation = tf.sqrt(tf.add(tf.mean(tf.square(centred), -1, true), eps));
  return tf.add(tf.mul(tf.div(centred, deviation), v[`${name}.weight`]!), v[`${name}.bias`]!);
};
const linear = (v: Vars, name: string, z: tf.Tensor): tf.Tensor =>
  tf.add(tf.matMul(z, v[`${name}.weight`]!, false, true), v[`${name}.bias`]!);
const gelu = (z: tf.Tensor): tf.Tensor => {
  const inner = tf.mul(Math.sqrt(2 / Math.PI), tf.add(z, tf.mul(0.044715, tf.pow(z, 3))));
  return tf.mul(tf.mul(z, 0.5), tf.add(tf.tanh(inner), 1));
};

function attention(v: Vars, z: tf.Tensor): tf.Tensor {
  const heads = (name: string): tf.Tensor =>
    tf.transpose(tf.reshape(linear(v, `attn.${name}`, z), [nBatch, nCtx, nHead, d / nHead]), [0, 2, 1, 3]);
  const scores = tf.div(tf.matMul(heads('q_proj'), heads('k_proj'), false, true), Math.sqrt(d / nHead));
  const mask = tf.tensor2d(
    Array.from({ length: nCtx }, (_, i) => Array.from({ length: nCtx }, (_, j) => (j <= i ? 0 : -1e9))),
  );
  const mixed = tf.matMul(tf.softmax(tf.add(scores, mask)), heads('v_proj'));
  return linear(v, 'attn.out_proj', tf.reshape(tf.transpose(mixed, [0, 2, 1, 3]), [nBatch * nCtx, d]));
}
const mlp = (v: Vars, z: tf.Tensor): tf.Tensor => linear(v, 'mlp.fc2', gelu(linear(v, 'mlp.fc1', z)));

/** Which slots a placement fills, written down once more, independently of the package's table. */
const SLOTS: Record<string, { input?: boolean; output?: boolean; stream?: boolean }> = {
  'pre-ln': { input: true },
  'post-ln': { stream: true },
  'peri-ln': { input: true, output: true },
  'output-ln': { output: true },
  none: {},
};

function block(v: Vars, placement: string, z: tf.Tensor): tf.Tensor {
  const { input, output, stream } = SLOTS[placement]!;
  const step = (prefix: string, skip: tf.Tensor, f: (inner: tf.Tensor) => tf.Tensor): tf.Tensor => {
    const branch = f(input ? layerNorm(v, `${prefix}_in`, skip) : skip);
    const sum = tf.add(skip, output ? layerNorm(v, `${prefix}_out`, branch) : branch);
    return stream ? layerNorm(v, `${prefix}_stream`, sum) : sum;
  };
  const mid = step('ln_attn', z, (inner) => attention(v, inner));
  return step('ln_mlp', mid, (inner) => mlp(v, inner));
}

function expectNear(name: string, got: Float32Array, right: Float32Array): void {
  const scale = right.reduce((most, value) => Math.max(most, Math.abs(value)), 1e-3);
  const worst = got.reduce((most, value, i) => Math.max(most, Math.abs(value - right[i]!)), 0);
  expect(worst / scale, `${name} is off by ${worst} of ${scale}`).toBeLessThan(2e-5);
}

describe('a transformer block agrees with TensorFlow.js, forward and in every gradient', () => {
  beforeAll(() => {
    tf.env().set('IS_TEST', true); // no advertisement in the output
    return tf.setBackend('cpu');
  });

  for (const placement of Object.keys(SLOTS) as PlacementName[]) {
    it(placement, async () => {
      const spec: ModelSpec = { placement, dModel: d, nHead, dFF: hidden, nCtx, eps, seed: 11 };
      const initial = await transformerBlock({ x, spec });
      // Gains and biases that differ from 1 and 0, so that none can be forgotten.
      const parameters = Object.fromEntries(
        Object.entries(initial.parameters).map(([name, value]) => [
          name,
          value.map((w, i) => w + 0.2 * Math.sin(i + name.length)),
        ]),
      );
      const ours = await transformerBlock({ x, spec, parameters, dy });

      const names = Object.keys(parameters);
      const shape = (name: string): number[] =>
        name.endsWith('fc1.weight')
          ? [hidden, d]
          : name.endsWith('fc2.weight')
            ? [d, hidden]
            : name.endsWith('proj.weight')
              ? [d, d]
              : [parameters[name]!.length];
      const forward = (z: tf.Tensor, ...values: tf.Tensor[]): tf.Tensor =>
        block(Object.fromEntries(names.map((name, i) => [name.replace('blocks.0.', ''), values[i]!])), placement, z);
      const inputs = [
        tf.tensor(x, [nBatch * nCtx, d]),
        ...names.map((name) => tf.tensor(parameters[name]!, shape(name))),
      ];
      const y = forward(...(inputs as [tf.Tensor]));
      const [dx, ...gradients] = tf.grads((...all: tf.Tensor[]) =>
        tf.sum(tf.mul(forward(...(all as [tf.Tensor])), tf.tensor(dy, [nBatch * nCtx, d]))),
      )(inputs);

      expectNear('y', ours.y, y.dataSync() as Float32Array);
      expectNear('dx', ours.dx!, dx!.dataSync() as Float32Array);
      names.forEach((name, i) => {
        // The keys' bias shifts all scores of a query alike: its gradient is 0, and rounding is all that is left.
        if (name.endsWith('k_proj.bias'))
          expect(ours.gradients![name]!.every((value) => Math.abs(value) < 1e-5)).toBe(true);
        else expectNear(name, ours.gradients![name]!, gradients[i]!.dataSync() as Float32Array);
      });
    });
  }
});
