/** What the reader can set, the ready-made experiments, and the way from there to the package's specs. */
import type { ModelSpec, NumberFormat, PlacementName } from 'normscope';

export type TextSource = 'declaration-ko' | 'declaration-en' | 'own' | 'markov';

export interface LabSettings {
  placements: PlacementName[];
  nLayer: number;
  dModel: number;
  nHead: number;
  learningRate: number;
  warmup: number;
  weightDecay: number;
  dt: number;
  format: NumberFormat;
  seed: number;
  steps: number;
  nBatch: number;
  nCtx: number;
  source: TextSource;
}

/** The small recipe: high but, at this width, not absurd a rate; half a minute in one browser tab. */
export const RECIPE: Omit<LabSettings, 'source'> = {
  placements: ['pre-ln', 'peri-ln'],
  nLayer: 6,
  dModel: 32,
  nHead: 4,
  learningRate: 0.2,
  warmup: 0,
  weightDecay: 0,
  dt: 1,
  format: 'fp32',
  seed: 1,
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

/** The experiment that these settings are, whatever the text; null for the reader's own. */
export function experimentOf(settings: LabSettings): ExperimentName | null {
  const { source: _, ...rest } = settings;
  const wanted = JSON.stringify(sorted(rest));
  const names = Object.keys(EXPERIMENTS) as ExperimentName[];
  return names.find((name) => JSON.stringify(sorted(EXPERIMENTS[name])) === wanted) ?? null;
}

function sorted(settings: Omit<LabSettings, 'source'>): unknown[] {
  const entries = Object.entries(settings).sort(([a], [b]) => (a < b ? -1 : 1));
  return entries.map(([key, value]) => [key, Array.isArray(value) ? [...value].sort() : value]);
}

/** One spec per chosen placement; everything else is shared. */
export function toSpecs(settings: LabSettings): ModelSpec[] {
  const { placements, nLayer, dModel, nHead, learningRate, warmup, weightDecay, dt, format, seed, nBatch, nCtx } =
    settings;
  const shared = { nLayer, dModel, nHead, learningRate, warmup, weightDecay, dt, format, seed, nBatch, nCtx };
  return placements.map((placement) => ({ placement, ...shared }));
}

export type NumericSetting = Exclude<keyof LabSettings, 'placements' | 'format' | 'source'>;

export interface SettingRange {
  name: NumericSetting;
  min: number;
  max: number;
  /** Step of the slider; of its logarithm (base 10) when `log`. */
  step: number;
  log?: boolean;
  whole?: boolean;
  advanced?: boolean;
}

/** Ranges of the sliders. The number field beside one takes more; what the machine cannot do, the package refuses by name. */
export const RANGES: readonly SettingRange[] = [
  { name: 'learningRate', min: 1e-4, max: 1, step: 0.05, log: true },
  { name: 'nLayer', min: 1, max: 24, step: 1, whole: true },
  { name: 'dModel', min: 8, max: 128, step: 8, whole: true },
  { name: 'steps', min: 50, max: 2000, step: 50, whole: true },
  { name: 'warmup', min: 0, max: 300, step: 10, whole: true },
  { name: 'weightDecay', min: 0, max: 0.2, step: 0.01 },
  { name: 'dt', min: 0.05, max: 1, step: 0.05 },
  { name: 'seed', min: 1, max: 20, step: 1, whole: true },
  { name: 'nHead', min: 1, max: 8, step: 1, whole: true, advanced: true },
  { name: 'nBatch', min: 1, max: 16, step: 1, whole: true, advanced: true },
  { name: 'nCtx', min: 8, max: 128, step: 8, whole: true, advanced: true },
];

/** Position of a value on its slider, and back. Log sliders run over the exponent. */
export function toSlider(range: SettingRange, value: number): number {
  return range.log ? Math.log10(value) : value;
}
export function fromSlider(range: SettingRange, position: number): number {
  if (!range.log) return Number(position.toPrecision(12));
  return Number((10 ** position).toPrecision(2));
}
