// Plans made by hand: a plan is plain data, so the executor can be tried without the core.
import { KERNELS } from '../../build/generated/kernels.js';
import { uniformLayout } from '../../wasm/runtime/gpu-layout.js';
import type { Phase, PlanInfo, TensorInfo } from '../../wasm/runtime/types.js';
import type { NormKind } from '../cases/reference-norms.js';

export class PlanSketch {
  readonly plan: PlanInfo = {
    nFloat: 0,
    nParameter: 0,
    tensors: [],
    phases: { forward: [], backward: [], update: [], observe: [], evaluate: [] },
    dataset: null,
    spec: {},
    models: [],
    observe: null,
  };

  constructor(readonly nModel = 1) {}

  tensor(name: string, shape: number[], role: TensorInfo['role'] = 'activation'): this {
    const size = shape.reduce((a, b) => a * b, this.nModel);
    this.plan.tensors.push({ name, role, shape, nModel: this.nModel, offset: this.plan.nFloat, size });
    this.plan.nFloat += Math.ceil(size / 64) * 64;
    return this;
  }

  /** `operands`: names of tensors in binding order. */
  dispatch(
    phase: Phase,
    kernel: string,
    operands: string[],
    params: Record<string, number>,
    rows: number,
    cols: number,
  ): this {
    const bytes = uniformLayout(KERNELS[kernel]!.params, params);
    this.plan.phases[phase].push({
      kernel,
      operands: operands.map((name) => this.plan.tensors.findIndex((tensor) => tensor.name === name)),
      params: [...new Uint32Array(bytes.buffer)],
      grid: [rows, cols, this.nModel],
    });
    return this;
  }
}

export interface NormShape {
  rows: number;
  d: number;
  eps: number;
  nModel?: number;
  /** Bits of outputs that are added to, in each dispatch. */
  accumulate?: number;
}

/** One norm, forward and backward. */
export function normPlan(kind: NormKind, { rows, d, eps, nModel = 1, accumulate = 0 }: NormShape): PlanInfo {
  const params = { n_row: rows, d, eps, accumulate };
  const beta = kind === 'layernorm' ? ['beta'] : [];
  const dbeta = kind === 'layernorm' ? ['dbeta'] : [];
  const sketch = new PlanSketch(nModel);
  for (const name of ['x', 'dy', 'y', 'dx']) sketch.tensor(name, [rows, d]);
  for (const name of ['gamma', ...beta, 'dgamma', ...dbeta]) sketch.tensor(name, [d]);
  sketch.tensor('stats', [rows, 4]);
  sketch.dispatch('forward', `${kind}_forward`, ['x', 'gamma', ...beta, 'y', 'stats'], params, rows, d);
  sketch.dispatch('backward', `${kind}_backward_x`, ['x', 'gamma', 'dy', 'stats', 'dx'], params, rows, d);
  sketch.dispatch('backward', `${kind}_backward_params`, ['x', 'dy', 'stats', 'dgamma', ...dbeta], params, rows, d);
  return sketch.plan;
}
