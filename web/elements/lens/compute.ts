import { batchNorm, layerNorm, load, rmsNorm, type DeviceWish } from 'normscope';

export type NormChoice = 'layernorm' | 'rmsnorm' | 'batchnorm';

export interface LensQuestion {
  kind: NormChoice;
  /** n_row × d, padding rows included. */
  rows: readonly (readonly number[])[];
  gamma: readonly number[];
  beta: readonly number[];
  eps: number;
  device: Exclude<DeviceWish, 'auto'>;
}

export interface LensAnswer {
  /** n_row × d, as the package returned them. */
  xHat: number[][];
  y: number[][];
  /** Per row; per feature for BatchNorm; zeros for RMSNorm, which takes no mean. */
  mean: number[];
  /** 1/√(variance + ε), indexed as `mean`. */
  rstd: number[];
}

/** Two calls of the package: without γ and β for x̂, with them for y. */
export async function compute(question: LensQuestion): Promise<LensAnswer> {
  const dModel = question.rows[0]?.length ?? 0;
  const x = Float32Array.from(question.rows.flat());
  const plain = { x, dModel, eps: question.eps, device: question.device };
  const full = { ...plain, gamma: question.gamma, beta: question.beta };
  const [normalized, output] = await Promise.all([normalize(question.kind, plain), normalize(question.kind, full)]);
  const nRow = question.rows.length;
  return {
    xHat: rowsOf(normalized.y, nRow, dModel),
    y: rowsOf(output.y, nRow, dModel),
    mean: normalized.mean,
    rstd: normalized.rstd,
  };
}

interface NormRequest {
  x: Float32Array;
  dModel: number;
  gamma?: readonly number[];
  beta?: readonly number[];
  eps: number;
  device: DeviceWish;
}

async function normalize(kind: NormChoice, request: NormRequest) {
  if (kind === 'rmsnorm') {
    const { beta: _, ...withoutShift } = request;
    const { y, rstd } = await rmsNorm(withoutShift);
    return { y, mean: Array.from(rstd, () => 0), rstd: Array.from(rstd) };
  }
  const { y, mean, rstd } = await (kind === 'layernorm' ? layerNorm : batchNorm)(request);
  return { y, mean: Array.from(mean), rstd: Array.from(rstd) };
}

function rowsOf(flat: Float32Array, nRow: number, width: number): number[][] {
  return Array.from({ length: nRow }, (_, row) => Array.from(flat.subarray(row * width, (row + 1) * width)));
}

export interface Machine {
  device: 'wasm' | 'webgpu';
  adapter: string | null;
  simd: boolean;
}

/** Starts the package on a device; throws its typed error when that device cannot be had. */
export async function start(device: DeviceWish): Promise<Machine> {
  const { device: got, adapter, simd } = await load({ device });
  return { device: got, adapter, simd };
}
