// npm run bench [-- --rounds N]: ratios of the built package against peers and the native build, one thread each.
// Read the ratios, not the milliseconds: every line of a case was measured in turn in this one process.
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import * as tf from '@tensorflow/tfjs-core';
import { setWasmPaths } from '@tensorflow/tfjs-backend-wasm';
import { createSession, layerNorm, layerNormBackward, load } from '../../dist/index.js';
import { runOp } from '../../dist/testing.js';
import { interleave, median, report } from './measure.mjs';
import * as plain from './plain.mjs';

const root = join(fileURLToPath(import.meta.url), '../../..');
const { values } = parseArgs({ options: { rounds: { type: 'string', default: '9' } } });
const rounds = Number(values.rounds);

const numbers = (n, seed = 1) => Float32Array.from({ length: n }, (_, i) => Math.sin(i * 12.9898 + seed) * 2);

async function startTfjs() {
  setWasmPaths(join(root, 'tests/bench/node_modules/@tensorflow/tfjs-backend-wasm/dist/'));
  await tf.setBackend('wasm');
}

/** LayerNorm as tfjs users compose it. */
function tfLayerNorm(x, gamma, beta) {
  const { mean, variance } = tf.moments(x, 1, true);
  return tf.add(tf.mul(tf.mul(tf.sub(x, mean), tf.rsqrt(tf.add(variance, 1e-5))), gamma), beta);
}

async function benchLayerNorm(rows, d) {
  const x = numbers(rows * d);
  const gamma = numbers(d, 2);
  const beta = numbers(d, 3);
  const out = new Float32Array(rows * d);
  const [tx, tg, tb] = [tf.tensor2d(x, [rows, d]), tf.tensor1d(gamma), tf.tensor1d(beta)];
  const times = await interleave(
    {
      'normscope layerNorm, out': () => layerNorm({ x, dModel: d, gamma, beta, out, device: 'wasm' }),
      'plain JavaScript': () => plain.layerNorm(x, d, gamma, beta, 1e-5, out),
      'tfjs wasm, without copies': () => tf.tidy(() => void tfLayerNorm(tx, tg, tb)),
    },
    rounds,
  );
  report(`LayerNorm forward ${rows} x ${d}, one-shot with copies`, times);
}

async function benchLayerNormBackward(rows, d) {
  const [x, dy, gamma] = [numbers(rows * d), numbers(rows * d, 4), numbers(d, 2)];
  const [dx, dgamma, dbeta] = [new Float32Array(rows * d), new Float32Array(d), new Float32Array(d)];
  const times = await interleave(
    {
      'normscope layerNormBackward': () => layerNormBackward({ x, dy, dModel: d, gamma, device: 'wasm' }),
      'plain JavaScript': () => plain.layerNormBackward(x, dy, d, gamma, 1e-5, dx, dgamma, dbeta),
    },
    rounds,
  );
  report(`LayerNorm forward + backward ${rows} x ${d}, one-shot with copies`, times);
}

async function benchLinear(n, nIn, nOut) {
  const [x, weight, bias, y] = [
    numbers(n * nIn),
    numbers(nOut * nIn, 2),
    new Float32Array(nOut),
    new Float32Array(n * nOut),
  ];
  const [tx, tw] = [tf.tensor2d(x, [n, nIn]), tf.tensor2d(weight, [nOut, nIn])];
  const times = await interleave(
    {
      'normscope linear (runOp)': () =>
        runOp({ op: 'linear_forward', params: { rows: n, n_in: nIn, n_out: nOut }, inputs: { x, weight, bias } }),
      'plain JavaScript': () => plain.linear(x, weight, n, nIn, nOut, y),
      'tfjs wasm, without copies': () => tf.tidy(() => void tf.matMul(tx, tw, false, true)),
    },
    rounds,
  );
  report(`Linear ${n} x ${nIn} -> ${nOut}, with copies`, times);
}

async function benchTrainingStep(spec, title) {
  const session = await createSession({ spec, data: { kind: 'markov' }, device: 'wasm' });
  const step = async () => {
    await session.nextBatch();
    await session.run({ phases: ['forward', 'backward', 'observe', 'update'] });
  };
  const program = join(root, 'build/cmake/native/tests/bench/native_step');
  const lines = Object.entries(session.plan.spec)
    .map(([key, value]) => `${key} ${value}\n`)
    .join('');
  const native = () => Number(execFileSync(program, [lines, '40'], { encoding: 'utf8' }));
  for (let i = 0; i < 10; i++) await step();
  const ratios = [];
  const ours = [];
  for (let round = 0; round < rounds; round++) {
    const start = performance.now();
    for (let i = 0; i < 40; i++) await step();
    ours.push((performance.now() - start) / 40);
    if (existsSync(program)) ratios.push(ours.at(-1) / native());
  }
  session.free();
  console.log(`\nTraining step, ${title}`);
  console.log(`  normscope wasm               ${median(ours).toFixed(3)} ms`);
  console.log(
    ratios.length
      ? `  native build of the same C++: wasm takes ${median(ratios).toFixed(2)}x its time`
      : '  (no native build found)',
  );
}

await startTfjs();
const { device, simd, version } = await load({ device: 'wasm' });
console.log(`normscope ${version}, ${device}, simd ${simd}, Node ${process.version}, ${rounds} rounds`);
await benchLayerNorm(1024, 768);
await benchLayerNorm(4096, 64);
await benchLayerNormBackward(1024, 768);
await benchLinear(256, 128, 512);
await benchLinear(128, 32, 128);
await benchTrainingStep({ placement: 'pre-ln' }, 'L=6 d=32, batch 4 x 32');
await benchTrainingStep(
  { placement: 'peri-ln', nLayer: 4, dModel: 128, nCtx: 64, nBatch: 8 },
  'L=4 d=128, batch 8 x 64',
);
