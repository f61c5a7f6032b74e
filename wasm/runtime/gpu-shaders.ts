// Which shaders a dispatch takes on a device, and their whole text. Pure: needs no GPU.
import { KERNELS, PARTS, PASSES, PRELUDE, SHADERS, type Pass, type Shader } from '../../build/generated/kernels.js';
import { NormscopeError } from './errors.js';
import { dispatchPlan } from './gpu-layout.js';
import type { DispatchInfo, Phase, PlanInfo } from './types.js';

/** What a device is, as far as the choice of a shader depends on it. */
export interface Traits {
  /** A software adapter, where barriers are dear. */
  software: boolean;
  /** Sums over the lanes of a subgroup (the optional feature 'subgroups'). */
  subgroups: boolean;
}

/** The kernels of these phases that have no WGSL, in alphabetical order; empty when WebGPU can run them. */
export function missingKernels(plan: PlanInfo, phases: readonly Phase[]): string[] {
  const used = phases.flatMap((phase) => plan.phases[phase].map((dispatch) => dispatch.kernel));
  return [...new Set(used)].filter((kernel) => !SHADERS[kernel]).sort();
}

/** One run of a shader: a dispatch has one or, where partial results are added up, several. */
export interface ShaderRun {
  pass: Pass;
  constants: Shader['constants'];
  /** Workgroups of one model. */
  groups: number;
}

/** What a dispatch asks for, as the headers of the shaders name it. */
export type DispatchShape = Pick<DispatchInfo, 'kernel' | 'params' | 'grid'>;

function shapeOf({ kernel, params, grid }: DispatchShape, traits: Traits): Record<string, number> {
  const words = Uint32Array.from(params);
  const views = { u32: words, i32: new Int32Array(words.buffer), f32: new Float32Array(words.buffer) };
  const fields = KERNELS[kernel]!.params.map(({ name, type }, i) => [name, views[type][i]!]);
  const [rows, cols, models] = grid;
  const { software, subgroups } = traits;
  return {
    ...Object.fromEntries(fields),
    rows,
    cols,
    models,
    software: Number(software),
    subgroups: Number(subgroups),
  };
}

/** The kernel's first shader whose condition holds; its own file always does. */
export function chooseShader(dispatch: DispatchShape, traits: Traits): Shader {
  const shape = shapeOf(dispatch, traits);
  return SHADERS[dispatch.kernel]!.find(({ when }) => !when || when(shape))!;
}

/** The shader and what follows it. */
export function shaderRuns(dispatch: DispatchShape, traits: Traits): ShaderRun[] {
  const shape = shapeOf(dispatch, traits);
  const { pass, constants } = chooseShader(dispatch, traits);
  const runs: ShaderRun[] = [];
  for (let next: string | null = pass; next !== null; next = runs.at(-1)!.pass.then) {
    const current: Pass = PASSES[next]!;
    runs.push({ pass: current, constants, groups: current.groups(shape) });
  }
  return runs;
}

/** Floats of the scratch buffer that these phases share: dispatches run one after the other. */
export function scratchFloats(plan: PlanInfo, phases: readonly Phase[], traits: Traits): number {
  const needs = phases.flatMap((phase) =>
    plan.phases[phase].map((dispatch) => {
      const shape = shapeOf(dispatch, traits);
      return Math.max(0, ...shaderRuns(dispatch, traits).map(({ pass }) => pass.scratch?.(shape) ?? 0)) * shape.models!;
    }),
  );
  return needs.reduce((most, need) => Math.max(most, need), 0);
}

const lineComment = /\/\/.*$/gm;
const lanesCall = /\b(?:sum_lanes|max_lanes)\(/;
const subgroupCall = /\bsubgroup\w*\(/;

/** The whole text of a pass: prelude, parameters, bindings, constants, the parts that it uses, and the file. */
export function shaderText({ pass, constants }: Pick<ShaderRun, 'pass' | 'constants'>, { subgroups }: Traits): string {
  const body = [...pass.uses.map((part) => PARTS[part]!), pass.source].join('\n');
  const own = Object.entries(constants).map(([name, value]) => `const ${name} = ${value}u;`);
  const lanes = subgroups && PARTS['lanes.subgroup'] ? 'lanes.subgroup' : 'lanes.workgroup';
  const called = lanesCall.test(body.replace(lineComment, '')) ? [PARTS[lanes]!] : [];
  const text = [PRELUDE, ...declarations(pass), ...own, ...called, body].join('\n');
  // A directive stands before everything else.
  return subgroupCall.test(text.replace(lineComment, '')) ? `enable subgroups;\n${text}` : text;
}

/** Binding 0: the parameters; then the operands of the pass, all read_write, because one buffer holds many of them. */
function declarations({ kernel, binds, vec4 }: Pass): string[] {
  const fields = KERNELS[kernel]!.params.map(({ name, type }) => `${name}: ${type}`);
  const operands = binds.map((name, i) => {
    const type = vec4.includes(name) ? 'vec4f' : 'f32';
    return `@group(0) @binding(${i + 1}) var<storage, read_write> ${name}: array<${type}>;`;
  });
  return [`struct Params { ${fields.join(', ')} }`, '@group(0) @binding(0) var<uniform> params: Params;', ...operands];
}

/** Workgroups of a run in x, y and z; throws 'too-large' with the kernel's name. */
export function workgroups(
  { pass, groups }: ShaderRun,
  nModel: number,
  maxPerDimension: number,
): [number, number, number] {
  try {
    return dispatchPlan(groups, maxPerDimension, nModel);
  } catch (error) {
    throw error instanceof NormscopeError
      ? new NormscopeError(error.code, `${pass.kernel}: ${error.message}`, { cause: error })
      : error;
  }
}
