/** What the reader can set, the ready-made experiments, and the way from there to the package's specs. */
import type { ModelSpec, NumberFormat } from 'normscope';
import { FREE_WIRING, wiringSpec, type Wiring } from '../wiring/wiring.js';

export type TextSource = 'declaration-ko' | 'declaration-en' | 'own' | 'markov';

/** A row of the table of placements, or the reader's own wiring. */
export type RunName = string;
export const OWN: RunName = 'own';

export type NormChoice = 'row' | 'layernorm' | 'rmsnorm' | 'dyt';

/** Plain data: survives JSON. */
export interface LabSettings {
  /** Rows of the table by name, and `own`. */
  placements: RunName[];
  /** What `own` stands for. */
  wiring: Wiring;
  /** Kind of every norm; 'row' leaves it as the row has it. */
  normKind: NormChoice;
  nLayer: number;
  dModel: number;
  nHead: number;
  learningRate: number;
  warmup: number;
  weightDecay: number;
  /** Weight decay acts on the norms' γ as well. */
  decayGamma: boolean;
  dt: number;
  format: NumberFormat;
  seed: number;
  /** Seeds per placement: seed, seed + 1, … */
  nSeed: number;
  steps: number;
  nBatch: number;
  nCtx: number;
  source: TextSource;
}

/** The small recipe: high but, at this width, not absurd a rate; half a minute in one browser tab. */
export const RECIPE: Omit<LabSettings, 'source'> = {
  placements: ['pre-ln', 'peri-ln'],
  wiring: FREE_WIRING,
  normKind: 'row',
  nLayer: 6,
  dModel: 32,
  nHead: 4,
  learningRate: 0.2,
  warmup: 0,
  weightDecay: 0,
  decayGamma: false,
  dt: 1,
  format: 'fp32',
  seed: 1,
  nSeed: 1,
  steps: 300,
  nBatch: 4,
  nCtx: 32,
};

export type ExperimentName = 'high-rate' | 'half' | 'ordinary-rate';

/** One click each: the recipe, the recipe rounded to fp16, the recipe at an ordinary rate. */
export const EXPERIMENTS: Record<ExperimentName, Omit<LabSettings, 'source'>> = {
  'high-rate': RECIPE,
  half: { ...RECIPE, format: 'fp16' },
  'ordinary-rate': { ...RECIPE, learningRate: 3e-3 },
};

/** The experiment that these settings are, whatever the text and the number of seeds; null for the reader's own. */
export function experimentOf(settings: LabSettings): ExperimentName | null {
  const wanted = fingerprint(settings);
  const names = Object.keys(EXPERIMENTS) as ExperimentName[];
  return names.find((name) => fingerprint(EXPERIMENTS[name]) === wanted) ?? null;
}

/** What makes an experiment: everything but the text, the seeds and a wiring that is not in use. */
function fingerprint(settings: Omit<LabSettings, 'source'>): string {
  const { source: _, seed: __, nSeed: ___, wiring, ...rest } = settings as LabSettings;
  const used = settings.placements.includes(OWN) ? { ...rest, wiring } : rest;
  const entries = Object.entries(used).sort(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify(entries.map(([key, value]) => [key, Array.isArray(value) ? [...value].sort() : value]));
}

/** One training run: which row, which seed, and the package's spec. */
export interface LabRun {
  placement: RunName;
  seed: number;
  spec: ModelSpec;
}

/** What all runs share: everything but wiring and seed. */
export function toBase(settings: LabSettings): ModelSpec {
  const { nLayer, dModel, nHead, learningRate, warmup, weightDecay, decayGamma, dt, format, nBatch, nCtx } = settings;
  return { nLayer, dModel, nHead, learningRate, warmup, weightDecay, decayGamma, dt, format, nBatch, nCtx };
}

/** Placements × seeds; everything else is shared. */
export function toRuns(settings: LabSettings): LabRun[] {
  const shared = toBase(settings);
  const seeds = Array.from({ length: settings.nSeed }, (_, i) => settings.seed + i);
  return settings.placements.flatMap((placement) =>
    seeds.map((seed) => ({ placement, seed, spec: { ...wiringOf(settings, placement), ...shared, seed } })),
  );
}

function wiringOf({ wiring, normKind }: LabSettings, placement: RunName): ModelSpec {
  if (placement === OWN) return wiringSpec(wiring);
  const row = { placement } as ModelSpec;
  return normKind === 'row' ? row : ({ ...row, normKind } as ModelSpec);
}

export type NumericSetting = Exclude<
  keyof LabSettings,
  'placements' | 'wiring' | 'normKind' | 'decayGamma' | 'format' | 'source'
>;

export interface SettingRange {
  name: NumericSetting;
  min: number;
  max: number;
  /** Step of the slider; of its logarithm (base 10) when `log`. */
  step: number;
  log?: boolean;
  whole?: boolean;
  advanced?: boolean;
  /** What the number field takes beyond the slider: smallest, exclusive lower end, largest. Absent: no such end. */
  least?: number;
  above?: number;
  most?: number;
}

/** Ranges of the sliders. The number field beside one takes more, up to limits of its own; what else the machine cannot do, the package refuses by name. */
export const RANGES: readonly SettingRange[] = [
  { name: 'learningRate', min: 1e-4, max: 1, step: 0.05, log: true, above: 0, most: 1e6 },
  { name: 'nLayer', min: 1, max: 24, step: 1, whole: true, least: 1, most: 4096 },
  { name: 'dModel', min: 8, max: 128, step: 8, whole: true, least: 1, most: 65_536 },
  { name: 'steps', min: 50, max: 2000, step: 50, whole: true, least: 1 },
  { name: 'warmup', min: 0, max: 300, step: 10, whole: true, least: 0, most: 16_777_215 },
  { name: 'weightDecay', min: 0, max: 0.2, step: 0.01, least: 0, most: 1e6 },
  { name: 'dt', min: 0.05, max: 1, step: 0.05, above: 0, most: 2 },
  { name: 'seed', min: 1, max: 20, step: 1, whole: true, least: 0, most: 4_294_967_295 },
  { name: 'nSeed', min: 1, max: 8, step: 1, whole: true, least: 1, most: 32 },
  { name: 'nHead', min: 1, max: 8, step: 1, whole: true, advanced: true, least: 1, most: 4096 },
  { name: 'nBatch', min: 1, max: 16, step: 1, whole: true, advanced: true, least: 1, most: 65_536 },
  { name: 'nCtx', min: 8, max: 128, step: 8, whole: true, advanced: true, least: 1, most: 65_536 },
];

/** Seeds are 32-bit numbers. */
const LAST_SEED = 4_294_967_295;

export type LimitProblem = 'whole' | 'too-small' | 'not-above' | 'above-most';

/** Why a setting cannot have this value by itself, and the limit it meets; null when it can. */
export function limitProblem(range: SettingRange, value: number): { problem: LimitProblem; limit: number } | null {
  const { whole, least = -Infinity, above = -Infinity, most = Infinity } = range;
  if (whole && !Number.isInteger(value)) return { problem: 'whole', limit: 0 };
  if (!(value > above)) return { problem: 'not-above', limit: above };
  if (!(value >= least)) return { problem: 'too-small', limit: least };
  return value <= most ? null : { problem: 'above-most', limit: most };
}

/** The number of heads at most the chosen one that divides the width. */
export function nearestHeads({ nHead, dModel }: Pick<LabSettings, 'nHead' | 'dModel'>): number {
  for (let n = Math.min(nHead, dModel); n > 1; n -= 1) if (dModel % n === 0) return n;
  return 1;
}

export type SettingProblem =
  { name: NumericSetting; problem: LimitProblem; limit: number } | { name: 'nHead'; problem: 'heads'; limit: number };

/** What keeps these settings from running, in the order of the fields; `limit` of 'heads' is a number that would fit. */
export function settingProblems(settings: LabSettings): SettingProblem[] {
  const problems = RANGES.flatMap((range): SettingProblem[] => {
    const found = limitProblem(range, settings[range.name]);
    return found ? [{ name: range.name, ...found }] : [];
  });
  const seedsLeft = LAST_SEED - settings.seed + 1;
  if (!problems.length && settings.nSeed > seedsLeft)
    problems.push({ name: 'nSeed', problem: 'above-most', limit: seedsLeft });
  const sized = !problems.some(({ name }) => name === 'nHead' || name === 'dModel');
  if (sized && settings.dModel % settings.nHead !== 0)
    problems.push({ name: 'nHead', problem: 'heads', limit: nearestHeads(settings) });
  return problems;
}

/** Position of a value on its slider, and back. Log sliders run over the exponent. */
export function toSlider(range: SettingRange, value: number): number {
  return range.log ? Math.log10(value) : value;
}
export function fromSlider(range: SettingRange, position: number): number {
  if (!range.log) return Number(position.toPrecision(12));
  return Number((10 ** position).toPrecision(2));
}
