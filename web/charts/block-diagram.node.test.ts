import { expect, test } from 'vitest';
import { blockDiagram } from './block-diagram.js';

const plain = { residual: true, normInput: false, normOutput: false, normStream: false };
const norms = (svg: string) => svg.match(/box-norm/g)?.length ?? 0;

test('a diagram has one box per norm of the wiring and a plus only with a residual', () => {
  expect(norms(blockDiagram(plain, ''))).toBe(0);
  expect(norms(blockDiagram({ ...plain, normStream: true }, ''))).toBe(1);
  expect(norms(blockDiagram({ ...plain, normInput: true, normOutput: true }, ''))).toBe(2);
  expect(blockDiagram(plain, '')).toContain('class="plus"');
  expect(blockDiagram({ ...plain, residual: false }, '')).not.toContain('class="plus"');
});

test('a diagram carries its description safely and no inline style', () => {
  const svg = blockDiagram(plain, 'a "quoted" <label>');
  expect(svg).toContain('aria-label="a &#34;quoted&#34; &#60;label&#62;"');
  expect(svg).not.toContain('style=');
});

test('a diagram shows what scales the skip and the branch', () => {
  const all = blockDiagram({ ...plain, normInput: true, skipScaled: true, branchScaled: true, depthScaled: true }, '');
  for (const word of ['>α<', '>s<', '>N/√l<']) expect(all).toContain(word);
  expect(blockDiagram({ ...plain, residual: false, skipScaled: true }, '')).not.toContain('>α<');
});

test('a skip path that begins behind the input norm leaves the branch there, not the stream', () => {
  const from = (skipNormed: boolean) => blockDiagram({ ...plain, normInput: true, skipNormed }, '');
  expect(from(true)).not.toBe(from(false));
  expect(from(true)).toContain('M158 159H70V73');
  const road = 'M70 228L70 73';
  expect(from(false)).toContain(road);
  expect(from(true)).not.toContain(road);
});
