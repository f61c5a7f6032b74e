/** Snapshots: what a run needs to go on, as plain data. */
import { checkArray, checkInteger, show } from './checks.js';
import { NormscopeError } from './errors.js';
import { toCamelCase } from './spec.js';
import type { PlanInfo, Snapshot, TensorInfo } from './types.js';

type Read = (tensor: TensorInfo) => Promise<Float32Array> | Float32Array;

/** Parameters and state (moments, step counter): everything that one step hands to the next. */
export const carriedOver = (plan: PlanInfo): TensorInfo[] =>
  plan.tensors.filter(({ role }) => role === 'parameter' || role === 'state');

/** Copies of the tensors by name. Every read starts in the caller's turn, so all are of one moment. */
export async function readNamed(tensors: TensorInfo[], read: Read): Promise<Record<string, Float32Array>> {
  const arrays = await Promise.all(tensors.map(read));
  return Object.fromEntries(tensors.map(({ name }, i) => [name, arrays[i]!]));
}

export async function captureSnapshot(plan: PlanInfo, read: Read): Promise<Snapshot> {
  return snapshotOf(plan, await readNamed(carriedOver(plan), read));
}

/** `captureSnapshot` at once, for memory that can be copied without waiting. */
export function copySnapshot(plan: PlanInfo, copy: (tensor: TensorInfo) => Float32Array): Snapshot {
  return snapshotOf(plan, Object.fromEntries(carriedOver(plan).map((tensor) => [tensor.name, copy(tensor)])));
}

const snapshotOf = (plan: PlanInfo, tensors: Record<string, Float32Array>): Snapshot => ({
  version: 1,
  spec: { ...plan.spec },
  step: tensors.control?.[0] ?? 0,
  tensors,
});

/** The snapshot's arrays beside the plan's tensors, or an error that names the first misfit. */
export function checkSnapshot(plan: PlanInfo, snapshot: Snapshot): [TensorInfo, Float32Array][] {
  if (snapshot?.version !== 1) throw refusal(`has version ${String(snapshot?.version)}; this package reads version 1`);
  const step = checkInteger('snapshot.step', snapshot.step, 0, 2 ** 24);
  checkSameModel(plan.spec, snapshot.spec);
  const tensors = carriedOver(plan);
  const surplus = Object.keys(snapshot.tensors ?? {}).find((name) => !tensors.some((tensor) => tensor.name === name));
  if (surplus !== undefined) throw refusal(`has '${surplus}', which this model lacks: it comes from another model`);
  const arrays = tensors.map((tensor): [TensorInfo, Float32Array] => [tensor, arrayOf(snapshot, tensor)]);
  const counted = snapshot.tensors.control?.[0] ?? step;
  if (counted !== step) throw refusal(`says step ${step}, but its 'control' counts ${counted}`);
  return arrays;
}

/** How a model is trained may change on the way; what it computes may not. */
const TRAINING_FIELDS = [
  ...['learning_rate', 'warmup', 'weight_decay', 'decay1d', 'beta1', 'beta2', 'adam_eps', 'max_grad_norm'],
  ...['schedule', 'total_steps', 'final_learning_rate', 'momentum', 'decay_gamma', 'z_loss', 'bn_momentum'],
  ...['dropout', 'n_batch', 'init', 'init_gain', 'branch_scale_init', 'dyt_alpha', 'seed'],
];
/** Said again by others: the slots by name, the sizes by the tensors. */
const REPEATED_FIELDS = ['placement', 'd_ff', 'n_vocab'];

function checkSameModel(spec: PlanInfo['spec'], other: Snapshot['spec'] | undefined): void {
  for (const [field, value] of Object.entries(spec)) {
    if (TRAINING_FIELDS.includes(field) || REPEATED_FIELDS.includes(field) || other?.[field] === value) continue;
    const name = toCamelCase(field);
    throw refusal(`comes from another model: its ${name} is ${show(other?.[field])}, this model's ${String(value)}`);
  }
}

function arrayOf({ tensors }: Snapshot, { name, role, size }: TensorInfo): Float32Array {
  const given = tensors?.[name];
  if (!given) throw refusal(`lacks '${name}': it comes from another model`);
  const data = checkArray(name, given);
  if (data.length !== size) throw refusal(`has ${data.length} numbers in '${name}', this model ${size}`);
  // The counters hold what a run has met, overflows among it; parameters and moments are numbers.
  const isCounter = role === 'state' && !name.includes('.');
  const bad = isCounter ? -1 : data.findIndex((value) => !Number.isFinite(value));
  if (bad >= 0) throw refusal(`has ${data[bad]} at ${name}[${bad}]; a run cannot go on from there`);
  return data;
}

const refusal = (what: string): NormscopeError => new NormscopeError('bad-snapshot', `the snapshot ${what}`);
