// onnxruntime-web on WebGPU; inputs and outputs stay in GPU buffers. It has no gradients.
import * as ort from 'onnxruntime-web/webgpu';
import { blockShapes } from './cases.mjs';
import { float, model, node } from './onnx.mjs';

ort.env.wasm.wasmPaths = '/tests/bench/node_modules/onnxruntime-web/dist/'; // of the server's root, which is the repository's
ort.env.wasm.numThreads = 1;
ort.env.logLevel = 'error';

async function candidate(bytes, inputs) {
  const options = { executionProviders: ['webgpu'], preferredOutputLocation: 'gpu-buffer' };
  const session = await ort.InferenceSession.create(bytes, options);
  const device = await ort.env.webgpu.device;
  const buffers = [];
  const feed = ([name, { values, shape }]) => {
    const usage = GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC | GPUBufferUsage.COPY_DST;
    const buffer = device.createBuffer({ size: Math.ceil(values.byteLength / 16) * 16, usage });
    device.queue.writeBuffer(buffer, 0, values);
    buffers.push(buffer);
    return [name, ort.Tensor.fromGpuBuffer(buffer, { dataType: 'float32', dims: shape })];
  };
  const feeds = Object.fromEntries(Object.entries(inputs).map(feed));
  let last = {};
  const drop = () => Object.values(last).forEach((tensor) => tensor.dispose());
  const run = async () => {
    drop();
    last = await session.run(feeds);
  };
  const free = async () => {
    drop();
    await session.release();
    buffers.forEach((buffer) => buffer.destroy());
  };
  const settle = () => device.queue.onSubmittedWorkDone();
  return { run, settle, output: async () => (await last.y.getData()).slice(), free };
}

const KINDS = {
  layernorm({ rows, d, eps, x, gamma, beta }) {
    const shape = [rows, d];
    const nodes = [node('LayerNormalization', ['x', 'gamma', 'beta'], ['y'], { axis: -1, epsilon: float(eps) })];
    const constants = { gamma: { shape: [d], values: gamma }, beta: { shape: [d], values: beta } };
    return candidate(model({ nodes, constants, inputs: { x: shape }, outputs: { y: shape } }), {
      x: { values: x, shape },
    });
  },
  residual({ rows, d, eps, x, residual, gamma, beta }) {
    const shape = [1, rows, d];
    const operands = ['x', 'residual', 'gamma', 'beta'];
    const nodes = [
      node('SkipLayerNormalization', operands, ['y', '', '', 'sum'], { epsilon: float(eps) }, 'com.microsoft'),
    ];
    const constants = { gamma: { shape: [d], values: gamma }, beta: { shape: [d], values: beta } };
    const bytes = model({ nodes, constants, inputs: { x: shape, residual: shape }, outputs: { y: shape, sum: shape } });
    return candidate(bytes, { x: { values: x, shape }, residual: { values: residual, shape } });
  },
  matmul({ rows, nIn, nOut, x, weight }) {
    const nodes = [node('MatMul', ['x', 'weight'], ['y'])];
    const constants = { weight: { shape: [nIn, nOut], values: weight } };
    const bytes = model({ nodes, constants, inputs: { x: [rows, nIn] }, outputs: { y: [rows, nOut] } });
    return candidate(bytes, { x: { values: x, shape: [rows, nIn] } });
  },
  block(work) {
    const shape = [work.B, work.T, work.d];
    const bytes = model({ ...blockGraph(work), inputs: { x: shape }, outputs: { y: shape } });
    return candidate(bytes, { x: { values: work.x, shape } });
  },
};

/** The block in ONNX's own operations, as an exporter writes it. */
function blockGraph({ B, T, d, h, eps, parameters }) {
  const parameter = ([name, [rows, columns]]) => {
    const shape = rows === 1 ? [columns] : [rows, columns];
    return [name, { shape, values: parameters[name] }];
  };
  const list = (...values) => ({ shape: [values.length], values });
  const constants = {
    ...Object.fromEntries(Object.entries(blockShapes(d)).map(parameter)),
    ...{ thirds: list(d, d, d), heads: list(B, T, h, d / h), rows: list(B, T, d) },
    scale: { shape: [1], values: Float32Array.of(1 / Math.sqrt(d / h)) },
    mask: {
      shape: [1, 1, T, T],
      values: Float32Array.from({ length: T * T }, (_, i) => (i % T > Math.floor(i / T) ? -1e30 : 0)),
    },
  };
  const norm = (x, y, i) =>
    node('LayerNormalization', [x, `gamma${i}`, `beta${i}`], [y], { axis: -1, epsilon: float(eps) });
  const affine = (x, weight, y) => [
    node('MatMul', [x, weight], [`${y}_product`]),
    node('Add', [`${y}_product`, `${weight}Bias`], [y]),
  ];
  const toHeads = (name) => [
    node('Reshape', [name, 'heads'], [`${name}_split`]),
    node('Transpose', [`${name}_split`], [`${name}_heads`], { perm: name === 'k' ? [0, 2, 3, 1] : [0, 2, 1, 3] }),
  ];
  const nodes = [
    norm('x', 'attn_in', 1),
    ...affine('attn_in', 'qkv', 'all'),
    node('Split', ['all', 'thirds'], ['q', 'k', 'v'], { axis: 2 }),
    ...['q', 'k', 'v'].flatMap(toHeads),
    node('MatMul', ['q_heads', 'k_heads'], ['scores']),
    node('Mul', ['scores', 'scale'], ['scaled']),
    node('Add', ['scaled', 'mask'], ['masked']),
    node('Softmax', ['masked'], ['probs'], { axis: -1 }),
    node('MatMul', ['probs', 'v_heads'], ['attended']),
    node('Transpose', ['attended'], ['joined'], { perm: [0, 2, 1, 3] }),
    node('Reshape', ['joined', 'rows'], ['attn']),
    ...affine('attn', 'out', 'attn_out'),
    node('Add', ['x', 'attn_out'], ['mid']),
    norm('mid', 'mlp_in', 2),
    ...affine('mlp_in', 'up', 'hidden'),
    node('Gelu', ['hidden'], ['act'], { approximate: 'tanh' }),
    ...affine('act', 'down', 'mlp_out'),
    node('Add', ['mid', 'mlp_out'], ['y']),
  ];
  return { nodes, constants };
}

export const open = async (work) => KINDS[work.kind]?.(work);
