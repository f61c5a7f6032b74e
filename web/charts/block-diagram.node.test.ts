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
