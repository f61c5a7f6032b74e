/** A residual step as data: where the norms stand, how skip and branch are scaled. Plain, so that it survives JSON. */
import type { ModelSpec, NormKind, NormSlots, Placement, PlacementWiring } from 'normscope';

/** The fields that a placement sets, and those that a reader may set as well. */
export type Wiring = PlacementWiring &
  Required<Pick<ModelSpec, 'alpha' | 'normAffine'>> & { normKind: Exclude<NormKind, 'none'> };

/** Nothing but the residual connection: what a row or a reader adds to. */
export const BARE_WIRING: Wiring = {
  normInput: false,
  normOutput: false,
  normStream: false,
  normEmbedding: false,
  normFinal: false,
  normKind: 'layernorm',
  normAffine: true,
  qkNorm: 'none',
  residual: true,
  alphaRule: 'fixed',
  alpha: 1,
  branchScale: 'none',
  branchScaleInit: 1,
  depthScale: 'none',
  mlpNorms: 'same',
  mlpSkip: 'stream',
  earlyFraction: 0,
  earlyNorms: 'same',
  initGain: 'none',
};

/** What the editor starts with: a norm on the branch output alone, and one before the head. */
export const FREE_WIRING: Wiring = { ...BARE_WIRING, normOutput: true, normFinal: true };

/** The wiring that a row of the table stands for. */
export function wiringOfRow(row: Placement): Wiring {
  const known = Object.keys(BARE_WIRING) as (keyof Wiring)[];
  const fields = { ...row, ...(row as { wiring?: Partial<ModelSpec> }).wiring } as Partial<Wiring>;
  const given = known.filter((key) => fields[key] !== undefined).map((key) => [key, fields[key]]);
  return { ...BARE_WIRING, ...Object.fromEntries(given) };
}

/** As a spec. The preset below it is the bare one: every field that the wiring has overrides it. */
export function wiringSpec(wiring: Wiring): ModelSpec {
  return { placement: 'none', ...wiring } as ModelSpec;
}

export type WiringField = keyof Wiring;

/** How a field is set. Choices are in the order of the menu. */
export type FieldKind =
  { kind: 'flag' } | { kind: 'choice'; choices: readonly string[] } | { kind: 'number'; least: number; most: number };

export const NORMS: readonly NormSlots[] = [
  'same',
  'none',
  'input',
  'output',
  'stream',
  'input-output',
  'input-stream',
  'output-stream',
  'input-output-stream',
];

const flag: FieldKind = { kind: 'flag' };
const choice = (...choices: string[]): FieldKind => ({ kind: 'choice', choices });

/** The editor's fields in reading order, by part. */
export const WIRING_FIELDS: Record<'step' | 'scale' | 'parts' | 'ends', Partial<Record<WiringField, FieldKind>>> = {
  step: {
    normInput: flag,
    normOutput: flag,
    normStream: flag,
    residual: flag,
    normKind: choice('layernorm', 'rmsnorm', 'dyt', 'batchnorm'),
    normAffine: flag,
    qkNorm: choice('none', 'qk', 'qkv'),
  },
  scale: {
    alphaRule: choice('fixed', 'deepnorm', 'n-layer'),
    alpha: { kind: 'number', least: 0, most: 100 },
    branchScale: choice('none', 'scalar', 'vector'),
    branchScaleInit: { kind: 'number', least: -10, most: 10 },
    depthScale: choice('none', 'inverse-sqrt'),
    initGain: choice('none', 'residual', 'deepnorm'),
  },
  parts: {
    mlpNorms: { kind: 'choice', choices: NORMS },
    mlpSkip: choice('stream', 'normed'),
    earlyFraction: { kind: 'number', least: 0, most: 1 },
    earlyNorms: { kind: 'choice', choices: NORMS },
  },
  ends: { normEmbedding: flag, normFinal: flag },
};

/** A field that cannot matter in this wiring. */
export function isIdle(wiring: Wiring, field: WiringField): boolean {
  if (field === 'alpha' || field === 'alphaRule' || field === 'mlpSkip') return !wiring.residual;
  if (field === 'branchScaleInit') return wiring.branchScale === 'none';
  if (field === 'earlyNorms') return wiring.earlyFraction === 0;
  return false;
}
