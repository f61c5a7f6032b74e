import { checkArray, checkFlag, checkInteger, checkKeys, checkNamed } from './checks.js';
import { startEngine } from './core.js';
import { CpuExecutor } from './cpu-executor.js';
import { NormscopeError } from './errors.js';
import { findTensor, parametersOf } from './plan.js';
import { checkParameters } from './session.js';
import { specLines } from './spec.js';
import type { ModelSpec, NumberArray, PlanInfo, TransformerBlockRequest, TransformerBlockResult } from './types.js';

/**
 * The residual blocks of a spec on given hidden states, forward and, with `dy`, backward.
 *
 * x: [rows, dModel], row-major; rows is a multiple of spec.nCtx (default: one sequence of all rows). `parameters` uses
 * PyTorch's names and layouts, e.g. `blocks.0.attn.q_proj.weight` [out, in]; missing ones are initialised from
 * spec.seed. Dropout acts only with `train: true`. The results are copies.
 * @throws NormscopeError bad-spec | bad-size | bad-array | unknown-tensor | …, before anything is computed
 */
export async function transformerBlock(request: TransformerBlockRequest): Promise<TransformerBlockResult> {
  checkKeys('transformerBlock', request, ['x', 'spec', 'parameters', 'dy', 'train']);
  specLines(request.spec); // before it is spread: what is no spec has no fields
  const spec = { nLayer: 1, ...request.spec };
  const x = checkArray('x', request.x).slice();
  const dy = request.dy === undefined ? undefined : checkArray('dy', request.dy, x.length).slice();
  const lines = specLines({
    ...spec,
    ...sequences(spec, x.length),
    dropout: checkFlag('train', request.train) ? spec.dropout : 0,
  });
  const given = copyArrays(request.parameters);

  const engine = await startEngine();
  const core = engine.create('block', lines);
  const plan = core.describe();
  const executor = new CpuExecutor(engine, core);
  try {
    const written = checkParameters(plan, given);
    for (const [tensor, data] of written) executor.write(tensor, data);
    return compute(plan, executor, x, dy);
  } finally {
    executor.free();
  }
}

function compute(
  plan: PlanInfo,
  executor: CpuExecutor,
  x: Float32Array,
  dy: Float32Array | undefined,
): TransformerBlockResult {
  const copy = (name: string): Float32Array => executor.copy(findTensor(plan, name));
  const named = (suffix = ''): Record<string, Float32Array> =>
    Object.fromEntries(parametersOf(plan).map(({ name }) => [name, copy(name + suffix)]));
  executor.write(findTensor(plan, 'x'), x);
  executor.run(['forward']);
  const result: TransformerBlockResult = { y: copy('y'), parameters: named() };
  if (!dy) return result;
  executor.write(findTensor(plan, 'y.grad'), dy);
  executor.run(['backward']);
  return { ...result, dx: copy('x.grad'), gradients: named('.grad') };
}

/** How the rows of x fall into sequences. */
function sequences(spec: ModelSpec, nNumber: number): { nBatch: number; nCtx: number; dModel: number } {
  const dModel = checkInteger('spec.dModel', spec.dModel ?? DEFAULT_D_MODEL, 1);
  if (nNumber === 0 || nNumber % dModel !== 0) {
    throw new NormscopeError(
      'bad-size',
      `x has ${nNumber} numbers; expected whole rows of dModel ${dModel}, at least one`,
    );
  }
  const rows = nNumber / dModel;
  const nCtx = checkInteger('spec.nCtx', spec.nCtx ?? rows, 1);
  if (rows % nCtx !== 0) {
    const hint = rows > nCtx && rows < 2 * nCtx ? `: a sequence longer than nCtx ${nCtx}` : '';
    throw new NormscopeError('bad-size', `x has ${rows} rows, not a multiple of nCtx ${nCtx}${hint}`);
  }
  return { nBatch: rows / nCtx, nCtx, dModel };
}

const DEFAULT_D_MODEL = 32;

/** The caller may change its arrays while the core starts. */
function copyArrays(parameters: Record<string, NumberArray> = {}): Record<string, Float32Array> {
  checkNamed('parameters', parameters);
  return Object.fromEntries(Object.entries(parameters).map(([name, value]) => [name, checkArray(name, value).slice()]));
}
