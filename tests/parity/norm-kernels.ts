// Every norm as a small plan of its own with what double precision says of it: any number of models, outputs that are
// added to, any traits of the device.
import { createGpuExecutor } from '../../wasm/runtime/gpu-executor.js';
import { chooseShader, type Traits } from '../../wasm/runtime/gpu-shaders.js';
import type { Phase, PlanInfo } from '../../wasm/runtime/types.js';
import { compare } from '../cases/expand.js';
import { batchNorm, dyt, normBackward, normForward, type Gradients, type NormInput } from '../cases/reference-norms.js';
import { noise, readAll, writeAll } from './norm-run.js';
import { PlanSketch } from './plan-sketch.js';

export const NORMS = ['layernorm', 'rmsnorm', 'residual_layernorm', 'residual_rmsnorm', 'batchnorm', 'dyt'] as const;
export type Norm = (typeof NORMS)[number];

export interface NormCase {
  rows: number;
  d: number;
  nModel?: number;
  /** Whether all outputs but those of forward's statistics are added to. */
  accumulate?: boolean;
  eps?: number;
  /** Replaces the values of x, or of skip where there is no x. */
  x?: Float32Array;
}

type Numbers = ArrayLike<number>;
type Arrays = Record<string, Float32Array>;

/** What one model's arrays should give. */
type Reference = (inputs: Record<string, Numbers>, d: number, eps: number) => Record<string, Numbers>;

const [alpha, dt] = [0.75, -1.5];

const both = ({ y }: { y: Numbers }, { dx, dgamma, dbeta }: Gradients) => ({ y, dx, dgamma, dbeta });

const REFERENCES: Record<Norm, Reference> = {
  layernorm: (inputs, d, eps) => {
    const given = { ...inputs, d, eps } as NormInput & { dy: Numbers };
    return both(normForward('layernorm', given), normBackward('layernorm', given));
  },
  rmsnorm: (inputs, d, eps) => {
    const given = { ...inputs, d, eps } as NormInput & { dy: Numbers };
    return both(normForward('rmsnorm', given), normBackward('rmsnorm', given));
  },
  residual_layernorm: (inputs, d, eps) => ofSum('layernorm', inputs, d, eps),
  residual_rmsnorm: (inputs, d, eps) => ofSum('rmsnorm', inputs, d, eps),
  batchnorm: (inputs, d, eps) => batchNorm({ ...inputs, d, eps } as NormInput & { dy: Numbers }),
  dyt: (inputs, d) => dyt({ ...inputs, d } as unknown as Parameters<typeof dyt>[0]),
};

function ofSum(
  kind: 'layernorm' | 'rmsnorm',
  { skip, branch, ...others }: Record<string, Numbers>,
  d: number,
  eps: number,
) {
  const sum = Array.from(skip!, (value, i) => alpha * value + dt * branch![i]!);
  return { sum, y: normForward(kind, { ...others, x: sum, d, eps }).y };
}

/** Operands: inputs by shape (whole rows, one per feature, one per model), and the outputs of each phase. */
interface Signature {
  matrices: string[];
  features: string[];
  scalars: string[];
  forward: string[];
  backward: string[][];
  kernels: string[];
}
const SIGNATURES: Record<Norm, Signature> = {
  layernorm: signature('layernorm', ['x', 'dy'], ['gamma', 'beta'], ['dgamma', 'dbeta']),
  rmsnorm: signature('rmsnorm', ['x', 'dy'], ['gamma'], ['dgamma']),
  residual_layernorm: residual('layernorm', ['gamma', 'beta']),
  residual_rmsnorm: residual('rmsnorm', ['gamma']),
  batchnorm: signature('batchnorm', ['x', 'dy'], ['gamma', 'beta'], ['dgamma', 'dbeta']),
  dyt: {
    matrices: ['x', 'dy'],
    features: ['gamma', 'beta'],
    scalars: ['alpha'],
    forward: ['x', 'alpha', 'gamma', 'beta', 'y'],
    backward: [
      ['x', 'alpha', 'gamma', 'dy', 'dx'],
      ['x', 'alpha', 'gamma', 'dy', 'dalpha', 'dgamma', 'dbeta'],
    ],
    kernels: ['dyt_forward', 'dyt_backward_x', 'dyt_backward_params'],
  },
};

function signature(kind: string, matrices: string[], features: string[], gradients: string[]): Signature {
  const backward = [
    ['x', 'gamma', 'dy', 'stats', 'dx'],
    ['x', 'dy', 'stats', ...gradients],
  ];
  const kernels = ['forward', 'backward_x', 'backward_params'].map((what) => `${kind}_${what}`);
  return { matrices, features, scalars: [], forward: ['x', ...features, 'y', 'stats'], backward, kernels };
}

function residual(kind: string, features: string[]): Signature {
  const forward = ['skip', 'branch', ...features, 'sum', 'y', 'stats'];
  const kernels = [`residual_${kind}_forward`];
  return { matrices: ['skip', 'branch'], features, scalars: [], forward, backward: [], kernels };
}

const MATRICES = ['x', 'dy', 'skip', 'branch', 'sum', 'y', 'dx'];

function shapeOf(norm: Norm, name: string, { rows, d }: NormCase): number[] {
  if (name === 'stats') return [norm === 'batchnorm' ? d : rows, 4];
  if (name.endsWith('alpha')) return [1];
  return MATRICES.includes(name) ? [rows, d] : [d];
}

/** Forward and backward of one norm. */
export function planOf(norm: Norm, shape: NormCase): PlanInfo {
  const { rows, d, nModel = 1, eps = 1e-5 } = shape;
  const { forward, backward, kernels } = SIGNATURES[norm];
  const sketch = new PlanSketch(nModel);
  for (const name of new Set([...forward, ...backward.flat()])) sketch.tensor(name, shapeOf(norm, name, shape));
  const params = { n_row: rows, d, eps, alpha, dt, accumulate: shape.accumulate ? 7 : 0 };
  [forward, ...backward].forEach((operands, i) =>
    sketch.dispatch(i === 0 ? 'forward' : 'backward', kernels[i]!, operands, params, rows, d),
  );
  return sketch.plan;
}

/** Inputs and, where they are added to, first values of the outputs. */
export function arraysOf(norm: Norm, shape: NormCase): Arrays {
  const { matrices, features, scalars } = SIGNATURES[norm];
  const inputs = [...matrices, ...features, ...scalars];
  const held = shape.accumulate ? outputsOf(norm).filter((name) => name !== 'stats') : [];
  const size = (name: string) => shapeOf(norm, name, shape).reduce((a, b) => a * b, shape.nModel ?? 1);
  const values = (name: string, seed: number) =>
    noise(size(name), seed + shape.d).map((value) => (name === 'gamma' ? 1 + 0.5 * value : 3 * value + 0.5));
  const arrays = Object.fromEntries([...inputs, ...held].map((name, i) => [name, values(name, 100 * i)]));
  return shape.x ? { ...arrays, [matrices[0]!]: shape.x } : arrays;
}

/** All that the kernels write. */
export function outputsOf(norm: Norm): string[] {
  const { matrices, features, scalars, forward, backward } = SIGNATURES[norm];
  const given = [...matrices, ...features, ...scalars];
  return [...new Set([...forward, ...backward.flat()])].filter((name) => !given.includes(name));
}

/** Runs all kernels of one norm. */
export async function runKernels(device: GPUDevice, norm: Norm, shape: NormCase, arrays: Arrays, traits?: Traits) {
  const plan = planOf(norm, shape);
  const phases: Phase[] = SIGNATURES[norm].backward.length > 0 ? ['forward', 'backward'] : ['forward'];
  const executor = await createGpuExecutor({ plan, device, phases, ...(traits && { traits }) });
  try {
    await writeAll(executor, plan, arrays);
    await executor.run(phases);
    return await readAll(executor, plan, outputsOf(norm));
  } finally {
    executor.free();
  }
}

/** Complaints about every output of every model: more than 2e-5 off the largest value, or off the largest term. */
export async function complaintsAbout(
  device: GPUDevice,
  norm: Norm,
  shape: NormCase,
  traits?: Traits,
): Promise<string[]> {
  const { d, nModel = 1, eps = 1e-5 } = shape;
  const arrays = arraysOf(norm, shape);
  const got = await runKernels(device, norm, shape, arrays, traits);
  return Array.from({ length: nModel }, (_, model) => {
    const mine = sliceAll(arrays, model, nModel);
    const right = REFERENCES[norm](mine, d, Math.fround(eps));
    const stats = got.stats && slice(got.stats, model, nModel);
    return Object.entries(right)
      .filter(([name]) => got[name])
      .flatMap(([name, fresh]) => {
        const held = shape.accumulate ? mine[name]! : [];
        const sum = Array.from(fresh, (value, i) => value + (held[i] ?? 0));
        const scale = Math.max(largest(sum), termScale(name, mine, stats));
        return compare(`${name} of model ${model}`, slice(got[name]!, model, nModel), sum, {
          abs: 2e-5 * scale,
          rel: 0,
        });
      });
  }).flat();
}

/** What may be a difference of equal terms is compared on the scale of the terms. */
function termScale(name: string, { x, dy, gamma }: Arrays, stats: Float32Array | undefined): number {
  if (name === 'dalpha') return largest(x!) * largest(dy!) * largest(gamma!);
  if (name !== 'dx' || !stats) return 0;
  const rstd = stats.filter((_, i) => i % 4 === 2).map((value, line) => value * stats[line * 4 + 3]!);
  return largest(dy!) * largest(gamma!) * largest(rstd);
}

function largest(values: Numbers): number {
  return Array.from(values).reduce((most, value) => (Math.abs(value) > most ? Math.abs(value) : most), 1e-30);
}

export function slice(values: Float32Array, model: number, nModel: number): Float32Array {
  const size = values.length / nModel;
  return values.slice(model * size, (model + 1) * size);
}
export function sliceAll(arrays: Arrays, model: number, nModel: number): Arrays {
  return Object.fromEntries(Object.entries(arrays).map(([name, values]) => [name, slice(values, model, nModel)]));
}

/** Names of the shaders that the kernels of this case start with. */
export function shadersOf(norm: Norm, shape: NormCase, traits: Traits): string[] {
  return Object.values(planOf(norm, shape).phases)
    .flat()
    .map((dispatch) => chooseShader(dispatch, traits).name);
}
