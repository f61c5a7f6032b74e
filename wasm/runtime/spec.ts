/** ModelSpec between JavaScript and the core: the mechanical change of spelling, and checks that name the field. */
import { checkFlag, checkKeys, checkNumber, show, suggest } from './checks.js';
import { NormscopeError } from './errors.js';
import type { ModelSpec, TrainingData } from './types.js';

type FieldKind = 'boolean' | 'number' | 'text';

/** One row per field of ModelSpec; the compiler refuses a missing or a surplus one. */
const FIELDS: Record<keyof ModelSpec, FieldKind> = {
  placement: 'text',
  normInput: 'boolean',
  normOutput: 'boolean',
  normStream: 'boolean',
  normEmbedding: 'boolean',
  normFinal: 'boolean',
  residual: 'boolean',
  alpha: 'number',
  alphaRule: 'text',
  dt: 'number',
  depthScale: 'text',
  branchScale: 'text',
  branchScaleInit: 'number',
  mlpNorms: 'text',
  mlpSkip: 'text',
  earlyFraction: 'number',
  earlyNorms: 'text',
  qkNorm: 'text',
  initGain: 'text',
  normKind: 'text',
  normAffine: 'boolean',
  dytAlpha: 'number',
  eps: 'number',
  bnMomentum: 'number',
  block: 'text',
  nLayer: 'number',
  dModel: 'number',
  nHead: 'number',
  dFF: 'number',
  activation: 'text',
  dropout: 'number',
  causal: 'boolean',
  nVocab: 'number',
  nBatch: 'number',
  nCtx: 'number',
  init: 'text',
  format: 'text',
  zLoss: 'number',
  optimizer: 'text',
  learningRate: 'number',
  schedule: 'text',
  warmup: 'number',
  totalSteps: 'number',
  finalLearningRate: 'number',
  weightDecay: 'number',
  decay1d: 'boolean',
  decayGamma: 'boolean',
  momentum: 'number',
  beta1: 'number',
  beta2: 'number',
  adamEps: 'number',
  maxGradNorm: 'number',
  seed: 'number',
};

/** Every field of ModelSpec, in its order. */
export const SPEC_FIELDS = Object.keys(FIELDS) as (keyof ModelSpec)[];

/** nLayer -> n_layer, dFF -> d_ff, decay1d -> decay1d. */
export const toSnakeCase = (name: string): string => name.replace(/([a-z0-9])([A-Z]+)/g, '$1_$2').toLowerCase();

const CAMEL_CASE = new Map(Object.keys(FIELDS).map((name) => [toSnakeCase(name), name]));

/** n_layer -> nLayer, for the fields of a spec. */
export const toCamelCase = (name: string): string => CAMEL_CASE.get(name) ?? name;

/** Replaces the core's spellings in an error text by those that a caller in JavaScript uses. */
export const readableNames = (text: string): string => text.replace(/\b[a-z]+(?:_[a-z0-9]+)+\b/g, toCamelCase);

/** The lines that the core reads: "d_model 32\nnorm_input true\n". */
export function specLines(spec: ModelSpec): string {
  checkKeys('spec', spec, Object.keys(FIELDS));
  let lines = '';
  for (const [name, kind] of Object.entries(FIELDS)) {
    const value = spec[name as keyof ModelSpec];
    if (value === undefined) continue;
    checkField(`spec.${name}`, value, kind);
    lines += `${toSnakeCase(name)} ${value}\n`;
  }
  return lines;
}

/** The lines of several models of one plan: an empty line ends a spec. They may differ in `engine.ownFields`. */
export const specsLines = (specs: readonly ModelSpec[]): string => specs.map(specLines).join('\n');

/** Equal for specs that can be models of one plan. `ownFields`: of the engine. */
export const planKey = (ownFields: readonly (keyof ModelSpec)[], spec: ModelSpec): string =>
  specLines(Object.fromEntries(Object.entries(spec).filter(([name]) => !ownFields.includes(name as keyof ModelSpec))));

function checkField(name: string, value: unknown, kind: FieldKind): void {
  if (kind === 'number') checkNumber(name, value);
  else if (kind === 'boolean') checkFlag(name, value);
  else if (kind === 'text' && !(typeof value === 'string' && /^[a-z0-9_-]+$/.test(value))) {
    throw new NormscopeError('bad-option', `${name} is ${show(value)}; expected one of its names, e.g. 'pre-ln'`);
  }
}

/** The canonical spec of a plan (snake_case) as a ModelSpec. */
export function specFromPlan(spec: Record<string, string | number | boolean>): ModelSpec {
  return Object.fromEntries(
    Object.entries(spec)
      .map(([name, value]) => [toCamelCase(name), value])
      .filter(([name]) => (name as string) in FIELDS),
  ) as ModelSpec;
}

/** Lines for an op's parameters: numbers only, a flag is 1 or 0. */
export const paramLines = (params: Record<string, number | boolean>): string =>
  Object.entries(params)
    .map(([name, value]) => `${name} ${Number(value)}\n`)
    .join('');

/** The core's description of training data: its first line, then the text. Half a surrogate pair becomes U+FFFD. */
export function dataLines(data: TrainingData): string {
  if (data?.kind === 'markov') {
    checkKeys("data of kind 'markov'", data, ['kind', 'nSymbol', 'seed']);
    return `markov ${checkNumber('data.nSymbol', data.nSymbol ?? 32)} ${checkNumber('data.seed', data.seed ?? 7)}`;
  }
  if (data?.kind === 'text') {
    checkKeys("data of kind 'text'", data, ['kind', 'text', 'jamo']);
    if (typeof data.text !== 'string')
      throw new NormscopeError('bad-data', `data.text is ${show(data.text)}; expected the text to learn from`);
    const jamo = checkFlag('data.jamo', data.jamo) ?? true;
    return `text ${jamo ? 'jamo' : 'plain'}\n${data.text.replace(/\p{Surrogate}/gu, '\uFFFD')}`;
  }
  const advice = "Give { kind: 'markov' } or { kind: 'text', text }";
  if (typeof data !== 'object' || data === null)
    throw new NormscopeError('bad-data', `data is ${show(data)}. ${advice}`);
  const kind = String((data as { kind?: unknown }).kind);
  throw new NormscopeError('bad-data', `data.kind is '${kind}'${suggest(kind, ['markov', 'text']) || '.'} ${advice}`);
}
