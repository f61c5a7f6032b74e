// From a plan's dispatch list to what WebGPU runs: which shaders, how many workgroups, what they share. Pure arithmetic.
import { KERNELS, PASSES } from '../../build/generated/kernels.js';
import { NormscopeError } from './errors.js';
import { dispatchPlan, type ArenaLayout, type GpuLimits, type TensorRange } from './gpu-layout.js';
import { runsFrom, shapeOf, shaderRuns, type ShaderRun, type Traits } from './gpu-shaders.js';
import type { DispatchInfo, Phase, PlanInfo } from './types.js';

/** One dispatch of the plan, or neighbours of one kernel that run together as a batch. */
export interface Job {
  dispatches: readonly [DispatchInfo, ...DispatchInfo[]];
  /** One after the other. None: there is nothing to compute, and outputs that would be overwritten become 0. */
  runs: readonly ShaderRun[];
  /** Floats of scratch memory, all models together. */
  scratch: number;
  /** The table of a batch; null for a single dispatch. */
  items: Uint32Array<ArrayBuffer> | null;
}

/** What a schedule depends on besides the plan. */
export interface Target {
  layout: ArenaLayout;
  limits: Pick<GpuLimits, 'maxStorageBufferBindingSize'>;
  traits: Traits;
}

/** The jobs of a phase. Throws 'gpu-refused' with the kernel's name for what WebGPU would refuse. */
export function schedule(plan: PlanInfo, phase: Phase, target: Target): Job[] {
  const dispatches = plan.phases[phase];
  for (const dispatch of dispatches) checkOperands(plan, dispatch, target.layout.ranges);
  return neighbours(dispatches, target).map((group) =>
    group.length > 1 ? batchJob(group, target) : singleJob(group[0], target),
  );
}

function singleJob(dispatch: DispatchInfo, { layout, traits }: Target): Job {
  if (isEmpty(dispatch, layout.ranges)) return { dispatches: [dispatch], runs: [], scratch: 0, items: null };
  const shape = shapeOf(dispatch, traits);
  const runs = shaderRuns(dispatch, traits);
  const scratch = Math.max(0, ...runs.map(({ pass }) => pass.scratch?.(shape) ?? 0)) * dispatch.grid[2];
  return { dispatches: [dispatch], runs, scratch, items: null };
}

const isEmpty = ({ grid, operands }: DispatchInfo, ranges: readonly TensorRange[]): boolean =>
  grid.includes(0) || operands.some((tensor) => ranges[tensor]!.size === 0);

/** Neighbours that one batch may take: one kernel with a batch shader, and all operands in one buffer. */
function neighbours(dispatches: readonly DispatchInfo[], target: Target): [DispatchInfo, ...DispatchInfo[]][] {
  const groups: [DispatchInfo, ...DispatchInfo[]][] = [];
  let last: string | null = null;
  for (const dispatch of dispatches) {
    const kind = batchKind(dispatch, target);
    if (kind !== null && kind === last) groups.at(-1)!.push(dispatch);
    else groups.push([dispatch]);
    last = kind;
  }
  return groups;
}

/** Dispatches of the same kind can run together; null: only alone. A software adapter gains nothing by fewer dispatches. */
function batchKind(dispatch: DispatchInfo, { layout, limits, traits }: Target): string | null {
  const { kernel, operands, grid } = dispatch;
  if (traits.software || !PASSES[`${kernel}.batch`] || isEmpty(dispatch, layout.ranges)) return null;
  const [buffer, ...others] = [...new Set(operands.map((tensor) => layout.ranges[tensor]!.buffer))];
  const bindable = others.length === 0 && layout.bufferSizes[buffer!]! <= limits.maxStorageBufferBindingSize;
  return bindable ? `${kernel} ${buffer} ${grid[2]}` : null;
}

function batchJob(dispatches: [DispatchInfo, ...DispatchInfo[]], { layout, traits }: Target): Job {
  const pass = PASSES[`${dispatches[0].kernel}.batch`]!;
  const models = dispatches[0].grid[2];
  const shares = dispatches.map((dispatch) => pass.groups(shapeOf(dispatch, traits)));
  const groups = shares.reduce((sum, share) => sum + share, 0);
  const shape = { ...shapeOf(dispatches[0], traits), items: dispatches.length, groups };
  const [first, ...rest] = runsFrom(pass.name, {}, shape);
  const scratch = (pass.scratch?.(shape) ?? 0) * models;
  return { dispatches, runs: [{ ...first!, groups }, ...rest], scratch, items: itemTable(dispatches, shares, layout) };
}

/**
 * One entry per dispatch, as gpu-shaders.ts declares `Item`: parameters; of each operand its first float in the buffer and
 * its floats per model; the first workgroup. A last entry ends the list: its first workgroup is their number.
 */
function itemTable(dispatches: readonly DispatchInfo[], shares: number[], { ranges }: ArenaLayout) {
  let firstGroup = 0;
  const rows = dispatches.map(({ kernel, params, operands, grid }, i) => {
    const places = operands.flatMap((tensor) => {
      const { offset, size } = ranges[tensor]!;
      return [offset / 4, size / 4 / grid[2]];
    });
    const row = [...params.slice(0, KERNELS[kernel]!.params.length), ...places, firstGroup];
    firstGroup += shares[i]!;
    return row;
  });
  const end = [...new Array<number>(rows[0]!.length - 1).fill(0), firstGroup];
  return Uint32Array.from([...rows, end].flat());
}

/** Workgroups of a run in x, y and z; throws 'too-large' with the kernel's name. */
export function workgroups(run: ShaderRun, nModel: number, maxPerDimension: number): [number, number, number] {
  try {
    return dispatchPlan(run.groups, maxPerDimension, nModel);
  } catch (error) {
    if (!(error instanceof NormscopeError)) throw error;
    throw new NormscopeError(error.code, `${run.pass.kernel}: ${error.message}`, { cause: error });
  }
}

/** What WebGPU would refuse with a message that names neither kernel nor tensor. */
function checkOperands(
  plan: PlanInfo,
  { kernel, operands, params }: DispatchInfo,
  ranges: readonly TensorRange[],
): void {
  const contract = KERNELS[kernel]!;
  if (operands.length !== contract.operands.length || params.length < contract.params.length)
    throw new NormscopeError(
      'gpu-refused',
      `${kernel} takes ${contract.operands.length} operands and ${contract.params.length} parameters; the plan gives ` +
        `${operands.length} and ${params.length}`,
    );
  for (let b = 1; b < operands.length; b += 1)
    for (let a = 0; a < b; a += 1)
      if (overlap(ranges[operands[a]!]!, ranges[operands[b]!]!))
        throw new NormscopeError(
          'gpu-refused',
          `${kernel}: ${contract.operands[a]} and ${contract.operands[b]} share memory (${plan.tensors[operands[b]!]!.name}); ` +
            'WebGPU cannot work in place, give the result a tensor of its own',
        );
}

function overlap(a: TensorRange, b: TensorRange): boolean {
  return a.buffer === b.buffer && a.offset < b.offset + b.size && b.offset < a.offset + a.size;
}
