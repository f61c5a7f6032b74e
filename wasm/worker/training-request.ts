/** What a caller asked of `train` or `trainAll`, checked before anything is sent to a worker. */
import {
  checkChoice,
  checkDevice,
  checkFlag,
  checkFunction,
  checkInteger,
  checkKeys,
  checkSignal,
} from '../runtime/checks.js';
import { NormscopeError } from '../runtime/errors.js';
import { dataLines, specLines } from '../runtime/spec.js';
import type { ModelSpec, TrainAllRequest, TrainRequest } from '../runtime/types.js';
import { readEvaluation } from './evaluation.js';
import type { RunPlan } from './protocol.js';

const OPTIONS = [
  'data',
  'steps',
  'seed',
  'device',
  'onMetrics',
  'onNotice',
  'signal',
  'evaluation',
  'paused',
  'thread',
];

/** A request as the runs need it. One that makes no sense still has a run for each spec, to carry the error. */
export interface RunOrder {
  request: TrainAllRequest;
  runs: RunPlan[];
  /** What is wrong with it, or null. */
  refusal: unknown;
}

export const readTrain = (given: TrainRequest): RunOrder =>
  read(given, ({ spec, ...request }) => ({ ...request, specs: [spec] }), checkTrain, 1);

export const readTrainAll = (given: TrainAllRequest): RunOrder => read(given, (request) => request, checkTrainAll, 0);

/** Never throws. */
function read<T>(given: T, asAll: (given: T) => TrainAllRequest, check: (given: T) => void, nRun: number): RunOrder {
  try {
    check(given);
    const asked = asAll(given);
    const request = { ...asked, data: { ...asked.data } };
    return { request, runs: nameRuns(request), refusal: null };
  } catch (refusal) {
    const specs: unknown = (given as { specs?: unknown } | null | undefined)?.specs;
    const count = nRun || (Array.isArray(specs) ? specs.length : 0);
    const runs = Array.from({ length: count }, (_, i) => ({ run: `model-${i + 1}`, spec: {} }));
    return { request: { specs: [], data: { kind: 'markov' }, steps: 1 }, runs, refusal };
  }
}

function checkTrain(request: TrainRequest): void {
  checkKeys('train', request, ['spec', ...OPTIONS]);
  specLines(request.spec);
  checkOptions(request);
}

function checkTrainAll(request: TrainAllRequest): void {
  checkKeys('trainAll', request, ['specs', ...OPTIONS]);
  if (!Array.isArray(request.specs) || request.specs.length === 0) {
    throw new NormscopeError(
      'bad-option',
      "trainAll needs specs, e.g. [{ placement: 'pre-ln' }, { placement: 'peri-ln' }]",
    );
  }
  request.specs.forEach(checkOneOf);
  checkOptions(request);
}

function checkOneOf(spec: ModelSpec, i: number): void {
  try {
    specLines(spec);
  } catch (error) {
    throw error instanceof NormscopeError ? new NormscopeError(error.code, `specs[${i}]: ${error.message}`) : error;
  }
}

function checkOptions(request: Omit<TrainAllRequest, 'specs'>): void {
  dataLines(request.data);
  checkInteger('steps', request.steps, 1, 2 ** 24 - 1);
  if (request.seed !== undefined) checkInteger('seed', request.seed, 0, 2 ** 32 - 1);
  checkDevice(request.device);
  checkFlag('paused', request.paused);
  checkChoice('thread', request.thread, ['worker', 'inline']);
  if (request.evaluation !== undefined) readEvaluation(request.evaluation);
  checkFunction('onMetrics', request.onMetrics, " of one step's record");
  checkFunction('onNotice', request.onNotice, ' of one notice');
  checkSignal(request.signal);
}

/** Every run gets a name of its own: its placement, numbered where that repeats. */
function nameRuns({ specs, seed, steps, evaluation }: TrainAllRequest): RunPlan[] {
  const used = new Map<string, number>();
  return specs.map((given) => {
    const name = given.placement ?? 'model';
    const count = (used.get(name) ?? 0) + 1;
    used.set(name, count);
    const spec = endSchedule(seed === undefined ? { ...given } : { ...given, seed }, steps);
    return { run: count === 1 ? name : `${name}-${count}`, spec, ...(evaluation && { evaluation }) };
  });
}

/** A cosine that is given no end ends with the run. */
export const endSchedule = (spec: ModelSpec, steps: number): ModelSpec =>
  spec.schedule === 'cosine' && !spec.totalSteps ? { ...spec, totalSteps: steps } : spec;
