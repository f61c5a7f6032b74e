import type { TrainAllRequest, TrainingRun, TrainRequest } from '../runtime/types.js';
import { TrainingGroup } from './training-group.js';
import { readTrain, readTrainAll } from './training-request.js';

/**
 * Trains one model, in a worker where one can be made. Returns at once and never throws: `started` tells when it is
 * planned, the async iterator and `onMetrics` give one record per step, `finished` the verdict. What is refused comes as
 * a NormscopeError through `started` and the iterator, and as a verdict 'failed' through `finished`. A divergence is a
 * result, not an error. The same spec, data and seed give the same numbers everywhere (on WASM with exact math).
 *
 * An error thrown by `onMetrics` or `onNotice` does not touch the run: the first is written to the console, and the run
 * goes on.
 *
 * `device` is 'wasm' unless `load` has settled on another. 'webgpu' computes on the GPU, and on WASM where that cannot be;
 * 'auto' times these very runs on both, once in a session, and takes the faster. `started` says which it is and why. A GPU
 * that is lost is followed by a new device and then by WASM, from a state that is at most 200 steps old. In Node set
 * `navigator.gpu`; the GPU is then driven from the calling thread.
 *
 * A worker that is lost is replaced, at most twice. States are kept every two seconds of stepping (more seldom for models
 * of over a million parameters) and on a pause; the new worker repeats the steps since then, bit for bit, before it
 * answers. A worker counts as lost when it ends, or is silent for a minute, or for ten times its longest step.
 */
export function train(request: TrainRequest): TrainingRun {
  return new TrainingGroup(readTrain(request));
}

/**
 * Trains several models in lockstep: from the same seed and the same batches, the same step index advancing together,
 * shared out to a pool of workers, or on the GPU all in one. A run that ends early does not hold up the others. Otherwise
 * as `train`.
 */
export function trainAll(request: TrainAllRequest): TrainingRun {
  return new TrainingGroup(readTrainAll(request));
}
