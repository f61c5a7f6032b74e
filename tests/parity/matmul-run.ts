// Runs products, attention, softmax and embedding on the GPU by sketched plans, and any op on both executors.
import { KERNELS } from '../../build/generated/kernels.js';
import { startEngine } from '../../wasm/runtime/core.js';
import { CpuExecutor } from '../../wasm/runtime/cpu-executor.js';
import { createGpuExecutor } from '../../wasm/runtime/gpu-executor.js';
import { chooseShader, type Traits } from '../../wasm/runtime/gpu-shaders.js';
import { paramLines } from '../../wasm/runtime/spec.js';
import type { Phase, PlanInfo } from '../../wasm/runtime/types.js';
import type { AttentionShape, EmbeddingShape, LinearShape } from '../cases/reference-products.js';
import { readAll, writeAll, type Arrays } from './norm-run.js';
import { PlanSketch } from './plan-sketch.js';

/** One kernel with tensors named after its operands. `shapes`: per operand, without the model. */
export interface KernelCall {
  kernel: string;
  params: Record<string, number>;
  shapes: Record<string, number[]>;
  rows: number;
  cols: number;
}

export function linearCalls({ n_row, n_in, n_out }: LinearShape, has_bias: number, accumulate: number): KernelCall[] {
  const params = { n_row, n_in, n_out, has_bias, accumulate };
  const shapes = {
    ...{ x: [n_row, n_in], dx: [n_row, n_in], weight: [n_out, n_in], dweight: [n_out, n_in] },
    ...{ bias: [has_bias ? n_out : 1], dbias: [n_out], y: [n_row, n_out], dy: [n_row, n_out] },
  };
  const call = (kernel: string, rows: number, cols: number) => ({ kernel, params, shapes, rows, cols });
  return [
    call('linear_forward', n_row, n_out),
    call('linear_backward_weight', n_out, n_in),
    call('linear_backward_bias', 1, n_out),
    call('linear_backward_x', n_row, n_in),
  ];
}

export function attentionCalls(shape: AttentionShape, accumulate: number): KernelCall[] {
  const { n_batch, n_query, n_key, n_head, d_head, has_mask } = shape;
  const [query, key] = [n_query, n_key].map((n) => [n_batch, n, n_head, d_head]);
  const shapes = {
    ...{ q: query!, dq: query!, y: query!, dy: query!, k: key!, dk: key!, v: key!, dv: key! },
    ...{ probs: [n_batch, n_head, n_query, n_key], mask: has_mask ? [n_query, n_key] : [1] },
  };
  const call = { params: { ...shape, accumulate }, shapes, rows: n_batch * n_head, cols: n_query };
  return [
    { kernel: 'attention_forward', ...call },
    { kernel: 'attention_backward', ...call },
  ];
}

export function embeddingCalls(shape: EmbeddingShape, accumulate: number): KernelCall[] {
  const { n_batch, n_ctx, d, n_vocab } = shape;
  const params = { ...shape, accumulate };
  const shapes = {
    ...{ tokens: [n_batch, n_ctx], token_table: [n_vocab, d], dtoken_table: [n_vocab, d] },
    ...{ position_table: [n_ctx, d], dposition_table: [n_ctx, d], y: [n_batch, n_ctx, d], dy: [n_batch, n_ctx, d] },
  };
  const call = (kernel: string, rows: number) => ({ kernel, params, shapes, rows, cols: d });
  return [
    call('embedding_forward', n_batch * n_ctx),
    call('embedding_backward_token', n_vocab),
    call('embedding_backward_position', n_ctx),
  ];
}

export function softmaxCalls(n_row: number, n_col: number, accumulate: number): KernelCall[] {
  const shapes = Object.fromEntries(['z', 'p', 'dp', 'dz'].map((name) => [name, [n_row, n_col]]));
  const call = { params: { n_row, n_col, accumulate }, shapes, rows: n_row, cols: n_col };
  return [
    { kernel: 'softmax_forward', ...call },
    { kernel: 'softmax_backward', ...call },
  ];
}

/** The kernels one after the other over shared tensors; returns what they write. */
export async function runKernels(
  device: GPUDevice,
  traits: Traits,
  calls: readonly KernelCall[],
  arrays: Arrays,
  nModel = 1,
): Promise<Record<string, Float32Array>> {
  const sketch = new PlanSketch(nModel);
  const operands = calls.flatMap(({ kernel }) => [...KERNELS[kernel]!.operands]);
  for (const name of new Set(operands)) sketch.tensor(name, calls[0]!.shapes[name]!);
  for (const { kernel, params, rows, cols } of calls)
    sketch.dispatch('forward', kernel, [...KERNELS[kernel]!.operands], params, rows, cols);
  const executor = await createGpuExecutor({ plan: sketch.plan, device, phases: ['forward'], traits });
  try {
    await writeAll(
      executor,
      sketch.plan,
      Object.fromEntries(Object.entries(arrays).filter(([name]) => operands.includes(name))),
    );
    await executor.run(['forward']);
    const written = calls.flatMap(({ kernel }) => KERNELS[kernel]!.operands.slice(-KERNELS[kernel]!.nOutput));
    return await readAll(executor, sketch.plan, written);
  } finally {
    executor.free();
  }
}

/** The file that a call runs, for example "linear_forward.large". */
export function shaderOf({ kernel, params, rows, cols }: KernelCall, traits: Traits, nModel = 1): string {
  const { plan } = new PlanSketch(nModel).dispatch('forward', kernel, [], params, rows, cols);
  return chooseShader(plan.phases.forward[0]!, traits).pass;
}

export interface OpOnBoth {
  op: string;
  params: Record<string, number | boolean>;
  inputs: Arrays;
  phases: Phase[];
  outputs: string[];
}

/** An op planned by the core, run by both executors. */
export async function runOnBoth(device: GPUDevice, traits: Traits, { op, params, inputs, phases, outputs }: OpOnBoth) {
  const engine = await startEngine();
  const core = engine.create(`op:${op}`, paramLines(params));
  const plan: PlanInfo = core.describe();
  const cpu = new CpuExecutor(engine, core);
  const gpu = await createGpuExecutor({ plan, device, phases, traits });
  try {
    for (const executor of [cpu, gpu]) await writeAll(executor, plan, inputs);
    cpu.run(phases);
    await gpu.run(phases);
    return { wasm: await readAll(cpu, plan, outputs), webgpu: await readAll(gpu, plan, outputs) };
  } finally {
    cpu.free();
    gpu.free();
  }
}
