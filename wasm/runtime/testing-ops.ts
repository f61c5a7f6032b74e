/** Ops that are one plan of the core: names and shapes of the cases beside those of the core. */
import { checkLabels, checkFits } from './checks.js';
import { NormscopeError } from './errors.js';
import { batchNorm, batchNormBackward, layerNorm, layerNormBackward, rmsNorm, rmsNormBackward } from './norms.js';
import { flat, type Op, type OpInputs } from './testing-inputs.js';
import type { LayerNormBackwardRequest, LayerNormRequest, NumberArray } from './types.js';

type Forward = (request: LayerNormRequest) => Promise<object>;
type Backward = (request: LayerNormBackwardRequest) => Promise<object>;

/** rows and d, both checked, with x of rows · d numbers. */
function normRequest(at: OpInputs): { x: NumberArray; dModel: number; gamma?: NumberArray; eps?: number } {
  const rows = at.count('rows');
  const d = at.count('d', 1);
  checkFits(rows, d, 2);
  const request = { x: at.required('x', rows * d), dModel: d, device: at.device, ...pick(at, 'gamma') };
  return at.params.eps === undefined ? request : { ...request, eps: at.params.eps as number };
}

/** The input under its name, or nothing. */
function pick(at: OpInputs, name: string): Record<string, Float32Array> {
  const value = at.optional(name);
  return value ? { [name]: value } : {};
}

const forward =
  (norm: Forward, withBeta: boolean): Op =>
  async (at) => ({ ...(await norm({ ...normRequest(at), ...(withBeta ? pick(at, 'beta') : {}) })) });

const backward =
  (norm: Backward): Op =>
  async (at) => ({ ...(await norm({ ...normRequest(at), dy: at.required('dy') })) });

const elementwise =
  (op: string): Op =>
  async (at) => {
    const x = at.required('x');
    return at.run(op, { n: x.length }, { x }, ['forward'], ['y']);
  };

const elementwiseBackward =
  (op: string): Op =>
  async (at) => {
    const x = at.required('x');
    return at.run(op, { n: x.length }, { x, dy: at.required('dy') }, ['forward', 'backward'], ['dx']);
  };

/** Both forms of GELU that a case asks for, by name. */
async function gelu(at: OpInputs): Promise<Record<string, unknown>> {
  const forms = (at.params.forms as string[] | undefined) ?? ['gelu_tanh', 'gelu_erf'];
  const results = await Promise.all(forms.map((form) => elementwise(form)(at)));
  return Object.fromEntries(forms.map((form, i) => [form, results[i]!.y]));
}

function countRows(x: Float32Array, width: number): number {
  if (x.length % width === 0) return x.length / width;
  throw new NormscopeError('bad-size', `${x.length} numbers are no whole rows of ${width}`);
}

/** Rows of n; without n one row. */
function rowShape(at: OpInputs, z: Float32Array): { rows: number; n: number } {
  const n = at.countOr('n', z.length, 1);
  return { rows: countRows(z, n), n };
}

async function softmax(at: OpInputs): Promise<Record<string, unknown>> {
  const z = at.required('z');
  return at.run('softmax', rowShape(at, z), { z }, ['forward'], ['p']);
}

async function softmaxBackward(at: OpInputs): Promise<Record<string, unknown>> {
  const p = at.required('p');
  return at.run('softmax_backward', rowShape(at, p), { p, dp: at.required('dp') }, ['forward', 'backward'], ['dz']);
}

/** q [T, heads, head_dim], k and v [S, heads, head_dim]; with `do` also dq, dk, dv. */
async function attention(at: OpInputs): Promise<Record<string, unknown>> {
  const batch = at.countOr('batch', 1, 1);
  const [T, S, heads, headDim] = [
    at.count('T', 1),
    at.count('S', 1),
    at.countOr('heads', 1, 1),
    at.count('head_dim', 1),
  ];
  const mask = at.params.mask === undefined ? at.optional('mask') : Float32Array.from(flat(at.params.mask) as number[]);
  const params = {
    ...{ batch, T, S, heads, head_dim: headDim },
    causal: at.flag('causal'),
    query_offset: at.countOr('kv_offset', at.countOr('query_offset', 0)),
    has_mask: mask !== undefined,
    scale: typeof at.params.scale === 'number' ? at.params.scale : 1 / Math.sqrt(headDim),
  };
  const dy = at.optional('do');
  const tensors = {
    q: at.required('q'),
    k: at.required('k'),
    v: at.required('v'),
    ...(mask && { mask }),
    ...(dy && { do: dy }),
  };
  if (!dy) {
    const { o, 'o.probs': probs } = await at.run('attention_forward', params, tensors, ['forward'], ['o', 'o.probs']);
    return { o, probs };
  }
  return at.run('attention_backward', params, tensors, ['forward', 'backward'], ['o', 'dq', 'dk', 'dv']);
}

/** Mean loss over the rows whose label counts, and its gradient. */
async function crossEntropy(at: OpInputs): Promise<Record<string, unknown>> {
  const V = at.count('V', 1);
  const ignore = at.number('ignore_index', -100);
  const logits = at.required('logits');
  const labels = at.required('labels');
  checkLabels('labels', labels, V, ignore);
  const rows = at.countOr('rows', labels.length);
  const result = await at.run(
    'cross_entropy_mean',
    { rows, V, ignore_index: ignore },
    { logits, labels },
    ['forward', 'backward'],
    ['loss', 'dlogits'],
  );
  return { loss: result.loss![0]!, dlogits: result.dlogits };
}

async function addLayerNorm(at: OpInputs): Promise<Record<string, unknown>> {
  const params = { ...rowsOfX(at), eps: at.number('eps', 1e-5), alpha: at.number('alpha', 1), dt: at.number('dt', 1) };
  const tensors = {
    x: at.required('x'),
    residual: at.required('residual'),
    gamma: at.optional('gamma'),
    beta: at.optional('beta'),
  };
  return at.run('add_layernorm_forward', params, tensors, ['forward'], ['sum', 'y']);
}

function rowsOfX(at: OpInputs): { rows: number; d: number } {
  const d = at.count('d', 1);
  return { rows: countRows(at.required('x'), d), d };
}

/** y = x + LayerNorm(x) */
async function residualBackward(at: OpInputs): Promise<Record<string, unknown>> {
  const params = { ...rowsOfX(at), eps: at.number('eps', 1e-5) };
  return at.run(
    'residual_backward',
    params,
    { x: at.required('x'), dy: at.required('dy') },
    ['forward', 'backward'],
    ['dx'],
  );
}

async function residualAdd(at: OpInputs): Promise<Record<string, unknown>> {
  const skip = at.required('skip');
  const params = { n: skip.length, alpha: at.number('alpha', 1), dt: at.number('dt', 1) };
  return at.run('residual_add', params, { skip, branch: at.required('branch') }, ['forward'], ['y']);
}

/** weight [n_out, n_in] */
async function linear(at: OpInputs): Promise<Record<string, unknown>> {
  const params = { rows: at.count('rows', 1), n_in: at.count('n_in', 1), n_out: at.count('n_out', 1) };
  const [x, weight, dy] = [at.required('x'), at.required('weight'), at.optional('dy')];
  if (!dy) return at.run('linear_forward', params, { x, weight, bias: at.optional('bias') }, ['forward'], ['y']);
  return at.run('linear_backward', params, { x, weight, dy }, ['forward', 'backward'], ['dx', 'dweight', 'dbias']);
}

/** Token plus position; a sequence longer than the position table is refused. */
async function embedding(at: OpInputs): Promise<Record<string, unknown>> {
  const [vocab, d, ctx, batch] = [
    at.count('vocab', 1),
    at.count('d', 1),
    at.count('ctx', 1),
    at.countOr('batch', 1, 1),
  ];
  const tokens = at.required('tokens');
  const positions = at.required('position_table');
  if (positions.length < ctx * d) {
    throw new NormscopeError(
      'bad-size',
      `a sequence of ctx ${ctx} tokens is longer than the position table, which has ${positions.length / d} rows`,
    );
  }
  checkLabels('tokens', tokens, vocab, NaN);
  const tensors = { tokens, token_table: at.required('token_table'), position_table: positions.subarray(0, ctx * d) };
  const dy = at.optional('dy');
  if (!dy) return at.run('embedding', { batch, ctx, d, vocab }, tensors, ['forward'], ['y']);
  return at.run(
    'embedding',
    { batch, ctx, d, vocab },
    { ...tensors, dy },
    ['forward', 'backward'],
    ['y', 'dtoken_table', 'dposition_table'],
  );
}

/** seed: 32 bits; step: the counter of the mask. train false: y = x. */
async function dropout(at: OpInputs): Promise<Record<string, unknown>> {
  const x = at.required('x');
  const seed = at.countOr('seed', 1);
  const train = at.params.train !== false;
  const control = new Float32Array(8);
  control[0] = at.countOr('step', 0);
  const tensors = { x, control, seed: Float32Array.of(Math.floor(seed / 65536), seed % 65536) };
  const params = { n: x.length, rate: at.number('rate', 0.1) };
  const dy = at.optional('dy');
  if (!dy) return at.run('dropout', params, tensors, [train ? 'forward' : 'evaluate'], ['y']);
  return at.run('dropout', params, { ...tensors, dy }, ['forward', 'backward'], ['y', 'dx']);
}

const FORMATS = ['fp32', 'fp16', 'bf16'];

/** Rounds in place; latch: { n_overflow, step, point, channel, value, … }. */
async function roundFormat(at: OpInputs): Promise<Record<string, unknown>> {
  const x = at.required('x');
  const format = FORMATS.indexOf(String(at.params.format));
  if (format < 0)
    throw new NormscopeError(
      'bad-option',
      `format is '${String(at.params.format)}'; expected one of ${FORMATS.join(', ')}`,
    );
  const params = { n: x.length, d: at.countOr('d', x.length, 1), format };
  // The kept op would keep its latch: write all that a call depends on.
  const result = await at.run(
    'round_format',
    params,
    { x, control: new Float32Array(8), latch: new Float32Array(8) },
    ['forward'],
    ['x', 'latch'],
  );
  return { y: result.x, latch: result.latch };
}

export const CORE_OPS: Record<string, Op> = {
  layernorm_forward: forward(layerNorm, true),
  layernorm_backward: backward(layerNormBackward),
  rmsnorm_forward: forward(rmsNorm, false),
  rmsnorm_backward: backward(rmsNormBackward),
  batchnorm_forward: forward(batchNorm, true),
  batchnorm_backward: backward(batchNormBackward),
  residual_add: residualAdd,
  add_layernorm_forward: addLayerNorm,
  residual_backward: residualBackward,
  linear_forward: linear,
  linear_backward: linear,
  relu: elementwise('relu'),
  relu_backward: elementwiseBackward('relu_backward'),
  gelu,
  gelu_tanh: elementwise('gelu_tanh'),
  gelu_tanh_backward: elementwiseBackward('gelu_tanh_backward'),
  gelu_erf: elementwise('gelu_erf'),
  gelu_erf_backward: elementwiseBackward('gelu_erf_backward'),
  tanh: elementwise('tanh'),
  tanh_backward: elementwiseBackward('tanh_backward'),
  softmax,
  softmax_backward: softmaxBackward,
  attention_forward: attention,
  attention_backward: attention,
  cross_entropy_mean: crossEntropy,
  embedding,
  dropout,
  round_format: roundFormat,
};
