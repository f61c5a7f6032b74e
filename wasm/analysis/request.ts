/** What a caller asked of `analyse`, checked before a worker is made. */
import {
  checkArray,
  checkChoice,
  checkFlag,
  checkFunction,
  checkInteger,
  checkKeys,
  checkNumber,
  checkSignal,
  show,
} from '../runtime/checks.js';
import { NormscopeError } from '../runtime/errors.js';
import { dataLines, specFromPlan, specLines } from '../runtime/spec.js';
import type { ModelSpec, Snapshot, TrainingData } from '../runtime/types.js';
import type { AnalysedModel } from '../worker/protocol.js';
import type { Wishes } from './part.js';
import { PARTS } from './parts.js';
import type { AnalyseRequest, AnalysisPart } from './types.js';

const OPTIONS: (keyof AnalyseRequest)[] = [
  ...(['spec', 'data', 'snapshot', 'session', 'parts', 'scales', 'seed', 'nPoint', 'noise', 'clouds'] as const),
  ...([
    'depths',
    'snapshots',
    'nSeed',
    'steps',
    'every',
    'renormalise',
    'vector',
    'wasmBinary',
    'wasmUrl',
    'onProgress',
    'signal',
    'thread',
  ] as const),
];
const NAMES = Object.keys(PARTS) as AnalysisPart[];
/** These measure many models, or train. */
const ON_DEMAND: AnalysisPart[] = ['gradients', 'growth', 'weightPath'];
const MOST_POINTS = 256;

/** The request as the link needs it. */
export interface Order {
  parts: AnalysisPart[];
  wishes: Wishes;
  spec: ModelSpec;
  data: string;
  model: AnalysedModel;
  snapshots: AnalysedModel[];
}

export async function readRequest(request: AnalyseRequest): Promise<Order> {
  checkKeys('analyse', request, OPTIONS);
  checkSignal(request.signal);
  checkFunction('onProgress', request.onProgress);
  checkChoice('thread', request.thread, ['worker', 'inline']);
  const { snapshot, session, snapshots = [] } = request;
  if (snapshot && session)
    throw new NormscopeError('bad-option', 'analyse takes a snapshot or a session, not both; leave one out');
  const tensors = snapshot ? checkSnapshot('snapshot', snapshot).tensors : session ? await readSession(session, !request.data) : null; // prettier-ignore
  const from = snapshot?.spec ?? session?.plan.spec;
  const spec = withVocabulary(request.spec ?? (from ? specFromPlan(from) : {}), tensors);
  const data = readData(request.data, spec);
  return {
    parts: readParts(request.parts),
    wishes: readWishes(request, spec),
    spec,
    data,
    model: { spec: specLines(spec), data, step: snapshot?.step ?? 0, tensors },
    snapshots: readList('snapshots', snapshots).map((each, i) => {
      const { spec: canonical, step, tensors } = checkSnapshot(`snapshots[${i}]`, each as Snapshot);
      const own = withVocabulary(specFromPlan(canonical), tensors);
      return { spec: specLines(own), data: readData(request.data, own), step, tensors };
    }),
  };
}

function readParts(parts: unknown): AnalysisPart[] {
  if (parts === undefined) return NAMES.filter((name) => !ON_DEMAND.includes(name));
  return readList('parts', parts).map((part, i) => checkChoice(`parts[${i}]`, part, NAMES)!);
}

function readWishes(request: AnalyseRequest, spec: ModelSpec): Wishes {
  const scales = readNumbers('scales', request.scales ?? [1, 10, 100], 64);
  const bad = scales.find((scale) => scale <= 0);
  if (bad !== undefined) throw new NormscopeError('bad-number', `scales holds ${bad}; expected factors above 0`);
  const noise = checkNumber('noise', request.noise ?? 0.01);
  if (noise < 0) throw new NormscopeError('bad-number', `noise is ${noise}; expected a standard deviation, 0 or more`);
  return {
    scales,
    seed: checkInteger('seed', request.seed ?? spec.seed ?? 1, 0, 2 ** 32 - 1),
    nPoint: checkInteger('nPoint', request.nPoint ?? 128, 1, MOST_POINTS),
    noise,
    clouds: checkChoice('clouds', request.clouds, ['noise', 'tokens']) ?? 'noise',
    depths: readNumbers('depths', request.depths ?? [2, 4, 8, 16], 64).map((depth, i) =>
      checkInteger(`depths[${i}]`, depth, 1, 4096),
    ),
    nSeed: checkInteger('nSeed', request.nSeed ?? 8, 1, 1000),
    steps: checkInteger('steps', request.steps ?? 100, 1, 10_000),
    every: checkInteger('every', request.every ?? 5, 1, 10_000),
    renormalise: checkFlag('renormalise', request.renormalise) ?? false,
    vector: request.vector && readVector(request.vector, spec.dModel ?? 32),
  };
}

function readVector(value: readonly number[], d: number): number[] {
  return Array.from(checkArray('vector', value, d), (_, i) => value[i]!);
}

function readList(name: string, value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  throw new NormscopeError('bad-option', `${name} is ${show(value)}; expected a list`);
}

function readNumbers(name: string, value: unknown, most: number): number[] {
  const list = readList(name, value);
  if (list.length >= 1 && list.length <= most) return list.map((entry, i) => checkNumber(`${name}[${i}]`, entry));
  throw new NormscopeError('bad-option', `${name} has ${list.length} values; expected 1 to ${most}`);
}

/** Only what an analysis needs; NaN among the numbers is welcome: that is what one may want to look at. */
function checkSnapshot(name: string, snapshot: Snapshot): Snapshot {
  if (snapshot?.version === 1 && isObject(snapshot.tensors) && isObject(snapshot.spec)) return snapshot;
  throw new NormscopeError('bad-snapshot', `${name} is ${show(snapshot)}; expected what session.snapshot() gives`);
}

const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null;

/** A trained model knows how many symbols it has, also where its spec leaves that to the data. */
function withVocabulary(spec: ModelSpec, tensors: Snapshot['tensors'] | null): ModelSpec {
  const nVocab = tensors?.['head.bias']?.length;
  return nVocab && !spec.nVocab ? { ...spec, nVocab } : spec;
}

/** Without data: the Markov chain over the model's vocabulary. */
function readData(data: TrainingData | undefined, spec: ModelSpec): string {
  if (data !== undefined) return dataLines(data);
  const nSymbol = spec.nVocab === undefined || spec.nVocab === 0 ? 32 : Math.min(spec.nVocab, 1024);
  return nSymbol < 2 ? '' : dataLines({ kind: 'markov', nSymbol });
}

type Session = NonNullable<AnalyseRequest['session']>;

/** The parameters of now, and the batch that lies in the session unless the caller names data. */
async function readSession(session: Session, withBatch: boolean): Promise<Record<string, Float32Array>> {
  if (typeof session.read !== 'function' || !session.plan)
    throw new NormscopeError('bad-option', `session is ${show(session)}; expected what createSession gives`);
  const batch = async (): Promise<Record<string, Float32Array>> => ({
    tokens: await session.read({ name: 'tokens' }),
    targets: await session.read({ name: 'targets' }),
  });
  return { ...(await session.parameters()), ...(withBatch ? await batch() : {}) };
}
