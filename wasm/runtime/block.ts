import { checkArray, checkDevice, checkFlag, checkInteger, checkKeys, checkNamed } from './checks.js';
import { openPlan } from './choose-device.js';
import { NormscopeError } from './errors.js';
import { findTensor, parametersOf } from './plan.js';
import { checkParameters } from './session.js';
import { specLines } from './spec.js';
import type {
  Device,
  ModelSpec,
  NumberArray,
  Phase,
  TransformerBlockRequest,
  TransformerBlockResult,
} from './types.js';
import { callWish, onWished } from './wish.js';

/**
 * The residual blocks of a spec on given hidden states, forward and, with `dy`, backward.
 *
 * x: [rows, dModel], row-major; rows is a multiple of spec.nCtx (default: one sequence of all rows). `parameters` uses
 * PyTorch's names and layouts, e.g. `blocks.0.attn.q_proj.weight` [out, in]; missing ones are initialised from
 * spec.seed. Dropout acts only with `train: true`. The results are copies.
 * @throws NormscopeError bad-spec | bad-size | bad-array | unknown-tensor | …, before anything is computed
 */
export async function transformerBlock(request: TransformerBlockRequest): Promise<TransformerBlockResult> {
  checkKeys('transformerBlock', request, ['x', 'spec', 'parameters', 'dy', 'train', 'device']);
  specLines(request.spec); // before it is spread: what is no spec has no fields
  const spec = { nLayer: 1, ...request.spec };
  const x = checkArray('x', request.x).slice();
  const dy = request.dy === undefined ? undefined : checkArray('dy', request.dy, x.length).slice();
  const lines = specLines({
    ...spec,
    ...sequences(spec, x.length),
    dropout: checkFlag('train', request.train) ? spec.dropout : 0,
  });
  const given = { x, dy, parameters: copyArrays(request.parameters) };
  return onWished(callWish(checkDevice(request.device)), (device) => compute(lines, given, device));
}

interface Given {
  x: Float32Array;
  dy: Float32Array | undefined;
  parameters: Record<string, Float32Array>;
}

async function compute(lines: string, { x, dy, parameters }: Given, device: Device): Promise<TransformerBlockResult> {
  const phases: Phase[] = dy ? ['forward', 'backward'] : ['forward'];
  const { live } = await openPlan({ kind: 'block', lines, phases }, { device, strict: true });
  const { plan, executor } = live;
  const read = (name: string): Promise<Float32Array> => executor.read(findTensor(plan, name));
  const named = async (suffix = ''): Promise<Record<string, Float32Array>> => {
    const names = parametersOf(plan).map(({ name }) => name);
    const arrays = await Promise.all(names.map((name) => read(name + suffix)));
    return Object.fromEntries(names.map((name, i) => [name, arrays[i]!]));
  };
  try {
    const written = checkParameters(plan, parameters);
    for (const [tensor, data] of written) await executor.write(tensor, data);
    await executor.write(findTensor(plan, 'x'), x);
    if (dy) await executor.write(findTensor(plan, 'y.grad'), dy);
    await executor.run(phases);
    const result = { y: await read('y'), parameters: await named() };
    return dy ? { ...result, dx: await read('x.grad'), gradients: await named('.grad') } : result;
  } finally {
    live.free();
  }
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
