/** normscope: a transformer's normalization, computed, moved and trained. The public entry of the package. */
export { PLACEMENTS } from '../../build/generated/placements.js';
export { analyse } from '../analysis/analyse.js';
export { sanityCheck } from '../analysis/sanity-check.js';
export type * from '../analysis/types.js';
export { transformerBlock } from './block.js';
export { load } from './device.js';
export { NormscopeError, type ErrorCode } from './errors.js';
export {
  batchNorm,
  batchNormBackward,
  layerNorm,
  layerNormBackward,
  residualAdd,
  residualAddBackward,
  rmsNorm,
  rmsNormBackward,
} from './norms.js';
export { planMemory } from './plan-memory.js';
export { createSession, planModel, type SessionRequest } from './session.js';
export { experiment } from '../experiments/experiment.js';
export { checkRecipe } from '../experiments/findings.js';
export { countCells } from '../experiments/grid.js';
export { identityOf } from '../experiments/identity.js';
export { RECIPES } from '../experiments/recipes.js';
export { mergeRecords, parseRecords, recordLine } from '../experiments/records.js';
export { summarize, wilson } from '../experiments/summary.js';
export type * from '../experiments/types.js';
export { embeddingSimilarity, rougeScores } from './text-scores.js';
export { train, trainAll } from '../worker/training-client.js';
export type { GpuLimits } from './gpu-layout.js';
export type * from './types.js';
