/** What the analysis is asked to take apart: the lab's runs as they stand, or the fresh nets of its settings. */
import type { Snapshot, TrainingData } from 'normscope';
import { lab as texts } from '../../locales/lab.js';
import type { AnalysisOrder, AnalysisSubject } from '../analysis/subjects.js';
import { seriesStyle } from '../series-styles.js';
import { toRuns, type LabRun, type LabSettings } from './settings.js';
import type { TrainingLab } from './training-lab.js';
import { placementName } from './wording.js';

/** The first seed of each placement, as training left it so far. */
export async function orderOfRuns(lab: TrainingLab, data: TrainingData): Promise<AnalysisOrder> {
  const step = lab.stepsDone;
  const snapshots = await lab.snapshots();
  const subjects = firsts(lab.records).map(({ placement, at }) => subject(placement, {}, snapshots[at]));
  return { subjects, data, step };
}

/** The first seed of each placement, before training. */
export function orderOfSettings(settings: LabSettings, data: TrainingData): AnalysisOrder {
  const runs = toRuns(settings);
  return { subjects: firsts(runs).map(({ placement, at }) => subject(placement, runs[at]!.spec)), data, step: 0 };
}

/** Where each placement first occurs. */
function firsts(runs: readonly Pick<LabRun, 'placement'>[]): { placement: string; at: number }[] {
  const names = runs.map(({ placement }) => placement);
  return [...new Set(names)].map((placement) => ({ placement, at: names.indexOf(placement) }));
}

function subject(placement: string, spec: LabRun['spec'], snapshot?: Snapshot): AnalysisSubject {
  const name = { en: placementName(texts.en, { placement }), ko: placementName(texts.ko, { placement }) };
  return { name, style: seriesStyle(placement), spec, ...(snapshot ? { snapshot } : {}) };
}
