/** The one-shot functions: norms and the residual addition, forward and backward, on arrays of the caller. */
import {
  checkArray,
  checkDevice,
  checkEps,
  checkFits,
  checkInteger,
  checkKeys,
  checkNumber,
  checkOut,
} from './checks.js';
import { NormscopeError } from './errors.js';
import { countNonFinite } from './non-finite.js';
import { runCoreOp } from './op-runner.js';
import type {
  BatchNormRequest,
  BatchNormResult,
  DeviceWish,
  LayerNormBackwardRequest,
  LayerNormGradients,
  LayerNormRequest,
  LayerNormResult,
  NumberArray,
  ResidualAddBackwardRequest,
  ResidualAddRequest,
  RmsNormBackwardRequest,
  RmsNormGradients,
  RmsNormRequest,
  RmsNormResult,
} from './types.js';

const DEFAULT_EPS = 1e-5;

type Norm = 'layernorm' | 'rmsnorm' | 'batchnorm';

interface Checked {
  x: Float32Array;
  rows: number;
  d: number;
  gamma: Float32Array | undefined;
  eps: number;
  device: DeviceWish | undefined;
}

interface NormInput {
  x: NumberArray;
  dModel: number;
  gamma?: NumberArray;
  eps?: number;
  device?: DeviceWish;
}

function checkNorm(request: NormInput): Checked {
  const d = checkInteger('dModel', request.dModel, 1);
  const x = checkArray('x', request.x);
  if (x.length % d !== 0) {
    throw new NormscopeError(
      'bad-size',
      `x has ${x.length} numbers, which dModel ${d} does not divide; give whole rows`,
    );
  }
  const rows = x.length / d;
  checkFits(rows, d, 2);
  const eps = checkEps(request.eps ?? DEFAULT_EPS);
  return { x, rows, d, gamma: checkPerFeature('gamma', request.gamma, d), eps, device: checkDevice(request.device) };
}

function checkPerFeature(name: string, value: NumberArray | null | undefined, d: number): Float32Array | undefined {
  if (value === undefined || value === null) return undefined;
  const floats = checkArray(name, value);
  if (floats.length === d) return floats;
  throw new NormscopeError(
    'bad-size',
    `${name} needs one number per feature: dModel is ${d}, ${name} has ${floats.length}`,
  );
}

/** stats: four floats per group, { mean, delta, rstd, inv_scale }; see kernel_params.h. */
export function plainStatistics(stats: Float32Array): { mean: Float32Array; rstd: Float32Array } {
  const n = stats.length / 4;
  const mean = new Float32Array(n);
  const rstd = new Float32Array(n);
  for (let i = 0; i < n; ++i) {
    const invScale = stats[4 * i + 3]!;
    mean[i] = (stats[4 * i]! + stats[4 * i + 1]!) / invScale;
    rstd[i] = stats[4 * i + 2]! * invScale;
  }
  return { mean, rstd };
}

const FORWARD_KEYS = ['x', 'dModel', 'gamma', 'beta', 'eps', 'out', 'device'];
const BACKWARD_KEYS = ['x', 'dy', 'dModel', 'gamma', 'eps', 'device'];

async function forward(norm: Norm, request: LayerNormRequest): Promise<LayerNormResult> {
  const { x, rows, d, gamma, eps, device } = checkNorm(request);
  const beta = norm === 'rmsnorm' ? undefined : checkPerFeature('beta', request.beta, d);
  const out = checkOut(request.out, x.length);
  if (rows === 0) return emptyResult(norm, d, out);
  const inputs = norm === 'rmsnorm' ? { x, gamma } : { x, gamma, beta };
  const params = { rows, d, eps };
  const { y, stats } = await runCoreOp({
    op: `${norm}_forward`,
    params,
    inputs,
    phases: ['forward'],
    outputs: { y: out, stats: undefined },
    device,
  });
  const shape = { rows, d, perFeature: norm === 'batchnorm' };
  return { y: y!, ...plainStatistics(stats!), nonFinite: countNonFinite(y!, shape, stats!, [gamma, beta]) };
}

/** No rows: nothing to normalize. The statistics of an empty batch are not numbers. */
function emptyResult(norm: Norm, d: number, out?: Float32Array): LayerNormResult {
  const n = norm === 'batchnorm' ? d : 0;
  const none = (): Float32Array => new Float32Array(n).fill(NaN);
  return { y: out ?? new Float32Array(0), mean: none(), rstd: none(), nonFinite: 0 };
}

async function backward(norm: Norm, request: LayerNormBackwardRequest): Promise<LayerNormGradients> {
  const { x, rows, d, gamma, eps, device } = checkNorm(request);
  const dy = checkArray('dy', request.dy);
  if (dy.length !== x.length)
    throw new NormscopeError('bad-size', `dy needs as many numbers as x: x has ${x.length}, dy has ${dy.length}`);
  const outputs: Record<string, undefined> = { dx: undefined, dgamma: undefined };
  if (norm !== 'rmsnorm') outputs.dbeta = undefined;
  if (rows === 0) {
    return { dx: new Float32Array(0), dgamma: new Float32Array(d), dbeta: new Float32Array(d) };
  }
  const params = { rows, d, eps };
  const result = await runCoreOp({
    op: `${norm}_backward`,
    params,
    inputs: { x, gamma, dy },
    phases: ['forward', 'backward'],
    outputs,
    device,
  });
  return { dx: result.dx!, dgamma: result.dgamma!, dbeta: result.dbeta! };
}

/**
 * LayerNorm of every row: y = (x − mean) / √(variance + ε) · γ + β, variance with divisor dModel.
 *
 * x: [rows, dModel], row-major; gamma, beta: [dModel], absent γ is 1, absent β is 0; eps ≥ 0, default 1e-5.
 * Rows holding NaN or ±Infinity come out as NaN and do not touch the others; `nonFinite` counts them. The results are
 * copies; `out`, when given, receives y.
 * @throws NormscopeError bad-array | bad-size | bad-number | bad-option | too-large, before anything is written
 */
export async function layerNorm(request: LayerNormRequest): Promise<LayerNormResult> {
  checkKeys('layerNorm', request, FORWARD_KEYS);
  return forward('layernorm', request);
}

/**
 * Gradients of LayerNorm for the arriving gradient dy (shape of x). dgamma and dbeta are sums over the rows; dgamma is
 * given for an absent γ, too (as for γ = 1). No state is kept between calls: the statistics are recomputed from x.
 */
export async function layerNormBackward(request: LayerNormBackwardRequest): Promise<LayerNormGradients> {
  checkKeys('layerNormBackward', request, BACKWARD_KEYS);
  return backward('layernorm', request);
}

/** RMSNorm of every row: y = x / √(mean of x² + ε) · γ. */
export async function rmsNorm(request: RmsNormRequest): Promise<RmsNormResult> {
  const keys = FORWARD_KEYS.filter((key) => key !== 'beta');
  checkKeys('rmsNorm', request, keys);
  const { y, rstd, nonFinite } = await forward('rmsnorm', request);
  return { y, rstd, nonFinite };
}

export async function rmsNormBackward(request: RmsNormBackwardRequest): Promise<RmsNormGradients> {
  checkKeys('rmsNormBackward', request, BACKWARD_KEYS);
  const { dx, dgamma } = await backward('rmsnorm', request);
  return { dx, dgamma };
}

/** BatchNorm with the statistics of this batch: mean and variance per feature, over the rows. */
export async function batchNorm(request: BatchNormRequest): Promise<BatchNormResult> {
  checkKeys('batchNorm', request, FORWARD_KEYS);
  return forward('batchnorm', request);
}

export async function batchNormBackward(request: LayerNormBackwardRequest): Promise<LayerNormGradients> {
  checkKeys('batchNormBackward', request, BACKWARD_KEYS);
  return backward('batchnorm', request);
}

/** The residual step: y = x + dt · branch. */
export async function residualAdd(request: ResidualAddRequest): Promise<{ y: Float32Array }> {
  checkKeys('residualAdd', request, ['x', 'branch', 'dt', 'out', 'device']);
  const x = checkArray('x', request.x);
  const branch = checkArray('branch', request.branch);
  if (branch.length !== x.length) {
    throw new NormscopeError(
      'bad-size',
      `branch needs as many numbers as x: x has ${x.length}, branch has ${branch.length}`,
    );
  }
  const dt = checkNumber('dt', request.dt ?? 1);
  const out = checkOut(request.out, x.length);
  return { y: await add(x, branch, dt, checkDevice(request.device), out) };
}

/** Gradients of `residualAdd`: dx = dy, dbranch = dt · dy. */
export async function residualAddBackward(
  request: ResidualAddBackwardRequest,
): Promise<{ dx: Float32Array; dbranch: Float32Array }> {
  checkKeys('residualAddBackward', request, ['dy', 'dt', 'device']);
  const dy = checkArray('dy', request.dy);
  const dt = checkNumber('dt', request.dt ?? 1);
  const dx = dy.slice();
  return { dx, dbranch: await add(undefined, dy, dt, checkDevice(request.device)) };
}

/** skip + dt · branch; an absent skip is 0. */
async function add(
  skip: Float32Array | undefined,
  branch: Float32Array,
  dt: number,
  device: DeviceWish | undefined,
  out?: Float32Array,
): Promise<Float32Array> {
  const n = branch.length;
  if (n === 0) return out ?? new Float32Array(0);
  checkFits(n, 1, 3);
  const { y } = await runCoreOp({
    op: 'residual_add',
    params: { n, alpha: 1, dt },
    inputs: { skip, branch },
    phases: ['forward'],
    outputs: { y: out },
    device,
  });
  return y!;
}
