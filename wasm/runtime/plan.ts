import { suggest } from './checks.js';
import { NormscopeError } from './errors.js';
import type { PlanInfo, TensorInfo } from './types.js';

/** The core's JSON; it has no NaN, so an absent number arrives as null. */
export function parsePlan(json: string): PlanInfo {
  const plan = JSON.parse(json) as PlanInfo;
  const { dataset } = plan;
  if (dataset) {
    const numbers = dataset as unknown as Record<string, unknown>;
    for (const key of Object.keys(numbers)) if (numbers[key] === null) numbers[key] = NaN;
  }
  return plan;
}

/** The tensor of that name, or an error that suggests the nearest one. */
export function findTensor(plan: PlanInfo, name: string): TensorInfo {
  const tensor = plan.tensors.find((candidate) => candidate.name === name);
  if (tensor) return tensor;
  const names = plan.tensors.map((candidate) => candidate.name);
  throw new NormscopeError(
    'unknown-tensor',
    `there is no tensor '${name}'${suggest(String(name), names) || '; session.tensors lists them all'}`,
  );
}

export const hasTensor = (plan: PlanInfo, name: string): boolean => plan.tensors.some((tensor) => tensor.name === name);

export const parametersOf = (plan: PlanInfo): TensorInfo[] =>
  plan.tensors.filter((tensor) => tensor.role === 'parameter');
