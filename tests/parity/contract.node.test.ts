// The text of every shader against kernels.def and kernel_params.h; needs no GPU.
import { describe, expect, test } from 'vitest';
import { KERNELS, WGSL } from '../../build/generated/kernels.js';
import { parseTile } from '../../wasm/runtime/gpu-layout.js';

const lineComment = /\/\/.*$/gm;
const shaders = Object.entries(WGSL).map(([name, source]) => ({
  name,
  kernel: name.split('.')[0]!,
  source: source.replace(lineComment, ''),
  text: source,
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

function structFields(source: string, name: string) {
  const body = new RegExp(`struct ${name} \\{([^}]*)\\}`).exec(source)?.[1] ?? '';
  return [...body.matchAll(/(\w+)\s*:\s*(\w+)/g)].map(([, field, type]) => ({ name: field, type }));
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
  test('has a test subject', () => expect(shaders.length).toBeGreaterThan(5));

  test('stays within the eight storage buffers that every device has', () => {
    expect(Object.entries(KERNELS).filter(([, { operands }]) => operands.length > 8)).toEqual([]);
  });
});

describe.each(shaders)('$name.wgsl', ({ kernel, name, source, text }) => {
  const contract = KERNELS[kernel]!;

  test('belongs to a kernel of kernels.def', () => expect(contract).toBeDefined());

  test('binds the parameters at 0 and the operands after them, in order and by name', () => {
    const [params, ...operands] = bindings(source);
    expect(params).toMatchObject({ group: '0', binding: 0, space: 'uniform', name: 'params' });
    expect(operands).toEqual(
      contract.operands.map((operand, i) => ({
        group: '0',
        binding: i + 1,
        space: 'storage',
        access: 'read_write',
        name: operand,
        type: 'array<f32>',
      })),
    );
  });

  test('declares the parameter struct field by field', () => {
    const type = bindings(source)[0]!.type!;
    expect(structFields(source, type)).toEqual(contract.params);
  });

  test('has one entry point, named after the kernel', () => {
    const entries = [...source.matchAll(/@compute\s*@workgroup_size\([^)]*\)\s*fn\s+(\w+)/g)].map((match) => match[1]);
    expect(entries).toEqual([kernel]);
  });

  test('declares its tile once, first of all', () => {
    expect(text.match(/^\/\/ tile: /gm)).toHaveLength(1);
    expect(() => parseTile(name, text)).not.toThrow();
  });

  test('asks for at most 256 invocations and 16 KiB of workgroup memory', () => {
    const size = /@workgroup_size\(([^)]*)\)/
      .exec(source)![1]!
      .split(',')
      .map((part) => constant(source, part.trim()));
    expect(size.reduce((a, b) => a * b)).toBeLessThanOrEqual(256);
    const bytes = { f32: 4, u32: 4, i32: 4, vec2f: 8, vec4f: 16 };
    const arrays = [...source.matchAll(/var<workgroup>\s*\w+\s*:\s*array<(\w+),\s*([^>]+)>/g)];
    const total = arrays.reduce(
      (sum, [, type, length]) => sum + bytes[type as keyof typeof bytes] * constant(source, length!),
      0,
    );
    expect(total).toBeLessThanOrEqual(16384);
    expect(arrays.length).toBe(source.match(/var<workgroup>/g)?.length ?? 0);
  });

  test('needs no optional feature, no override constants and no atomics', () => {
    expect(source).not.toMatch(/\benable\b|\brequires\b|\bf16\b|\boverride\b|\batomic|\bsubgroup/);
  });

  test('never compares a float with itself', () => expect(source).not.toMatch(/\b(\w+) != \1\b/));
});
