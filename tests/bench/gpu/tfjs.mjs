// TensorFlow.js on WebGPU, as its users compose these operations. Tensors stay on the GPU between calls.
import * as tf from '@tensorflow/tfjs-core';
import '@tensorflow/tfjs-backend-webgpu';
import '@tensorflow/tfjs-core/dist/register_all_gradients';
import { blockShapes } from './cases.mjs';

async function start() {
  if (tf.getBackend() === 'webgpu') return;
  if (!(await tf.setBackend('webgpu'))) throw new Error('tfjs could not start its WebGPU backend');
  await tf.ready();
}

/** What tfjs has recorded is handed to the GPU, and waited for. */
async function settle() {
  const backend = tf.backend();
  backend.ensureCommandEncoderReady();
  backend.endComputePassEncoder();
  backend.submitQueue();
  await backend.device.queue.onSubmittedWorkDone();
}

function candidate(work, inputs) {
  let last = [];
  const drop = (tensors) => tensors.forEach((tensor) => tensor.dispose());
  const run = () => {
    drop(last);
    last = [tf.tidy(work)].flat();
  };
  return { run, settle, output: () => last[0].data(), free: () => drop([...last, ...inputs]) };
}

function layerNorm(x, gamma, beta, eps) {
  const { mean, variance } = tf.moments(x, -1, true);
  return tf.add(tf.mul(tf.mul(tf.sub(x, mean), tf.rsqrt(tf.add(variance, eps))), gamma), beta);
}

const affine = (x, weight, bias) => tf.add(tf.matMul(x, weight), bias);

function gelu(x) {
  const inner = tf.mul(Math.sqrt(2 / Math.PI), tf.add(x, tf.mul(0.044715, tf.pow(x, 3))));
  return tf.mul(tf.mul(0.5, x), tf.add(1, tf.tanh(inner)));
}

function block(x, p, mask, { B, T, d, h, eps }) {
  const split = tf.reshape(affine(layerNorm(x, p.gamma1, p.beta1, eps), p.qkv, p.qkvBias), [B, T, 3, h, d / h]);
  const [q, k, v] = tf.unstack(tf.transpose(split, [2, 0, 3, 1, 4]), 0);
  const scores = tf.add(tf.mul(tf.matMul(q, k, false, true), 1 / Math.sqrt(d / h)), mask);
  const heads = tf.transpose(tf.matMul(tf.softmax(scores, -1), v), [0, 2, 1, 3]);
  const mid = tf.add(x, affine(tf.reshape(heads, [B * T, d]), p.out, p.outBias));
  const hidden = gelu(affine(layerNorm(mid, p.gamma2, p.beta2, eps), p.up, p.upBias));
  return tf.add(mid, affine(hidden, p.down, p.downBias));
}

/** 0 where a position may look, far below 0 where it may not. */
const causalMask = (T) =>
  tf.tensor(
    Array.from({ length: T * T }, (_, i) => (i % T > Math.floor(i / T) ? -1e30 : 0)),
    [1, 1, T, T],
  );

const KINDS = {
  layernorm({ rows, d, eps, ...arrays }) {
    const [x, gamma, beta] = [tf.tensor2d(arrays.x, [rows, d]), tf.tensor1d(arrays.gamma), tf.tensor1d(arrays.beta)];
    return candidate(() => layerNorm(x, gamma, beta, eps), [x, gamma, beta]);
  },
  gradients({ rows, d, eps, ...arrays }) {
    const [x, dy] = [arrays.x, arrays.dy].map((values) => tf.tensor2d(values, [rows, d]));
    const [gamma, beta] = [arrays.gamma, arrays.beta].map((values) => tf.tensor1d(values));
    const gradients = tf.grads((a, g, b) => layerNorm(a, g, b, eps));
    return candidate(() => gradients([x, gamma, beta], dy), [x, dy, gamma, beta]);
  },
  residual({ rows, d, eps, ...arrays }) {
    const [x, residual] = [arrays.x, arrays.residual].map((values) => tf.tensor2d(values, [rows, d]));
    const [gamma, beta] = [arrays.gamma, arrays.beta].map((values) => tf.tensor1d(values));
    const work = () => {
      const sum = tf.add(x, residual);
      return [layerNorm(sum, gamma, beta, eps), sum];
    };
    return candidate(work, [x, residual, gamma, beta]);
  },
  matmul({ rows, nIn, nOut, ...arrays }) {
    const [x, weight] = [tf.tensor2d(arrays.x, [rows, nIn]), tf.tensor2d(arrays.weight, [nIn, nOut])];
    return candidate(() => tf.matMul(x, weight), [x, weight]);
  },
  block(work) {
    const { B, T, d, parameters } = work;
    const shapes = Object.entries(blockShapes(d));
    const p = Object.fromEntries(shapes.map(([name, shape]) => [name, tf.tensor2d(parameters[name], shape)]));
    const [x, mask] = [tf.tensor2d(work.x, [B * T, d]), causalMask(T)];
    return candidate(() => block(x, p, mask, work), [x, mask, ...Object.values(p)]);
  },
};

/** Nothing for work that it is not asked to do here: a training step takes minutes on a software adapter. */
export async function open(work) {
  await start();
  return KINDS[work.kind]?.(work);
}
