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

describe.each(shaders)('$name', ({ kernel, pass, subgroups, source }) => {
  test('stays within the eight storage buffers that every device has', () => {
    expect(bindings(source).length - 1).toBeLessThanOrEqual(8);
  });

  test('binds only what it uses', () => {
    const body = bodyOf(pass);
    expect(pass.binds.filter((name) => !new RegExp(`\\b${name}\\b`).test(body))).toEqual([]);
  });

  test('has one entry point, named after the kernel', () => {
    const entries = [...source.matchAll(/@compute\s*@workgroup_size\([^)]*\)\s*fn\s+(\w+)/g)].map((match) => match[1]);
    expect(entries).toEqual([kernel]);
  });

  test('asks for at most 256 invocations and 16 KiB of workgroup memory', () => {
    const size = /@workgroup_size\(([^)]*)\)/
      .exec(source)![1]!
      .split(',')
      .map((part) => constant(source, part.trim()));
    expect(size.reduce((a, b) => a * b)).toBeLessThanOrEqual(256);
    const bytes = { f32: 4, u32: 4, i32: 4, vec2f: 8, vec4f: 16, vec4u: 16 };
    const arrays = [...source.matchAll(/var<workgroup>\s*\w+\s*:\s*array<(\w+),\s*([^>]+)>/g)];
    const total = arrays.reduce(
      (sum, [, type, length]) => sum + bytes[type as keyof typeof bytes] * constant(source, length!),
      0,
    );
    expect(total).toBeLessThanOrEqual(16384);
    expect(arrays.length).toBe(source.match(/var<workgroup>/g)?.length ?? 0);
  });

  test('needs no optional feature but subgroups, no override constants and no atomics', () => {
    expect(source).not.toMatch(/\brequires\b|\bf16\b|\boverride\b|\batomic/);
    if (!subgroups) expect(source).not.toMatch(/\benable\b|\bsubgroup/);
  });

  test('passes no pointers to memory that others see, which older engines refuse', () => {
    expect(source).not.toMatch(/ptr<\s*(?:storage|workgroup|uniform)/);
  });

  test('never compares a float with itself', () => expect(source).not.toMatch(/\b(\w+) != \1\b/));
});
