import {
  checkChoice,
  checkFlag,
  checkFunction,
  checkInteger,
  checkKeys,
  checkSignal,
  show,
} from '../runtime/checks.js';
import { NormscopeError } from '../runtime/errors.js';
import { readEvaluation } from '../worker/evaluation.js';
import type { SweepTraits } from './cell-run.js';
import { cellsOf } from './grid.js';
import { Sweep } from './sweep.js';
import type { Experiment, ExperimentRequest } from './types.js';

const OPTIONS: readonly (keyof ExperimentRequest)[] = [
  ...(['base', 'data', 'grid', 'steps', 'mode', 'concurrency', 'evaluation', 'keepCurve', 'done', 'shard'] as const),
  ...(['onRecord', 'onSnapshot', 'onProgress', 'onMetrics', 'signal', 'thread'] as const),
];

/**
 * Trains every cell of a grid and leaves one record for each: verdict, losses, held-out measures. Returns at once and
 * never throws; a request that makes no sense rejects `records` and the iterator. Cells run in workers, several at a
 * time; which ones, and in which order they end, changes no record. Handing back earlier records as `done` goes on where
 * an earlier call was ended or killed, and `shard` spreads one grid over several machines: sorted by index, the records
 * are the same bytes.
 */
export function experiment(request: ExperimentRequest): Experiment {
  try {
    checkRequest(request);
    const evaluation = request.evaluation ? readEvaluation(request.evaluation) : null;
    const traits: SweepTraits = { steps: request.steps, evaluation, keepCurve: request.keepCurve ?? false };
    return new Sweep(request, cellsOf(request), traits, null);
  } catch (refusal) {
    return new Sweep({ steps: 1 }, [], { steps: 1, evaluation: null, keepCurve: false }, refusal);
  }
}

function checkRequest(request: ExperimentRequest): void {
  checkKeys('experiment', request, OPTIONS);
  checkInteger('steps', request.steps, 1, 2 ** 24 - 1);
  checkChoice('mode', request.mode, ['free', 'lockstep']);
  if (request.concurrency !== undefined) checkInteger('concurrency', request.concurrency, 1, 4096);
  checkFlag('keepCurve', request.keepCurve);
  checkChoice('thread', request.thread, ['worker', 'inline']);
  for (const name of ['onRecord', 'onSnapshot', 'onProgress', 'onMetrics'] as const) checkFunction(name, request[name]);
  checkSignal(request.signal);
  if (request.done !== undefined && !Array.isArray(request.done))
    throw new NormscopeError('bad-option', `done is ${show(request.done)}; expected records, e.g. of parseRecords`);
}
