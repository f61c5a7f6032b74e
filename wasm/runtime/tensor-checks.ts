import { checkArray, checkLabels } from './checks.js';
import { NormscopeError } from './errors.js';
import type { NumberArray, PlanInfo, TensorInfo } from './types.js';

/** Targets with this value do not count in the loss. */
export const IGNORE_INDEX = -100;

/** Data for one tensor of a plan: the right size, and whole class numbers where the tensor holds them. */
export function checkWritable(plan: PlanInfo, tensor: TensorInfo, value: NumberArray): Float32Array {
  const { name, shape, size } = tensor;
  if (tensor.role === 'constant')
    throw new NormscopeError('unknown-tensor', `'${name}' is a constant of the plan and cannot be written`);
  const data = checkArray(name, value);
  const isToken = name === 'tokens' || name === 'targets';
  if (data.length !== size) {
    const longer =
      isToken && data.length > size ? '; a sequence longer than n_ctx has no position, so plan with a larger nCtx' : '';
    throw new NormscopeError(
      'bad-size',
      `${name} has the shape [${shape.join(', ')}], ${size} numbers, but got ${data.length}${longer}`,
    );
  }
  const nVocab = plan.tensors.find((each) => each.name === 'token_embedding.weight')?.shape[0];
  if (isToken && nVocab) checkLabels(name, data, nVocab, name === 'targets' ? IGNORE_INDEX : undefined);
  return data;
}
