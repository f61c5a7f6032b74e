// Which shaders a dispatch takes on a device, and their whole text. Pure: needs no GPU.
import {
  KERNELS,
  PARTS,
  PASSES,
  PRELUDE,
  SHADERS,
  type Pass,
  type Shader,
  type Shape,
} from '../../build/generated/kernels.js';
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

/** Parameters and grid of a dispatch by name. */
export function shapeOf({ kernel, params, grid }: DispatchShape, traits: Traits): Record<string, number> {
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
  const { pass, constants } = chooseShader(dispatch, traits);
  return runsFrom(pass, constants, shapeOf(dispatch, traits));
}

/** A pass and all that follow it. */
export function runsFrom(name: string, constants: Shader['constants'], shape: Shape): ShaderRun[] {
  const pass = PASSES[name]!;
  const run = { pass, constants, groups: pass.groups(shape) };
  return pass.then ? [run, ...runsFrom(pass.then, constants, shape)] : [run];
}

const lanesCall = /\b(?:sum_lanes|max_lanes)\(/;
const subgroupCall = /\bsubgroup\w*\(/;

/** The whole text of a pass: prelude, parameters, bindings, constants, the parts that it uses, and the file. */
export function shaderText({ pass, constants }: Pick<ShaderRun, 'pass' | 'constants'>, { subgroups }: Traits): string {
  const body = [...pass.uses.map((part) => PARTS[part]!), pass.source].join('\n');
  const own = Object.entries(constants).map(([name, value]) => `const ${name} = ${value}u;`);
  const lanes = subgroups && PARTS['lanes.subgroup'] ? 'lanes.subgroup' : 'lanes.workgroup';
  const called = lanesCall.test(body) ? [PARTS[lanes]!] : [];
  const text = [PRELUDE, ...declarations(pass), ...own, ...called, body].join('\n');
  // A directive stands before everything else.
  return subgroupCall.test(text) ? `enable subgroups;\n${text}` : text;
}

/** Binding 0: the parameters; then what the pass binds, all read_write, because one buffer holds many operands. */
function declarations(pass: Pass): string[] {
  const resources = pass.binds.map((name, i) => {
    const type = name === 'items' ? 'Item' : pass.vec4.includes(name) ? 'vec4f' : 'f32';
    return `@group(0) @binding(${i + 1}) var<storage, read_write> ${name}: array<${type}>;`;
  });
  return [...(pass.binds.includes('items') ? itemDeclarations(pass) : paramDeclarations(pass)), ...resources];
}

const fieldsOf = ({ kernel }: Pass): string[] => KERNELS[kernel]!.params.map(({ name, type }) => `${name}: ${type}`);

const paramDeclarations = (pass: Pass): string[] => [
  `struct Params { ${fieldsOf(pass).join(', ')} }`,
  '@group(0) @binding(0) var<uniform> params: Params;',
];

/** A batch reads its parameters and the places of its operands in the arena from a table; see gpu-schedule.ts. */
function itemDeclarations(pass: Pass): string[] {
  const places = KERNELS[pass.kernel]!.operands.map((name) => `${name}_at: u32, ${name}_size: u32`);
  return [`struct Item { ${[...fieldsOf(pass), ...places, 'first_group: u32'].join(', ')} }`, PARTS['batch']!];
}
