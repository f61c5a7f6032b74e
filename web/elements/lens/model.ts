import type { ErrorMessages } from '../../locales/errors.js';
import type { Language } from '../../locales/language.js';
import type { LensMessages } from '../../locales/lens.js';
import type { ActiveRow } from './active-rows.js';
import type { LensAnswer, NormChoice } from './compute.js';
import type { Grid } from './grid.js';
import type { PresetName } from './presets.js';
import type { Slice } from './slice.js';

export type PresetChoice = PresetName | 'own';

/** Everything that the views show; made anew for every render. */
export interface LensView {
  language: Language;
  t: LensMessages;
  wrong: ErrorMessages;
  preset: PresetChoice;
  grid: Grid;
  kind: NormChoice;
  /** Column under the lens; BatchNorm averages along it. */
  feature: number;
  gamma: readonly number[];
  beta: readonly number[];
  eps: number;
  alone: boolean;
  padded: boolean;
  active: ActiveRow[];
  /** Index of the selected token among `active`. */
  place: number;
  answer: LensAnswer | null;
  /** Outputs of the untouched grid without padding, one row per token. */
  reference: number[][] | null;
  slice: Slice | null;
  /** True once a number differs from the untouched grid. */
  touched: boolean;
  problems: ReadonlyMap<string, string>;
  draft: string;
  pasteNote: string;
}

/** What a reader can do; the element implements it. */
export interface LensActions {
  choosePreset(preset: PresetChoice): void;
  chooseKind(kind: NormChoice): void;
  selectToken(token: number): void;
  selectFeature(feature: number): void;
  /** `dragged` keeps the ends of the sliders where they are. */
  setValue(feature: number, value: number, dragged?: boolean): void;
  setGain(value: number): void;
  setShift(value: number): void;
  setEps(value: number): void;
  setVector(which: 'gamma' | 'beta', text: string): void;
  setAlone(on: boolean): void;
  setPadded(on: boolean): void;
  draftPaste(text: string): void;
  applyPaste(text: string): void;
  reset(): void;
  /** Records or clears what is wrong with a field. */
  report(field: string, problem: string | null): void;
}
