/** Ops that need more than one plan or step: optimizer runs and whole blocks. */
import { transformerBlock } from './block.js';
import { startEngine } from './core.js';
import { CpuExecutor } from './cpu-executor.js';
import { layerNormBackward } from './norms.js';
import { findTensor } from './plan.js';
import { paramLines, specLines } from './spec.js';
import type { Op, OpInputs } from './testing-inputs.js';
import type { ModelSpec, Phase, PlacementName, TensorInfo } from './types.js';

/** An allocated plan with its tensors by name. */
class Bench {
  private constructor(
    private readonly executor: CpuExecutor,
    private readonly find: (name: string) => TensorInfo,
  ) {}

  static async open<T>(kind: string, lines: string, use: (bench: Bench) => T): Promise<T> {
    const engine = await startEngine();
    const core = engine.create(kind, lines);
    const plan = core.describe();
    const executor = new CpuExecutor(engine, core);
    try {
      return use(new Bench(executor, (name) => findTensor(plan, name)));
    } finally {
      executor.free();
    }
  }

  write(name: string, values: ArrayLike<number>): void {
    const data = this.read(name);
    data.set(values);
    this.executor.write(this.find(name), data);
  }

  fill(name: string, value: number): void {
    this.executor.write(this.find(name), new Float32Array(this.find(name).size).fill(value));
  }

  read(name: string): Float32Array {
    return this.executor.copy(this.find(name));
  }

  run(...phases: Phase[]): void {
    this.executor.run(phases);
  }
}

function hyper(at: OpInputs): number[] {
  return [at.number('lr', 0.1), at.number('weight_decay', 0), at.number('max_norm', 0)];
}

const adamLines = (at: OpInputs, n: number): string =>
  paramLines({
    n,
    beta1: at.number('beta1', 0.9),
    beta2: at.number('beta2', 0.999),
    eps: at.number('eps', 1e-8),
    decay: 1,
  });

const only = (values: Float32Array): number => values[0]!;

/** One parameter, several gradients one after the other. */
async function adamw(at: OpInputs): Promise<Record<string, unknown>> {
  const grads = at.required('grads');
  return Bench.open('op:adamw', adamLines(at, 1), (bench) => {
    for (const name of ['p', 'm', 'v']) bench.write(name, at.optional(name) ?? [0]);
    bench.write('hyper', hyper(at));
    bench.write('control', [at.countOr('step_before', 0)]);
    const steps = Array.from(grads, (g) => {
      bench.write('g', [g]);
      bench.run('backward', 'update');
      return only(bench.read('p'));
    });
    return { p_after_each_step: Float32Array.from(steps), m: only(bench.read('m')), v: only(bench.read('v')) };
  });
}

/** Which parameters of a real model decay: all start at 1 and get no gradient. */
async function adamwGroups(at: OpInputs): Promise<Record<string, unknown>> {
  const spec: ModelSpec = {
    nLayer: 1,
    dModel: 4,
    nHead: 1,
    nCtx: 2,
    nBatch: 1,
    beta1: at.number('beta1'),
    beta2: at.number('beta2'),
    adamEps: at.number('eps'),
  };
  const names = {
    matrix_weight: 'blocks.0.mlp.fc1.weight',
    norm_gamma: 'blocks.0.ln_mlp_in.weight',
    norm_beta: 'blocks.0.ln_mlp_in.bias',
    linear_bias: 'blocks.0.mlp.fc1.bias',
  };
  return Bench.open('model', specLines(spec), (bench) => {
    for (const [input, name] of Object.entries(names)) bench.fill(name, only(at.required(input)));
    bench.write('hyper', hyper(at));
    for (let step = 0; step < at.count('steps'); ++step) bench.run('update');
    return Object.fromEntries(Object.entries(names).map(([output, name]) => [output, only(bench.read(name))]));
  });
}

/** The norm of g and g scaled as the optimizer sees it. */
async function clipGradNorm(at: OpInputs): Promise<Record<string, unknown>> {
  const g = at.required('g');
  return Bench.open('op:adamw', adamLines(at, g.length), (bench) => {
    bench.write('g', g);
    bench.write('hyper', hyper(at));
    bench.run('backward', 'update');
    const [, norm, scale] = bench.read('control');
    return { norm, g: g.map((value) => value * scale!) };
  });
}

/** One update that a non-finite gradient must not get through. */
async function trainStepGuard(at: OpInputs): Promise<Record<string, unknown>> {
  const g = at.required('g');
  return Bench.open('op:adamw', adamLines(at, g.length), (bench) => {
    bench.write('g', g);
    bench.write('p', at.required('p', g.length));
    bench.write('hyper', hyper(at));
    bench.run('backward', 'update');
    const [step, , , finite, , , skipped] = bench.read('control');
    const state = { p: bench.read('p'), m: bench.read('m'), v: bench.read('v'), step };
    return { ...state, step_skipped: skipped === 1, flag: finite === 0 ? 'non-finite gradient' : null };
  });
}

/** A residual block around f(v) = 2 v: one linear layer with the weight 2 I. */
const doublingBlock =
  (placement: PlacementName): Op =>
  async (at) => {
    const d = at.count('d', 1);
    const weight = Float32Array.from({ length: d * d }, (_, i) => (i % (d + 1) === 0 ? 2 : 0));
    const spec: ModelSpec = { block: 'sublayer', placement, dModel: d, eps: at.number('eps', 1e-5) };
    const parameters = { 'blocks.0.sublayer.weight': weight, 'blocks.0.sublayer.bias': new Float32Array(d) };
    const { y } = await transformerBlock({ x: at.required('x'), spec, parameters });
    return { y };
  };

/** [in][out] -> [out, in] */
function transpose(matrix: Float32Array, nIn: number, nOut: number): Float32Array {
  return Float32Array.from({ length: nIn * nOut }, (_, i) => matrix[(i % nIn) * nOut + Math.floor(i / nIn)]!);
}

/** Matrices are [in][out]; attention has no biases. */
async function prenormTransformerBlock(at: OpInputs): Promise<Record<string, unknown>> {
  const [d, hidden] = [at.count('d_model', 1), at.count('hidden', 1)];
  const spec: ModelSpec = {
    ...{ placement: 'pre-ln', dModel: d, dFF: hidden, nHead: at.count('heads', 1), nCtx: at.count('T', 1) },
    ...{ causal: at.flag('causal'), eps: at.number('eps', 1e-5), activation: at.params.gelu as 'gelu_tanh' },
  };
  const square = (name: string): Float32Array => transpose(at.required(name, d * d), d, d);
  const none = new Float32Array(d);
  const block = {
    'ln_attn_in.weight': at.required('gamma1', d),
    'ln_attn_in.bias': at.required('beta1', d),
    'attn.q_proj.weight': square('Wq'),
    'attn.q_proj.bias': none,
    'attn.k_proj.weight': square('Wk'),
    'attn.k_proj.bias': none,
    'attn.v_proj.weight': square('Wv'),
    'attn.v_proj.bias': none,
    'attn.out_proj.weight': square('Wo'),
    'attn.out_proj.bias': none,
    'ln_mlp_in.weight': at.required('gamma2', d),
    'ln_mlp_in.bias': at.required('beta2', d),
    'mlp.fc1.weight': transpose(at.required('W1', d * hidden), d, hidden),
    'mlp.fc1.bias': at.required('c1', hidden),
    'mlp.fc2.weight': transpose(at.required('W2', d * hidden), hidden, d),
    'mlp.fc2.bias': at.required('c2', d),
  };
  const parameters = Object.fromEntries(Object.entries(block).map(([name, value]) => [`blocks.0.${name}`, value]));
  const { y } = await transformerBlock({ x: at.required('x'), spec, parameters });
  return { y };
}

/** The same backward pass several times over: gradients must not add up between calls. */
async function twoSteps(at: OpInputs): Promise<Record<string, unknown>> {
  let result = null;
  for (let call = 0; call < at.countOr('calls', 2, 1); ++call) {
    result = await layerNormBackward({
      x: at.required('x'),
      dy: at.required('dy'),
      dModel: at.count('d', 1),
      eps: at.number('eps', 1e-5),
    });
  }
  return { dgamma_after_second_call: result!.dgamma, dbeta_after_second_call: result!.dbeta };
}

export const MODEL_OPS: Record<string, Op> = {
  adamw,
  adamw_groups: adamwGroups,
  clip_grad_norm: clipGradNorm,
  train_step_guard: trainStepGuard,
  prenorm_block: doublingBlock('pre-ln'),
  postnorm_block: doublingBlock('post-ln'),
  prenorm_transformer_block: prenormTransformerBlock,
  two_steps: twoSteps,
};
