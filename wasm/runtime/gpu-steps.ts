import { KERNELS } from '../../build/generated/kernels.js';
import { checked, operandLayout, shaderPipeline } from './gpu-pipelines.js';
import type { PlanMemory } from './gpu-plan-memory.js';
import { workgroups, type Job } from './gpu-schedule.js';
import type { ShaderRun, Traits } from './gpu-shaders.js';
import type { DispatchInfo, Phase } from './types.js';

/** One entry of a replayed list. */
export type Step =
  | { kind: 'dispatch'; pipeline: GPUComputePipeline; bindings: GPUBindGroup; groups: [number, number, number] }
  | { kind: 'clear'; buffer: GPUBuffer; offset: number; size: number };

/** Pipelines and bind groups of the phases' jobs; a job that occurs in several phases is prepared once. */
export async function prepareSteps(
  jobs: ReadonlyMap<Phase, readonly Job[]>,
  memory: PlanMemory,
  traits: Traits,
): Promise<Map<Phase, Step[]>> {
  const unique = new Map<string, Job>();
  for (const job of [...jobs.values()].flat()) unique.set(keyOf(job), job);
  const runs = [...unique.values()].flatMap((job) => job.runs);
  const pipelines = await Promise.all(runs.map((run) => shaderPipeline(memory.device, run, traits)));
  const pipelineOf = new Map(runs.map((run, i) => [run, pipelines[i]!]));
  const steps = await checked(memory.device, 'the operands of the plan', () => {
    const stepsOf = (job: Job) => (job.runs.length > 0 ? jobSteps(job, memory, pipelineOf) : clearOutputs(job, memory));
    return new Map([...unique].map(([key, job]) => [key, stepsOf(job)]));
  });
  return new Map([...jobs].map(([phase, list]) => [phase, list.flatMap((job) => steps.get(keyOf(job))!)]));
}

const keyOf = ({ dispatches }: Job): string => JSON.stringify(dispatches);

function jobSteps(job: Job, memory: PlanMemory, pipelines: ReadonlyMap<ShaderRun, GPUComputePipeline>): Step[] {
  const { device } = memory;
  return job.runs.map((run) => ({
    kind: 'dispatch',
    pipeline: pipelines.get(run)!,
    groups: workgroups(run, job.dispatches[0].grid[2], device.limits.maxComputeWorkgroupsPerDimension),
    bindings: device.createBindGroup({
      label: run.pass.name,
      layout: operandLayout(device, run.pass.binds.length),
      entries: resourcesOf(job, run, memory).map((resource, binding) => ({ binding, resource })),
    }),
  }));
}

/** The parameters, then what the pass binds by name. */
function resourcesOf(job: Job, { pass }: ShaderRun, memory: PlanMemory): GPUBufferBinding[] {
  const { kernel, operands, params } = job.dispatches[0];
  const { buffers, ranges, scratch } = memory;
  const rangeOf = (operand: number): GPUBufferBinding => {
    const { buffer, offset, size } = ranges[operands[operand]!]!;
    return { buffer: buffers[buffer]!, offset, size };
  };
  const named = (name: string): GPUBufferBinding => {
    if (name === 'scratch') return { buffer: scratch! };
    if (name === 'arena') return { buffer: rangeOf(0).buffer };
    if (name === 'items') return memory.items.binding(job.items!);
    return rangeOf(KERNELS[kernel]!.operands.indexOf(name));
  };
  return [memory.params.binding(params), ...pass.binds.map(named)];
}

/** Sums over nothing are 0: without rows or columns no group runs, and results that would be overwritten become 0. */
function clearOutputs({ dispatches }: Job, { buffers, ranges }: PlanMemory): Step[] {
  const { kernel, operands, params }: DispatchInfo = dispatches[0];
  const { nOutput, params: fields } = KERNELS[kernel]!;
  const word = fields.findIndex((field) => field.name === 'accumulate');
  if (word < 0) return [];
  return operands.slice(-nOutput).flatMap((tensor, output): Step[] => {
    const { buffer, offset, size } = ranges[tensor]!;
    const keeps = ((params[word]! >>> output) & 1) === 1;
    return keeps || size === 0 ? [] : [{ kind: 'clear', buffer: buffers[buffer]!, offset, size }];
  });
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
