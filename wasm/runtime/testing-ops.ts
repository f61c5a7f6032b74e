/** Ops that are one plan of the core: names and shapes of the cases beside those of the core. */
import { checkFits, checkInteger, checkLabels, checkNumber, show } from './checks.js';
import { NormscopeError } from './errors.js';
import { batchNorm, batchNormBackward, layerNorm, layerNormBackward, rmsNorm, rmsNormBackward } from './norms.js';
import type { Op, OpInputs } from './testing-inputs.js';
import { flat } from './testing-values.js';
import type { LayerNormBackwardRequest, LayerNormRequest, Phase } from './types.js';

type Forward = (request: LayerNormRequest) => Promise<object>;
type Backward = (request: LayerNormBackwardRequest) => Promise<object>;

/** x of rows · d numbers; without rows as many as there are, without d those of normalized_shape. */
export function normRequest(at: OpInputs): LayerNormRequest {
  const d = widthOf(at);
  const rows = at.param('rows') === undefined ? undefined : at.count('rows');
  if (rows !== undefined) checkFits(rows, d, 2);
  const x = at.required('x', rows === undefined ? undefined : rows * d);
  return { x, dModel: d, device: at.device, ...pick(at, 'gamma'), eps: at.eps() };
}

/** Several normalized dimensions are one of d numbers: rows, d and the shapes, where given, must say the same. */
function widthOf(at: OpInputs): number {
  const [whole, normalized] = [shape(at, 'x_shape'), shape(at, 'normalized_shape')];
  const d = at.countOr('d', normalized ? product(normalized) : NaN, 1);
  if (normalized && product(normalized) !== d)
    throw new NormscopeError('bad-size', `normalized_shape has ${product(normalized)} numbers, d is ${d}`);
  if (!whole) return d;
  const rows = at.countOr('rows', product(whole) / d);
  if (product(whole) !== rows * d)
    throw new NormscopeError('bad-size', `x_shape has ${product(whole)} numbers, rows × d ${rows * d}`);
  if (normalized && normalized.some((extent, i) => extent !== whole[whole.length - normalized.length + i]))
    throw new NormscopeError(
      'bad-size',
      `x_shape [${whole.join(', ')}] does not end in normalized_shape [${normalized.join(', ')}]`,
    );
  return d;
}

/** The extents of a shape; one number stands for one extent. */
function shape(at: OpInputs, name: string): number[] | undefined {
  const value = at.param(name);
  if (value === undefined) return undefined;
  return (Array.isArray(value) ? value : [value]).map((extent) => checkInteger(name, extent));
}

const product = (extents: number[]): number => extents.reduce((count, extent) => count * extent, 1);

/** The input under its name, or nothing. */
function pick(at: OpInputs, name: string): Record<string, Float32Array> {
  const value = at.optional(name);
  return value ? { [name]: value } : {};
}

const forward =
  (norm: Forward, withBeta: boolean): Op =>
  async (at) => ({ ...(await norm({ ...normRequest(at), ...(withBeta ? pick(at, 'beta') : {}) })) });

/** β, where there is one, has no part in the gradients. */
const backward =
  (norm: Backward, withBeta: boolean): Op =>
  async (at) => {
    if (withBeta) pick(at, 'beta');
    return { ...(await norm({ ...normRequest(at), dy: at.required('dy') })) };
  };

/** x with as many numbers as the sizes say, where they are given. */
function elements(at: OpInputs): Float32Array {
  const x = at.required('x');
  const n = at.countOr('n', x.length);
  const d = at.countOr('d', Math.max(1, n), 1);
  const rows = at.countOr('rows', Math.floor(n / d));
  if (n === x.length && rows * d === n) return x;
  throw new NormscopeError('bad-size', `x has ${x.length} numbers; n ${n}, rows ${rows} and d ${d} say otherwise`);
}

const elementwise =
  (op: string): Op =>
  async (at) => {
    const x = elements(at);
    return at.run(op, { n: x.length }, { x }, ['forward'], ['y']);
  };

const elementwiseBackward =
  (op: string): Op =>
  async (at) => {
    const x = elements(at);
    return at.run(op, { n: x.length }, { x, dy: at.required('dy') }, ['forward', 'backward'], ['dx']);
  };

const GELU_FORMS = ['gelu_tanh', 'gelu_erf'];

/** Both forms of GELU that a case asks for, by name. */
async function gelu(at: OpInputs): Promise<Record<string, unknown>> {
  const forms = at.param('forms') ?? GELU_FORMS;
  if (!Array.isArray(forms))
    throw new NormscopeError(
      'bad-option',
      `forms is ${show(forms)}; expected some of ${GELU_FORMS.join(', ')}, as a list`,
    );
  const strange: unknown = forms.find((form) => !GELU_FORMS.includes(form));
  if (strange !== undefined)
    throw new NormscopeError('bad-option', `forms holds ${show(strange)}; expected some of ${GELU_FORMS.join(', ')}`);
  const names = forms as string[];
  const results = await Promise.all(names.map((form) => elementwise(form)(at)));
  return Object.fromEntries(names.map((form, i) => [form, results[i]!.y]));
}

export function countRows(x: Float32Array, width: number): number {
  if (x.length % width === 0) return x.length / width;
  throw new NormscopeError('bad-size', `${x.length} numbers are no whole rows of ${width}`);
}

/** Rows of n numbers; without n as many as the rows leave, without both one row. */
function rowShape(at: OpInputs, z: Float32Array): { rows: number; n: number } {
  const rows = at.param('rows') === undefined ? undefined : at.count('rows', 1);
  const n = at.countOr('n', rows === undefined ? z.length : countRows(z, rows), 1);
  if (rows === undefined || rows * n === z.length) return { rows: countRows(z, n), n };
  throw new NormscopeError('bad-size', `rows ${rows} × n ${n} are ${rows * n} numbers, but there are ${z.length}`);
}

async function softmax(at: OpInputs): Promise<Record<string, unknown>> {
  const z = at.required('z');
  return at.run('softmax', rowShape(at, z), { z }, ['forward'], ['p']);
}

async function softmaxBackward(at: OpInputs): Promise<Record<string, unknown>> {
  const p = at.required('p');
  return at.run('softmax_backward', rowShape(at, p), { p, dp: at.required('dp') }, ['forward', 'backward'], ['dz']);
}

const ATTENTION_LAYOUT = '[position][head][channel]';
const ATTENTION_SCALE = '1/sqrt(head_dim)';

/**
 * q [T, heads, head_dim], k and v [S, heads, head_dim], mask [T, S] of true and false or 1 and 0; with `do` also dq, dk,
 * dv. Causal: key j is visible to query i when j <= i + kv_offset, which may be negative.
 */
async function attention(at: OpInputs): Promise<Record<string, unknown>> {
  at.choice('layout', [ATTENTION_LAYOUT]);
  const [T, S] = [at.count('T', 1), at.count('S', 1)];
  const mask = attentionMask(at, T * S);
  const params = {
    ...{ batch: at.countOr('batch', 1, 1), T, S, heads: at.countOr('heads', 1, 1), head_dim: at.count('head_dim', 1) },
    causal: at.flag('causal'),
    query_offset: at.countOr('kv_offset', at.countOr('query_offset', 0, -(2 ** 31)), -(2 ** 31)),
    has_mask: mask !== undefined,
    ...attentionScale(at),
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

/** A parameter or an input; absent: all visible. */
function attentionMask(at: OpInputs, length: number): Float32Array | undefined {
  const given = at.param('mask');
  const mask = given === undefined ? at.optional('mask', length) : Float32Array.from(flat(given) as number[]);
  if (!mask) return undefined;
  const strange = mask.find((value) => value !== 0 && value !== 1);
  if (strange === undefined && mask.length === length) return mask;
  throw new NormscopeError(
    'bad-array',
    `mask needs T × S = ${length} values, true or false; it has ${mask.length}` +
      (strange === undefined ? '' : `, among them ${strange}`),
  );
}

/** Absent: 1/√head_dim. */
function attentionScale(at: OpInputs): { scale?: number } {
  const scale = at.param('scale') ?? ATTENTION_SCALE;
  return scale === ATTENTION_SCALE ? {} : { scale: checkNumber('scale', scale) };
}

/** Mean loss over the rows whose label counts, and its gradient; z_loss adds z_loss (log Z)². */
async function crossEntropy(at: OpInputs): Promise<Record<string, unknown>> {
  const V = at.count('V', 1);
  const ignore = at.number('ignore_index', -100);
  const logits = at.required('logits');
  const labels = at.required('labels');
  checkLabels('labels', labels, V, ignore);
  const rows = at.countOr('rows', labels.length);
  const result = await at.run(
    'cross_entropy_mean',
    { rows, V, ignore_index: ignore, z_loss: at.number('z_loss', 0) },
    { logits, labels },
    ['forward', 'backward'],
    ['loss', 'dlogits'],
  );
  return { loss: result.loss![0]!, dlogits: result.dlogits };
}

/** γ tanh(α x) + β; with dy also the gradients. α: 0.5 where it is absent. */
async function dyt(at: OpInputs): Promise<Record<string, unknown>> {
  const tensors = {
    x: at.required('x'),
    alpha: at.optional('alpha', 1) ?? Float32Array.of(0.5),
    gamma: at.optional('gamma'),
    beta: at.optional('beta'),
  };
  const dy = at.optional('dy');
  if (!dy) return at.run('dyt_forward', rowsOfX(at), tensors, ['forward'], ['y']);
  const outputs = ['y', 'dx', 'dalpha', 'dgamma', 'dbeta'];
  return at.run('dyt_backward', rowsOfX(at), { ...tensors, dy }, ['forward', 'backward'], outputs);
}

/** s ⊙ x with s of one number or one for each of d features; with dy also dx and ds. */
async function channelScale(at: OpInputs): Promise<Record<string, unknown>> {
  const [x, s, dy] = [at.required('x'), at.required('s'), at.optional('dy')];
  const params = { ...rowsOfX(at), scales: s.length };
  if (!dy) return at.run('channel_scale', params, { x, s }, ['forward'], ['y']);
  return at.run('channel_scale', params, { x, s, dy }, ['forward', 'backward'], ['y', 'dx', 'ds']);
}

/**
 * BatchNorm with running statistics: in training y by the statistics of the batch, and one step of the running ones,
 * which a step that is not finite leaves alone; otherwise y by the running ones. Absent, they are 0 and 1.
 */
async function batchNormRunning(at: OpInputs): Promise<Record<string, unknown>> {
  const size = rowsOfX(at);
  const control = new Float32Array(8);
  control[3] = Number(at.flag('finite', true));
  const tensors = {
    ...{ x: at.required('x'), gamma: at.optional('gamma'), beta: at.optional('beta'), control },
    running_mean: at.optional('running_mean', size.d) ?? new Float32Array(size.d),
    running_var: at.optional('running_var', size.d) ?? new Float32Array(size.d).fill(1),
  };
  const params = { ...size, eps: at.eps(), momentum: at.number('momentum', 0.1) };
  const phases: Phase[] = at.flag('train', true) ? ['forward', 'update'] : ['evaluate'];
  return at.run('batchnorm_running', params, tensors, phases, ['y', 'running_mean', 'running_var']);
}

/** sum = alpha · residual + dt · x and its norm, in one pass. */
const addNorm = (op: string, shifted: boolean) => async (at: OpInputs) => {
  const params = { ...rowsOfX(at), eps: at.eps(), alpha: at.number('alpha', 1), dt: at.number('dt', 1) };
  const tensors = {
    x: at.required('x'),
    residual: at.required('residual'),
    gamma: at.optional('gamma'),
    ...(shifted && { beta: at.optional('beta') }),
  };
  return at.run(op, params, tensors, ['forward'], ['sum', 'y']);
};

function rowsOfX(at: OpInputs): { rows: number; d: number } {
  const d = at.count('d', 1);
  return { rows: countRows(elements(at), d), d };
}

async function residualAdd(at: OpInputs): Promise<Record<string, unknown>> {
  const skip = at.required('skip', at.param('n') === undefined ? undefined : at.count('n'));
  const params = { n: skip.length, alpha: at.number('alpha', 1), dt: at.number('dt', 1) };
  return at.run('residual_add', params, { skip, branch: at.required('branch') }, ['forward'], ['y']);
}

/** weight [n_out, n_in] */
async function linear(at: OpInputs): Promise<Record<string, unknown>> {
  const params = { rows: at.count('rows'), n_in: at.count('n_in', 1), n_out: at.count('n_out', 1) };
  const [x, weight, bias, dy] = [at.required('x'), at.required('weight'), at.optional('bias'), at.optional('dy')];
  if (!dy) return at.run('linear_forward', params, { x, weight, bias }, ['forward'], ['y']);
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
  checkLabels('tokens', tokens, vocab);
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
  const x = elements(at);
  const seed = at.countOr('seed', 1, 0, 2 ** 32 - 1);
  const train = at.flag('train', true);
  const control = new Float32Array(8);
  control[0] = at.countOr('step', 0);
  const tensors = { x, control, seed: Float32Array.of(Math.floor(seed / 65536), seed % 65536) };
  const params = { n: x.length, rate: at.number('rate', 0.1) };
  const dy = at.optional('dy');
  if (!dy) return at.run('dropout', params, tensors, [train ? 'forward' : 'evaluate'], ['y']);
  return at.run('dropout', params, { ...tensors, dy }, ['forward', 'backward'], ['y', 'dx']);
}

const FORMATS = ['fp32', 'fp16', 'bf16'] as const;

/** Rounds in place; latch: { n_overflow, step, point, channel, value, … }. */
async function roundFormat(at: OpInputs): Promise<Record<string, unknown>> {
  const x = elements(at);
  const format = FORMATS.indexOf(at.choice('format', FORMATS));
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
  layernorm_backward: backward(layerNormBackward, true),
  rmsnorm_forward: forward(rmsNorm, false),
  rmsnorm_backward: backward(rmsNormBackward, false),
  batchnorm_forward: forward(batchNorm, true),
  batchnorm_backward: backward(batchNormBackward, true),
  batchnorm_running: batchNormRunning,
  dyt_forward: dyt,
  dyt_backward: dyt,
  channel_scale: channelScale,
  residual_add: residualAdd,
  add_layernorm_forward: addNorm('add_layernorm_forward', true),
  add_rmsnorm_forward: addNorm('add_rmsnorm_forward', false),
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
