/** Ops that need more than one plan or step: optimizer runs and gradients over several calls. */
import { checkArray } from './checks.js';
import { openPlan, type Planned } from './choose-device.js';
import type { LivePlan } from './live-plan.js';
import { batchNormBackward, layerNormBackward, rmsNormBackward } from './norms.js';
import { findTensor } from './plan.js';
import { paramLines, specLines } from './spec.js';
import { BLOCK_OPS } from './testing-blocks.js';
import type { Op, OpInputs } from './testing-inputs.js';
import { countRows, normRequest } from './testing-ops.js';
import type { LayerNormBackwardRequest, ModelSpec, Phase, TensorInfo } from './types.js';
import { callWish } from './wish.js';

/** A plan with memory, its tensors by name. */
class Bench {
  constructor(private readonly live: LivePlan) {}

  /** The first numbers of a tensor; the others stay. */
  async write(name: string, values: ArrayLike<number>): Promise<void> {
    const data = await this.read(name);
    data.set(values);
    await this.live.executor.write(this.#find(name), data);
  }

  async fill(name: string, value: number): Promise<void> {
    const tensor = this.#find(name);
    await this.live.executor.write(tensor, new Float32Array(tensor.size).fill(value));
  }

  read(name: string): Promise<Float32Array> {
    return this.live.executor.read(this.#find(name));
  }

  /** The tensors by name, `of` each. */
  async readAll<T>(names: string[], of: (values: Float32Array) => T): Promise<Record<string, T>> {
    const arrays = await Promise.all(names.map((name) => this.read(name)));
    return Object.fromEntries(names.map((name, i) => [name, of(arrays[i]!)]));
  }

  async run(...phases: Phase[]): Promise<void> {
    await this.live.executor.run(phases);
  }

  #find(name: string): TensorInfo {
    return findTensor(this.live.plan, name);
  }
}

/** Runs `use` on a plan of its own. */
async function open<T>(at: OpInputs, planned: Planned, use: (bench: Bench) => Promise<T>): Promise<T> {
  const { live } = await openPlan(planned, callWish(at.device));
  try {
    return await use(new Bench(live));
  } finally {
    live.free();
  }
}

/** Of an optimizer: the norm of the gradients, then the step. */
const phases: Phase[] = ['backward', 'update'];

function hyper(at: OpInputs): number[] {
  return [at.number('lr', 0.1), at.number('weight_decay', 0), at.number('max_norm', 0)];
}

const adamLines = (at: OpInputs, n: number): string =>
  paramLines({
    n,
    beta1: at.number('beta1', 0.9),
    beta2: at.number('beta2', 0.999),
    eps: at.eps(1e-8),
    decay: 1,
  });

const only = (values: Float32Array): number => values[0]!;

const sgdLines = (at: OpInputs, n: number): string => paramLines({ n, momentum: at.number('momentum', 0.9), decay: 1 });

/**
 * One parameter, or a vector p, and several gradients one after the other: one of p's length for each step, flat.
 * Moments of one number stand for all.
 */
const optimizerRun =
  (op: Planned['kind'], lines: (at: OpInputs, n: number) => string, moments: string[]): Op =>
  async (at) => {
    const p = at.optional('p') ?? Float32Array.of(0);
    const [n, grads] = [p.length, at.required('grads')];
    const nStep = countRows(grads, n);
    return open(at, { kind: op, lines: lines(at, n), phases }, async (bench) => {
      await bench.write('p', p);
      for (const name of moments) await bench.write(name, moment(at, name, n));
      await bench.write('hyper', hyper(at));
      await bench.write('control', [at.countOr('step_before', 0)]);
      const after = new Float32Array(grads.length);
      for (let step = 0; step < nStep; ++step) {
        await bench.write('g', grads.subarray(step * n, (step + 1) * n));
        await bench.run(...phases);
        after.set(await bench.read('p'), step * n);
      }
      return { p_after_each_step: after, ...(await bench.readAll(moments, plain)) };
    });
  };

/** n numbers; one stands for all, none for 0. */
function moment(at: OpInputs, name: string, n: number): Float32Array {
  const values = at.optional(name) ?? Float32Array.of(0);
  return checkArray(name, values.length === 1 ? new Float32Array(n).fill(values[0]!) : values, n);
}

/** One number as a number. */
const plain = (values: Float32Array): Float32Array | number => (values.length === 1 ? only(values) : values);

/** Which parameters of a real model decay: none gets a gradient. decay1d: those of one dimension decay, too. */
async function adamwGroups(at: OpInputs): Promise<Record<string, unknown>> {
  at.choice('gradient', ['0 everywhere']);
  const spec: ModelSpec = {
    ...{ nLayer: 1, dModel: 4, nHead: 1, nCtx: 2, nBatch: 1, decay1d: at.flag('decay1d') },
    ...{ beta1: at.number('beta1', 0.9), beta2: at.number('beta2', 0.999), adamEps: at.eps(1e-8) },
  };
  const names = {
    matrix_weight: 'blocks.0.mlp.fc1.weight',
    norm_gamma: 'blocks.0.ln_mlp_in.weight',
    norm_beta: 'blocks.0.ln_mlp_in.bias',
    linear_bias: 'blocks.0.mlp.fc1.bias',
  };
  return open(at, { kind: 'model', lines: specLines(spec), phases: ['update'] }, async (bench) => {
    for (const [input, name] of Object.entries(names)) await bench.fill(name, only(at.required(input)));
    await bench.write('hyper', hyper(at));
    for (let step = 0; step < at.count('steps'); ++step) await bench.run('update');
    const values = await bench.readAll(Object.values(names), only);
    return Object.fromEntries(Object.entries(names).map(([output, name]) => [output, values[name]]));
  });
}

/** The norm of g and g scaled as the optimizer sees it. */
async function clipGradNorm(at: OpInputs): Promise<Record<string, unknown>> {
  const g = at.required('g');
  return open(at, { kind: 'op:adamw', lines: adamLines(at, g.length), phases }, async (bench) => {
    await bench.write('g', g);
    await bench.write('hyper', hyper(at));
    await bench.run(...phases);
    const [, norm, scale] = await bench.read('control');
    return { norm, g: g.map((value) => value * scale!) };
  });
}

/** One update that a non-finite gradient must not get through. */
async function trainStepGuard(at: OpInputs): Promise<Record<string, unknown>> {
  at.choice('optimizer', ['adamw']);
  const g = at.required('g');
  return open(at, { kind: 'op:adamw', lines: adamLines(at, g.length), phases }, async (bench) => {
    await bench.write('g', g);
    await bench.write('p', at.required('p', g.length));
    for (const name of ['m', 'v']) await bench.write(name, moment(at, name, g.length));
    await bench.write('hyper', hyper(at));
    await bench.write('control', [at.countOr('step_before', 0)]);
    await bench.run(...phases);
    const [step, , , finite, , , skipped] = await bench.read('control');
    const state = await bench.readAll(['p', 'm', 'v'], (values) => values);
    return { ...state, step, step_skipped: skipped === 1, flag: finite === 0 ? 'non-finite gradient' : null };
  });
}

type Backward = (request: LayerNormBackwardRequest) => Promise<object>;
const BACKWARDS: Record<string, Backward> = {
  layernorm_backward: layerNormBackward,
  rmsnorm_backward: rmsNormBackward,
  batchnorm_backward: batchNormBackward,
};

/** The same backward pass several times over: gradients add up between the calls only where that was asked for. */
async function twoSteps(at: OpInputs): Promise<Record<string, unknown>> {
  const backward = BACKWARDS[at.choice('op', ['layernorm_backward', 'rmsnorm_backward', 'batchnorm_backward'])]!;
  const request = { ...normRequest(at), dy: at.required('dy') };
  const startsAnew = at.flag('zero_grad_between', true);
  const sums: Record<string, Float32Array> = {};
  for (let call = 0; call < at.countOr('calls', 2, 1); ++call) {
    const { dx: _, ...gradients } = (await backward(request)) as Record<string, Float32Array>;
    for (const [name, gradient] of Object.entries(gradients)) {
      const before = startsAnew ? undefined : sums[name];
      sums[name] = before ? gradient.map((value, i) => value + before[i]!) : gradient;
    }
  }
  return Object.fromEntries(Object.entries(sums).map(([name, sum]) => [`${name}_after_second_call`, sum]));
}

export const MODEL_OPS: Record<string, Op> = {
  adamw: optimizerRun('op:adamw', adamLines, ['m', 'v']),
  sgd: optimizerRun('op:sgd', sgdLines, ['v']),
  adamw_groups: adamwGroups,
  clip_grad_norm: clipGradNorm,
  train_step_guard: trainStepGuard,
  two_steps: twoSteps,
  ...BLOCK_OPS,
};
