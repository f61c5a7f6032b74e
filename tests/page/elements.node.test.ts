import { expect, test } from 'vitest';

test('the elements can be imported in Node, twice, without a DOM', async () => {
  expect(typeof document).toBe('undefined');
  const { NormscopeLens, defineElements } = await import('normscope/elements');
  defineElements();
  expect(NormscopeLens.name).toBe('NormscopeLens');
  expect(typeof document).toBe('undefined');
});
