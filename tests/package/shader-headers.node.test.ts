// The headers of .wgsl files: what they say becomes the choice of a shader, and what is wrong in them is refused by file.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { readShaders } from '../../wasm/toolchain/shaders.mjs';

const kernels = {
  total: { operands: ['x', 'y'], nOutput: 1, params: [{ name: 'n', type: 'u32' as const }] },
};
const entry = '@compute @workgroup_size(1) fn total() {}\n';
let folder: string;
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'shaders-'))));
afterEach(() => rmSync(folder, { recursive: true }));

const read = (files: Record<string, string>) => {
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, `${name}.wgsl`), text);
  return readShaders(kernels, folder);
};

describe('the header of a shader', () => {
  test('orders a kernel’s shaders as its own file names them, itself last', () => {
    const { order } = read({
      total: `// tile: rows 1, cols all\n// variants: wide narrow\n${entry}`,
      'total.narrow': `// tile: rows 64, cols all\n// variant: n <= 4; n_lane 64, n_reg 2\n${entry}`,
      'total.wide': `// tile: rows 1, cols all\n// variant: n >= 100 && !software\n// variant: n == 7\n${entry}`,
    });
    expect(order.total).toEqual([
      { name: 'total.wide#0', stem: 'total.wide', when: 's.n >= 100 && !s.software', constants: {} },
      { name: 'total.wide#1', stem: 'total.wide', when: 's.n === 7', constants: {} },
      { name: 'total.narrow', stem: 'total.narrow', when: 's.n <= 4', constants: { n_lane: 64, n_reg: 2 } },
      { name: 'total', stem: 'total', when: null, constants: {} },
    ]);
  });

  test('gives passes their bindings, groups and scratch', () => {
    const { passes } = read({
      total: `// tile: rows 64, cols all\n// binds: x scratch\n// scratch: ceil(n / 64)\n// then: total.sum\n${entry}`,
      'total.sum': `// groups: min(n, 4)\n// binds: y scratch\n${entry}`,
    });
    expect(passes.total).toMatchObject({ binds: ['x', 'scratch'], scratch: 'Math.ceil(s.n / 64)', then: 'total.sum' });
    expect(passes.total!.groups).toBe('Math.ceil(s.rows / 64) * 1');
    expect(passes['total.sum']).toMatchObject({ binds: ['y', 'scratch'], groups: 'Math.min(s.n, 4)', scratch: null });
  });

  test('may stand in sections of one file, and parts in a folder of their own', () => {
    mkdirSync(join(folder, 'parts'));
    writeFileSync(join(folder, 'parts', 'twice.wgsl'), 'fn twice() {}\n');
    const narrow = `// ---- total.narrow ----\n// tile: rows 64, cols all\n// variant: n <= 4\n// uses: twice\n${entry}`;
    const { passes, parts, order } = read({
      total: `// tile: rows 1, cols all\n// variants: narrow\n${entry}${narrow}`,
    });
    expect(Object.keys(passes)).toEqual(['total', 'total.narrow']);
    expect(passes.total!.source).not.toContain('uses');
    expect(parts).toEqual({ twice: 'fn twice() {}\n' });
    expect(order.total!.map(({ name }) => name)).toEqual(['total.narrow', 'total']);
  });

  const tile = '// tile: rows 1, cols all\n';
  test.each([
    ['an unknown kernel', { other: tile + entry }, /other\.wgsl: kernels\.def has no kernel other/],
    ['no tile', { total: entry }, /total\.wgsl: the header needs one line/],
    ['a tile that cannot be read', { total: `// tile: rows x\n${entry}` }, /"tile: rows x" is not/],
    ['an unknown name', { total: `// groups: ceil(m / 2)\n${entry}` }, /names m; known are n, rows/],
    ['code', { total: `// groups: n; alert('x')\n${entry}` }, /is not arithmetic/],
    ['an unknown operand', { total: `${tile}// binds: z\n${entry}` }, /no operand z; it has x, y/],
    ['a missing variant', { total: `${tile}// variants: narrow\n${entry}` }, /there is no total\.narrow\.wgsl/],
    ['a missing next pass', { total: `${tile}// then: total.sum\n${entry}` }, /there is no total\.sum\.wgsl/],
    ['a missing part', { total: `${tile}// uses: philox\n${entry}` }, /there is no part philox/],
    [
      'a file that nothing names',
      { total: tile + entry, 'total.old': tile + entry },
      /total\.old\.wgsl: nothing names/,
    ],
    [
      'another entry point',
      { total: `${tile}@compute @workgroup_size(1) fn main() {}` },
      /one entry point named total/,
    ],
    [
      'a variant without a condition',
      { total: `${tile}// variants: a\n${entry}`, 'total.a': tile + entry },
      /total\.a\.wgsl: a variant needs a line/,
    ],
  ])('is refused by file for %s', (_, files, message) => expect(() => read(files)).toThrow(message));
});
