import type { TrainAllRequest, TrainingRun, TrainRequest } from '../runtime/types.js';
import { TrainingGroup } from './training-group.js';

/**
 * Trains one model, in a worker where one can be made. Returns at once: `started` tells when it is planned (or what was
 * refused), the async iterator and `onMetrics` give one record per step, `finished` the verdict. A divergence is a
 * result, not an error. The same spec, data and seed give the same numbers everywhere (with exact math).
 */
export function train({ spec, ...request }: TrainRequest): TrainingRun {
  return trainAll({ ...request, specs: [spec] });
}

/**
 * Trains several models in lockstep: from the same seed and the same batches, the same step index advancing together,
 * shared out to a pool of workers. A run that ends early does not hold up the others.
 */
export function trainAll(request: TrainAllRequest): TrainingRun {
  return new TrainingGroup(request);
}
