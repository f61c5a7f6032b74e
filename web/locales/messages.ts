import type { AnalysisMessages } from './analysis.js';
import type { ErrorMessages } from './errors.js';
import type { LabMessages } from './lab.js';
import type { LensMessages } from './lens.js';
import type { MemoryMessages } from './memory.js';
import type { PageMessages } from './page.js';
import type { WiringMessages } from './wiring.js';

/** Every text of the page, by element. English defines the keys of each part; Korean must have the same. */
export interface Messages {
  page: PageMessages;
  lens: LensMessages;
  lab: LabMessages;
  analysis: AnalysisMessages;
  wiring: WiringMessages;
  memory: MemoryMessages;
  errors: ErrorMessages;
}
