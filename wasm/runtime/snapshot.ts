/** Snapshots: what a run needs to go on, as plain data. */
import { checkArray, checkInteger } from './checks.js';
import { NormscopeError } from './errors.js';
import type { PlanInfo, Snapshot, TensorInfo } from './types.js';

/** Parameters and state (moments, step counter): everything that one step hands to the next. */
const carriedOver = (plan: PlanInfo): TensorInfo[] =>
  plan.tensors.filter(({ role }) => role === 'parameter' || role === 'state');

export async function captureSnapshot(
  plan: PlanInfo,
  read: (tensor: TensorInfo) => Promise<Float32Array> | Float32Array,
): Promise<Snapshot> {
  const tensors: Record<string, Float32Array> = {};
  for (const tensor of carriedOver(plan)) tensors[tensor.name] = await read(tensor);
  return { version: 1, spec: { ...plan.spec }, step: tensors.control?.[0] ?? 0, tensors };
}

/** The snapshot's arrays beside the plan's tensors, or an error that names the first misfit. */
export function checkSnapshot(plan: PlanInfo, snapshot: Snapshot): [TensorInfo, Float32Array][] {
  if (snapshot?.version !== 1) {
    throw new NormscopeError(
      'bad-snapshot',
      `the snapshot has version ${String(snapshot?.version)}; this package reads version 1`,
    );
  }
  checkInteger('snapshot.step', snapshot.step, 0, 2 ** 24);
  return carriedOver(plan).map((tensor) => {
    const data = snapshot.tensors?.[tensor.name];
    if (!data)
      throw new NormscopeError(
        'bad-snapshot',
        `the snapshot lacks '${tensor.name}': it comes from a model of another shape`,
      );
    if (data.length !== tensor.size) {
      throw new NormscopeError(
        'bad-snapshot',
        `the snapshot's '${tensor.name}' has ${data.length} numbers, this model's ${tensor.size}`,
      );
    }
    return [tensor, checkArray(tensor.name, data)];
  });
}
