// The text of every shader against kernels.def and kernel_params.h; needs no GPU.
import { describe, expect, test } from 'vitest';
import { KERNELS, PARTS, PASSES, SHADERS, type Pass } from '../../build/generated/kernels.js';
import { shaderText } from '../../wasm/runtime/gpu-shaders.js';
import { everyShader } from './every-shader.js';

const shaders = everyShader().map(({ name, run, traits }) => ({
  name,
  pass: run.pass,
  kernel: run.pass.kernel,
  subgroups: traits.subgroups,
  source: shaderText(run, traits),
}));

/** [binding, address space, access, name, type] of all module-scope resources. */
function bindings(source: string) {
  const declaration = /@group\((\d+)\)\s*@binding\((\d+)\)\s*var<(\w+)(?:,\s*(\w+))?>\s*(\w+)\s*:\s*([\w<>]+)\s*;/g;
  return [...source.matchAll(declaration)].map(([, group, binding, space, access, name, type]) => ({
    group,
    binding: Number(binding),
    space,
    access,
    name,
    type,
  }));
}

/** The value of a constant expression of unsigned integers such as `n_lane / n_column`. */
function constant(source: string, expression: string): number {
  const [left, operator, right] = expression.split(/\s*([*/])\s*/);
  const term = (text: string): number => {
    if (/^\d+u?$/.test(text)) return parseInt(text, 10);
    const definition = new RegExp(`const ${text}(?:: u32)? = ([^;]+);`).exec(source);
    if (!definition) throw new Error(`no constant ${text}`);
    return constant(source, definition[1]!);
  };
  if (!operator) return term(left!);
  return operator === '*' ? term(left!) * term(right!) : Math.floor(term(left!) / term(right!));
}

describe('the contract', () => {
  test('has a shader for every kernel', () => {
    expect(Object.keys(KERNELS).filter((kernel) => !SHADERS[kernel])).toEqual([]);
  });

  test('gives every kernel a shader without a condition, the last one', () => {
    for (const [kernel, list] of Object.entries(SHADERS))
      expect([kernel, list.findIndex(({ when }) => !when)]).toEqual([kernel, list.length - 1]);
  });

  test('writes every output of a kernel in some pass of each of its shaders', () => {
    for (const { name, kernel, passes } of chains()) {
      const { operands, nOutput } = KERNELS[kernel]!;
      const text = passes.map(bodyOf).join('\n');
      const unwritten = operands
        .slice(-nOutput)
        .filter((output) => !new RegExp(`\\b${output}\\[[^=;]*\\]\\s*[-+]?=[^=]|&${output}\\b`).test(text));
      expect([name, ...unwritten]).toEqual([name]);
    }
  });
});

/** The file and the parts that it uses. */
const bodyOf = ({ uses, source }: Pass): string => [...uses.map((part) => PARTS[part]!), source].join('\n');

function chains() {
  return Object.entries(SHADERS).flatMap(([kernel, list]) =>
    list.map(({ name, pass }) => {
      const passes = [PASSES[pass]!];
      while (passes.at(-1)!.then) passes.push(PASSES[passes.at(-1)!.then!]!);
      return { name, kernel, passes };
    }),
  );
}

/** The names of the shaders of which something does not hold. */
const namesWhere = (wrong: (shader: (typeof shaders)[number]) => boolean): string[] =>
  shaders.filter(wrong).map(({ name }) => name);

describe('every shader', () => {
  test('stays within the eight storage buffers that every device has', () => {
    expect(namesWhere(({ source }) => bindings(source).length - 1 > 8)).toEqual([]);
  });

  test('binds only what it uses', () => {
    const isUnused = (pass: Pass) => (name: string) => !new RegExp(`\\b${name}\\b`).test(bodyOf(pass));
    expect(namesWhere(({ pass }) => pass.binds.some(isUnused(pass)))).toEqual([]);
  });

  test('has one entry point, named after the kernel', () => {
    const entry = /@compute\s*@workgroup_size\([^)]*\)\s*fn\s+(\w+)/g;
    expect(
      namesWhere(({ kernel, source }) => [...source.matchAll(entry)].map(([, name]) => name).join() !== kernel),
    ).toEqual([]);
  });

  test('asks for at most 256 invocations', () => {
    const invocations = (source: string) =>
      /@workgroup_size\(([^)]*)\)/
        .exec(source)![1]!
        .split(',')
        .map((part) => constant(source, part.trim()))
        .reduce((a, b) => a * b);
    expect(namesWhere(({ source }) => invocations(source) > 256)).toEqual([]);
  });

  test('takes at most 16 KiB of workgroup memory, all of it in arrays', () => {
    const bytes = { f32: 4, u32: 4, i32: 4, vec2f: 8, vec4f: 16, vec4u: 16 };
    const arrays = (source: string) => [...source.matchAll(/var<workgroup>\s*\w+\s*:\s*array<(\w+),\s*([^>]+)>/g)];
    const total = (source: string) =>
      arrays(source).reduce(
        (sum, [, type, length]) => sum + bytes[type as keyof typeof bytes] * constant(source, length!),
        0,
      );
    expect(namesWhere(({ source }) => !(total(source) <= 16384))).toEqual([]);
    const all = (source: string) => source.match(/var<workgroup>/g)?.length ?? 0;
    expect(namesWhere(({ source }) => arrays(source).length !== all(source))).toEqual([]);
  });

  test('needs no optional feature but subgroups, no override constants and no atomics', () => {
    expect(namesWhere(({ source }) => /\brequires\b|\bf16\b|\boverride\b|\batomic/.test(source))).toEqual([]);
    expect(namesWhere(({ subgroups, source }) => !subgroups && /\benable\b|\bsubgroup/.test(source))).toEqual([]);
  });

  test('passes no pointers to memory that others see, which older engines refuse', () => {
    expect(namesWhere(({ source }) => /ptr<\s*(?:storage|workgroup|uniform)/.test(source))).toEqual([]);
  });

  test('never compares a float with itself', () => {
    expect(namesWhere(({ source }) => /\b(\w+) != \1\b/.test(source))).toEqual([]);
  });
});
