/** Ops that are whole residual blocks. */
import { transformerBlock } from './block.js';
import { NormscopeError } from './errors.js';
import { show } from './checks.js';
import type { Op, OpInputs } from './testing-inputs.js';
import { countRows } from './testing-ops.js';
import type { ModelSpec, TransformerBlockResult } from './types.js';

/** The sublayer f(v) = factor · v + shift. */
interface Sublayer {
  factor: number;
  shift: number;
}

const NUMBER = String.raw`(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?`;
const LINEAR = new RegExp(
  `^f\\(v\\)=(?<sign>[-+]?)(?<times>${NUMBER})?\\*?v(?:(?<by>[*/])(?<more>${NUMBER}))?(?<shift>[-+]${NUMBER})?$`,
);
const CONSTANT = new RegExp(`^f\\(v\\)=(?<shift>[-+]?${NUMBER})$`);

/** 'f(v) = 2 v', 'f(v) = -v', 'f(v) = v / 4 + 1', 'f(v) = 0' */
function sublayerOf(text: unknown): Sublayer {
  const plain = typeof text === 'string' ? text.replace(/\s/g, '') : '';
  const constant = CONSTANT.exec(plain)?.groups;
  if (constant) return { factor: 0, shift: Number(constant.shift) };
  const linear = LINEAR.exec(plain)?.groups;
  if (!linear)
    throw new NormscopeError(
      'bad-option',
      `sublayer is ${show(text)}; expected 'f(v) = c v' with a number c, e.g. 'f(v) = 2 v', or 'f(v) = c v + b'`,
    );
  const { sign, times = 1, by, more = 1, shift = 0 } = linear;
  const factor = Number(`${sign}${times}`) * (by === '/' ? 1 / Number(more) : Number(more));
  return { factor, shift: Number(shift) };
}

interface LinearBlock extends Sublayer {
  placement: 'pre-ln' | 'post-ln';
  normKind: 'layernorm' | 'rmsnorm';
}

/** A residual block around the sublayer: one linear layer whose weight is that multiple of the identity. */
function linearBlock(
  at: OpInputs,
  { placement, normKind, factor, shift }: LinearBlock,
): Promise<TransformerBlockResult> {
  const d = at.count('d', 1);
  const x = at.required('x');
  const rows = at.countOr('rows', countRows(x, d));
  if (rows * d !== x.length)
    throw new NormscopeError('bad-size', `x has ${x.length} numbers; rows ${rows} × d ${d} are ${rows * d}`);
  const norm = placement === 'pre-ln' ? 'ln_in' : 'ln_stream';
  const parameters = {
    'blocks.0.sublayer.weight': Float32Array.from({ length: d * d }, (_, i) => (i % (d + 1) === 0 ? factor : 0)),
    'blocks.0.sublayer.bias': new Float32Array(d).fill(shift),
    ...named(`blocks.0.${norm}.weight`, at.optional('gamma', d)),
    ...(normKind === 'layernorm' && named(`blocks.0.${norm}.bias`, at.optional('beta', d))),
  };
  const scales = { alpha: at.number('alpha', 1), dt: at.number('dt', 1) };
  const spec: ModelSpec = { block: 'sublayer', placement, normKind, dModel: d, nCtx: 1, eps: at.eps(), ...scales };
  return transformerBlock({ x, spec, parameters, dy: at.optional('dy', x.length), device: at.device });
}

const named = (name: string, value: Float32Array | undefined): Record<string, Float32Array> =>
  value ? { [name]: value } : {};

/** y, and with dy also dx. */
const normBlock =
  (placement: LinearBlock['placement']): Op =>
  async (at) => {
    const normKind = at.choice('norm', ['layernorm', 'rmsnorm']);
    const { y, dx } = await linearBlock(at, {
      placement,
      normKind,
      ...sublayerOf(at.param('sublayer') ?? 'f(v) = 2 v'),
    });
    return dx ? { y, dx } : { y };
  };

/** The gradient of x through the skip path and the norm beside it. */
async function residualBackward(at: OpInputs): Promise<Record<string, unknown>> {
  const graph = at.choice('graph', ['y = x + LayerNorm(x)', 'y = x + RMSNorm(x)']);
  at.required('dy');
  const normKind = graph === 'y = x + RMSNorm(x)' ? 'rmsnorm' : 'layernorm';
  const { dx } = await linearBlock(at, { placement: 'pre-ln', normKind, factor: 1, shift: 0 });
  return { dx };
}

/** [in][out] -> [out, in] */
function transpose(matrix: Float32Array, nIn: number, nOut: number): Float32Array {
  return Float32Array.from({ length: nIn * nOut }, (_, i) => matrix[(i % nIn) * nOut + Math.floor(i / nIn)]!);
}

const TRANSFORMER_GRAPH = 'n1=LN(x); a=Attn(n1 Wq, n1 Wk, n1 Wv) Wo; x2=x+a; y=x2+gelu(LN(x2) W1 + c1) W2 + c2';
const MATRIX_LAYOUT = '[in][out]';

/** Matrices are [in][out]; attention has no biases. */
async function prenormTransformerBlock(at: OpInputs): Promise<Record<string, unknown>> {
  at.choice('graph', [TRANSFORMER_GRAPH]);
  const layout = String(at.param('layout') ?? MATRIX_LAYOUT);
  if (!layout.includes(MATRIX_LAYOUT))
    throw new NormscopeError('bad-option', `layout is ${show(layout)}; expected matrices as ${MATRIX_LAYOUT}`);
  const [d, hidden] = [at.count('d_model', 1), at.count('hidden', 1)];
  const spec: ModelSpec = {
    ...{ placement: 'pre-ln', dModel: d, dFF: hidden, nHead: at.count('heads', 1), nCtx: at.count('T', 1) },
    ...{ causal: at.flag('causal'), eps: at.eps(), activation: at.choice('gelu', ['gelu_tanh', 'gelu_erf'] as const) },
  };
  const square = (name: string): Float32Array => transpose(at.required(name, d * d), d, d);
  const none = new Float32Array(d);
  const block = {
    'ln_attn_in.weight': at.required('gamma1', d),
    'ln_attn_in.bias': at.required('beta1', d),
    'attn.q_proj.weight': square('Wq'),
    'attn.q_proj.bias': none,
    'attn.k_proj.weight': square('Wk'),
    'attn.k_proj.bias': none,
    'attn.v_proj.weight': square('Wv'),
    'attn.v_proj.bias': none,
    'attn.out_proj.weight': square('Wo'),
    'attn.out_proj.bias': none,
    'ln_mlp_in.weight': at.required('gamma2', d),
    'ln_mlp_in.bias': at.required('beta2', d),
    'mlp.fc1.weight': transpose(at.required('W1', d * hidden), d, hidden),
    'mlp.fc1.bias': at.required('c1', hidden),
    'mlp.fc2.weight': transpose(at.required('W2', d * hidden), hidden, d),
    'mlp.fc2.bias': at.required('c2', d),
  };
  const parameters = Object.fromEntries(Object.entries(block).map(([name, value]) => [`blocks.0.${name}`, value]));
  const { y } = await transformerBlock({ x: at.required('x'), spec, parameters, device: at.device });
  return { y };
}

export const BLOCK_OPS: Record<string, Op> = {
  prenorm_block: normBlock('pre-ln'),
  postnorm_block: normBlock('post-ln'),
  residual_backward: residualBackward,
  prenorm_transformer_block: prenormTransformerBlock,
};
