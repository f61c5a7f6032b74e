/** The analysis in a page: its module comes when it is asked for, and a worker computes. */
import { analyse, sanityCheck } from 'normscope';
import { expect, it } from 'vitest';

const spec = { placement: 'peri-ln', nLayer: 2, dModel: 8, nHead: 2, nCtx: 6, nBatch: 3 } as const;
const data = { kind: 'markov', nSymbol: 9 } as const;

const fetched = (): boolean =>
  performance.getEntriesByType('resource').some(({ name }) => name.includes('core-analysis') && name.includes('.wasm'));

it('fetches its module when it is first asked, computes in a worker, and agrees with this thread', async () => {
  expect(fetched()).toBe(false);
  const there = await analyse({ spec, data, thread: 'worker' });
  expect(fetched()).toBe(true);
  expect(there.moments!.holds).toBe(true);
  expect(there.hamiltonian!.lemma1.every(({ holds }) => holds)).toBe(true);
  expect(await analyse({ spec, data, thread: 'inline' })).toEqual(there);
});

it('leaves the thread to the page while it computes', async () => {
  let frames = 0;
  let running = true;
  const tick = (): void => {
    frames += 1;
    if (running) requestAnimationFrame(tick);
  };
  requestAnimationFrame(tick);
  let longest = 0;
  let last = performance.now();
  const watch = setInterval(() => {
    longest = Math.max(longest, performance.now() - last);
    last = performance.now();
  }, 10);
  await analyse({ spec: { placement: 'pre-ln' }, parts: ['sensitivity'], thread: 'worker' });
  running = false;
  clearInterval(watch);
  expect(frames).toBeGreaterThan(3);
  expect(longest).toBeLessThan(1000);
});

it('checks a wiring', async () => {
  const report = await sanityCheck({ spec, data, quick: true });
  expect(report.hamiltonian.bounded).toBe(true);
  expect(report.sensitivity.scaleInvariant).toBe(true);
});
