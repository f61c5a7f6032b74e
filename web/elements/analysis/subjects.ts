/** What is analysed, and what came out. */
import type { Analysis, ModelSpec, Snapshot, TrainingData, WeightPath } from 'normscope';
import type { Language } from '../../locales/language.js';
import type { SeriesStyle } from '../series-styles.js';

/** One net: fresh, or with a snapshot as training left it. */
export interface AnalysisSubject {
  name: Record<Language, string>;
  style: SeriesStyle;
  spec: ModelSpec;
  snapshot?: Snapshot;
}

/** The nets to analyse, and the data that their batch is drawn from. */
export interface AnalysisOrder {
  subjects: readonly AnalysisSubject[];
  data: TrainingData;
  /** Steps of training behind them; 0 for fresh nets. */
  step: number;
}

/** What came out of a subject. */
export interface AnalysedSubject extends AnalysisSubject, Followed {
  analysis: Analysis;
}

/** The weights over some steps of further training, and the same with the matrices before output norms held at their length. */
export interface Followed {
  path?: WeightPath;
  control?: WeightPath;
}

/** A net and its analysis in the reader's language: what every figure is made of. */
export interface AnalysedNet extends Followed {
  name: string;
  style: SeriesStyle;
  analysis: Analysis;
}

/** A diverged run leaves parameters that nothing can be computed from. */
export function isFiniteSubject({ snapshot }: AnalysisSubject): boolean {
  if (!snapshot) return true;
  return Object.values(snapshot.tensors).every((values) => values.every((value) => Number.isFinite(value)));
}

export function inLanguage({ name, ...rest }: AnalysedSubject, language: Language): AnalysedNet {
  return { ...rest, name: name[language] };
}
