import { KERNELS } from '../../build/generated/kernels.js';
import { NormscopeError } from './errors.js';
import type { TensorRange } from './gpu-layout.js';
import { checked, operandLayout, shaderPipeline } from './gpu-pipelines.js';
import type { PlanMemory } from './gpu-plan-memory.js';
import { shaderRuns, workgroups, type ShaderRun, type Traits } from './gpu-shaders.js';
import type { DispatchInfo, Phase, PlanInfo } from './types.js';

/** One entry of a replayed list. */
export type Step =
  | { kind: 'dispatch'; pipeline: GPUComputePipeline; bindings: GPUBindGroup; groups: [number, number, number] }
  | { kind: 'clear'; buffer: GPUBuffer; offset: number; size: number };

/** Everything that running these phases needs; dispatches that occur in several phases are prepared once. */
export async function prepareSteps(
  plan: PlanInfo,
  phases: readonly Phase[],
  memory: PlanMemory,
  traits: Traits,
): Promise<Map<Phase, Step[]>> {
  const known = new Map<string, Promise<Step[]>>();
  const prepare = (dispatch: DispatchInfo) => {
    const key = JSON.stringify(dispatch);
    let steps = known.get(key);
    if (!steps) known.set(key, (steps = prepareDispatch(plan, dispatch, memory, traits)));
    return steps;
  };
  const lists = phases.map(async (phase): Promise<[Phase, Step[]]> => {
    const steps = await Promise.all(plan.phases[phase].map(prepare));
    return [phase, steps.flat()];
  });
  return new Map(await Promise.all(lists));
}

async function prepareDispatch(
  plan: PlanInfo,
  dispatch: DispatchInfo,
  memory: PlanMemory,
  traits: Traits,
): Promise<Step[]> {
  checkOperands(plan, dispatch, memory);
  const { operands, grid } = dispatch;
  const isEmpty = grid.includes(0) || operands.some((tensor) => memory.ranges[tensor]!.size === 0);
  if (isEmpty) return clearOutputs(dispatch, memory);
  return Promise.all(shaderRuns(dispatch, traits).map((run) => prepareRun(dispatch, run, memory, traits)));
}

async function prepareRun(dispatch: DispatchInfo, run: ShaderRun, memory: PlanMemory, traits: Traits): Promise<Step> {
  const { device, params } = memory;
  const groups = workgroups(run, dispatch.grid[2], device.limits.maxComputeWorkgroupsPerDimension);
  const pipeline = await shaderPipeline(device, run, traits);
  const resources = [params.binding(dispatch.params), ...run.pass.binds.map((name) => bound(name, dispatch, memory))];
  const bindings = await checked(device, `the operands of ${run.pass.name}`, () =>
    device.createBindGroup({
      label: run.pass.name,
      layout: operandLayout(device, run.pass.binds.length),
      entries: resources.map((resource, binding) => ({ binding, resource })),
    }),
  );
  return { kind: 'dispatch', pipeline, bindings, groups };
}

/** The operand `name` of the dispatch, or the executor's scratch. */
function bound(
  name: string,
  { kernel, operands }: DispatchInfo,
  { buffers, ranges, scratch }: PlanMemory,
): GPUBufferBinding {
  if (name === 'scratch') return { buffer: scratch! };
  const { buffer, offset, size } = ranges[operands[KERNELS[kernel]!.operands.indexOf(name)]!]!;
  return { buffer: buffers[buffer]!, offset, size };
}

/** Sums over nothing are 0: without rows or columns no group runs, and results that would be overwritten become 0. */
function clearOutputs({ kernel, operands, params }: DispatchInfo, { buffers, ranges }: PlanMemory): Step[] {
  const { nOutput, params: fields } = KERNELS[kernel]!;
  const word = fields.findIndex((field) => field.name === 'accumulate');
  if (word < 0) return [];
  return operands.slice(-nOutput).flatMap((tensor, output): Step[] => {
    const { buffer, offset, size } = ranges[tensor]!;
    const keeps = ((params[word]! >>> output) & 1) === 1;
    return keeps || size === 0 ? [] : [{ kind: 'clear', buffer: buffers[buffer]!, offset, size }];
  });
}

/** What WebGPU would refuse with a message that names neither kernel nor tensor. */
function checkOperands(plan: PlanInfo, { kernel, operands, params }: DispatchInfo, { ranges }: PlanMemory): void {
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

/** Appends the steps to the encoder; dispatches that follow each other share a compute pass. */
export function encodeSteps(encoder: GPUCommandEncoder, steps: readonly Step[]): void {
  let pass: GPUComputePassEncoder | undefined;
  for (const step of steps) {
    if (step.kind === 'clear') {
      pass?.end();
      pass = undefined;
      encoder.clearBuffer(step.buffer, step.offset, step.size);
      continue;
    }
    pass ??= encoder.beginComputePass({ label: 'plan' });
    pass.setPipeline(step.pipeline);
    pass.setBindGroup(0, step.bindings);
    pass.dispatchWorkgroups(...step.groups);
  }
  pass?.end();
}
