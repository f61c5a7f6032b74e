/** What stands below the runs: their analysis, a wiring of the reader's own, memory, all placements, what it all means. */
import { html, type TemplateResult } from 'lit';
import type { TrainingData } from 'normscope';
import type { LabMessages } from '../../locales/lab.js';
import type { AnalysisOrder } from '../analysis/subjects.js';
import type { Wiring } from '../wiring/wiring.js';
import { explainView } from './notes-view.js';
import { placementTable } from './placement-table-view.js';
import { toBase, toRuns, type LabSettings } from './settings.js';

export interface StudyViewRequest {
  text: LabMessages;
  settings: LabSettings;
  /** Steps that the runs have done; null without runs. */
  doneSteps: number | null;
  order: () => Promise<AnalysisOrder | null>;
  data: () => Promise<TrainingData | null>;
  onWiring: (wiring: Wiring) => void;
}

export function studyView({ text, settings, doneSteps, order, data, onWiring }: StudyViewRequest): TemplateResult {
  return html`<normscope-analysis .order=${order} .currentStep=${doneSteps}></normscope-analysis>
    <normscope-wiring
      .wiring=${settings.wiring}
      .base=${toBase(settings)}
      .data=${data}
      @normscope-wiring=${(event: CustomEvent<Wiring>) => onWiring(event.detail)}
    ></normscope-wiring>
    <normscope-memory .spec=${toRuns(settings)[0]?.spec ?? toBase(settings)} .data=${data}></normscope-memory>
    ${placementTable(text)} ${explainView(text)}`;
}
