import type { Executor } from '../../wasm/runtime/executor.js';
import { createGpuExecutor } from '../../wasm/runtime/gpu-executor.js';
import type { Traits } from '../../wasm/runtime/gpu-shaders.js';
import type { Phase, PlanInfo } from '../../wasm/runtime/types.js';
import type { NormKind } from '../cases/reference-norms.js';
import { normPlan, PlanSketch, type NormShape } from './plan-sketch.js';

export type Arrays = Record<string, ArrayLike<number> | null | undefined>;

export function tensorOf(plan: PlanInfo, name: string) {
  const tensor = plan.tensors.find((candidate) => candidate.name === name);
  if (!tensor) throw new Error(`the plan has no tensor ${name}`);
  return tensor;
}

export async function writeAll(executor: Executor, plan: PlanInfo, arrays: Arrays): Promise<void> {
  for (const [name, values] of Object.entries(arrays))
    if (values) await executor.write(tensorOf(plan, name), Float32Array.from(values));
}

export async function readAll(
  executor: Executor,
  plan: PlanInfo,
  names: string[],
): Promise<Record<string, Float32Array>> {
  const arrays = await Promise.all(names.map((name) => executor.read(tensorOf(plan, name))));
  return Object.fromEntries(names.map((name, i) => [name, arrays[i]!]));
}

/**
 * Runs one norm on the GPU; with `dy` backward too. Statistics come out as plain mean and rstd per row. Traits other than
 * the device's own choose other shaders.
 */
export async function runNorm(
  device: GPUDevice,
  kind: NormKind,
  shape: NormShape,
  arrays: Arrays,
  traits?: Traits,
): Promise<Record<string, Float32Array>> {
  const plan = normPlan(kind, shape);
  const phases: Phase[] = arrays.dy ? ['forward', 'backward'] : ['forward'];
  const executor = await createGpuExecutor({ plan, device, phases, ...(traits && { traits }) });
  try {
    const ones = new Float32Array(shape.d * (shape.nModel ?? 1)).fill(1);
    const { beta, ...others } = arrays;
    await writeAll(executor, plan, { ...others, gamma: arrays.gamma ?? ones, ...(kind === 'layernorm' && { beta }) });
    await executor.run(phases);
    const forward = await readAll(executor, plan, ['y', 'stats']);
    const gradients = kind === 'layernorm' ? ['dx', 'dgamma', 'dbeta'] : ['dx', 'dgamma'];
    const backward = arrays.dy ? await readAll(executor, plan, gradients) : {};
    return { ...forward, ...backward, ...plainStatistics(forward.stats!) };
  } finally {
    executor.free();
  }
}

/** Packed { mean, delta, rstd, inv_scale } per row -> mean and 1/σ of the row as given. */
function plainStatistics(stats: Float32Array): { mean: Float32Array; rstd: Float32Array } {
  const rows = stats.length / 4;
  const at = (r: number, k: number) => stats[r * 4 + k]!;
  return {
    mean: Float32Array.from({ length: rows }, (_, r) => (at(r, 0) + at(r, 1)) / at(r, 3)),
    rstd: Float32Array.from({ length: rows }, (_, r) => at(r, 2) * at(r, 3)),
  };
}

/** Repeatable numbers around 0, by a small linear congruence. */
export function noise(length: number, seed: number): Float32Array {
  let state = seed >>> 0;
  return Float32Array.from({ length }, () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return (state >>> 8) / 2 ** 23 - 1;
  });
}

/**
 * BatchNorm in training: forward, then one step of the running statistics; and y by the running statistics as given, as
 * `evaluated`.
 */
export async function runTracking(
  device: GPUDevice,
  { rows, d, eps, momentum }: { rows: number; d: number; eps: number; momentum: number },
  arrays: Arrays,
  finite: boolean,
): Promise<Record<string, Float32Array>> {
  const params = { n_row: rows, d, eps, momentum, accumulate: 0 };
  const sketch = new PlanSketch().tensor('x', [rows, d]).tensor('y', [rows, d]).tensor('evaluated', [rows, d]);
  for (const name of ['gamma', 'beta', 'running_mean', 'running_var']) sketch.tensor(name, [d]);
  sketch.tensor('stats', [d, 4]).tensor('control', [8]);
  sketch.dispatch('forward', 'batchnorm_forward', ['x', 'gamma', 'beta', 'y', 'stats'], params, rows, d);
  const running = ['running_mean', 'running_var'];
  sketch.dispatch('evaluate', 'batchnorm_evaluate', ['x', 'gamma', 'beta', ...running, 'evaluated'], params, rows, d);
  sketch.dispatch('update', 'batchnorm_track', ['stats', 'control', ...running], params, 1, d);
  const executor = await createGpuExecutor({ plan: sketch.plan, device, phases: ['forward', 'evaluate', 'update'] });
  try {
    await writeAll(executor, sketch.plan, { ...arrays, control: [1, 0, 0, Number(finite), 0, 0, 0, 0] });
    await executor.run(['forward', 'evaluate', 'update']);
    return await readAll(executor, sketch.plan, ['y', 'evaluated', ...running]);
  } finally {
    executor.free();
  }
}
