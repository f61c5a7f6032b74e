// Ours: plans in GPU memory, run as sessions run them.
import { startEngine } from '../../../wasm/runtime/core.ts';
import { planOnGpu } from '../../../wasm/runtime/live-plan.ts';
import { dataLines, paramLines, specLines } from '../../../wasm/runtime/spec.ts';
import { blockShapes } from './cases.mjs';

async function candidate(kind, lines, { data, phases, inputs = {}, output }) {
  const engine = await startEngine();
  const { plan, executor, drawBatch, free } = await planOnGpu(engine.create(kind, lines, data), phases);
  const find = (name) => plan.tensors.find((tensor) => tensor.name === name);
  for (const [name, values] of Object.entries(inputs)) executor.write(find(name), values);
  if (plan.dataset) await drawBatch('train');
  return {
    run: () => executor.run(phases),
    settle: () => executor.gpu.queue.onSubmittedWorkDone(),
    output: output && (() => executor.read(find(output))),
    free,
  };
}

const op = (name, params, inputs, output, phases = ['forward']) =>
  candidate(`op:${name}`, paramLines(params), { phases, inputs, output });

/** [in, out] -> [out, in]; `first` and `count` choose columns. */
function turned(matrix, nIn, nOut, first = 0, count = nOut) {
  return Float32Array.from({ length: count * nIn }, (_, i) => matrix[(i % nIn) * nOut + first + Math.floor(i / nIn)]);
}

function blockInputs({ d, x, parameters: p }) {
  const shapes = blockShapes(d);
  const third = (i, name) => turned(p[name], shapes[name][0], 3 * d, i * d, d);
  const attention = ['q_proj', 'k_proj', 'v_proj'].flatMap((name, i) => [
    [`attn.${name}.weight`, third(i, 'qkv')],
    [`attn.${name}.bias`, third(i, 'qkvBias')],
  ]);
  const named = Object.entries({
    ...{ 'ln_attn_in.weight': p.gamma1, 'ln_attn_in.bias': p.beta1 },
    ...{ 'attn.out_proj.weight': turned(p.out, d, d), 'attn.out_proj.bias': p.outBias },
    ...{ 'ln_mlp_in.weight': p.gamma2, 'ln_mlp_in.bias': p.beta2 },
    ...{ 'mlp.fc1.weight': turned(p.up, d, 4 * d), 'mlp.fc1.bias': p.upBias },
    ...{ 'mlp.fc2.weight': turned(p.down, 4 * d, d), 'mlp.fc2.bias': p.downBias },
  });
  return { x, ...Object.fromEntries([...attention, ...named].map(([name, values]) => [`blocks.0.${name}`, values])) };
}

const KINDS = {
  layernorm: ({ rows, d, eps, x, gamma, beta }) => op('layernorm_forward', { rows, d, eps }, { x, gamma, beta }, 'y'),
  gradients: ({ rows, d, eps, x, gamma, dy }) =>
    op('layernorm_backward', { rows, d, eps }, { x, gamma, dy }, 'dx', ['forward', 'backward']),
  residual: ({ rows, d, eps, x, residual, gamma, beta }) =>
    op('add_layernorm_forward', { rows, d, eps, alpha: 1, dt: 1 }, { x, residual, gamma, beta }, 'y'),
  matmul: ({ rows, nIn, nOut, x, weight }) =>
    op('linear_forward', { rows, n_in: nIn, n_out: nOut }, { x, weight: turned(weight, nIn, nOut) }, 'y'),
  block: (work) => {
    const { B: nBatch, T: nCtx, d: dModel, h: nHead, eps } = work;
    const spec = { placement: 'pre-ln', nLayer: 1, dModel, nHead, nBatch, nCtx, eps, activation: 'gelu_tanh' };
    return candidate('block', specLines(spec), { phases: ['forward'], inputs: blockInputs(work), output: 'y' });
  },
  training: ({ L, B, T, d, h, V, rate, beta1, beta2, adamEps, decay }) => {
    const sizes = { nLayer: L, dModel: d, nHead: h, nBatch: B, nCtx: T };
    const training = { learningRate: rate, beta1, beta2, adamEps, weightDecay: decay };
    return candidate('model', specLines({ placement: 'pre-ln', ...sizes, ...training }), {
      data: dataLines({ kind: 'markov', nSymbol: V }),
      phases: ['forward', 'backward', 'update'],
    });
  },
};

export const open = (work) => KINDS[work.kind](work);
