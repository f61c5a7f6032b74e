import { expect, it } from 'vitest';

/** The built package as a page loads it: by address. */
const root = import.meta.url.replace(/tests\/package\/.*/, '');
const packed = (name: string): Promise<Record<string, unknown>> => import(/* @vite-ignore */ `${root}dist/${name}`);

it('the packed package computes in a page, and trains and analyses in workers', async () => {
  const { analyse, layerNorm, train } = (await packed('index.js')) as unknown as typeof import('normscope');
  const { y } = await layerNorm({ x: [3.2, -1.8, 0.5, 2.1], dModel: 4 });
  expect(Array.from(y, (value) => value.toFixed(4))).toEqual(['1.1701', '-1.4892', '-0.2659', '0.5851']);
  const run = train({
    spec: { nLayer: 1, dModel: 8, nHead: 2, nCtx: 8, nBatch: 2 },
    data: { kind: 'markov' },
    steps: 5,
  });
  expect((await run.started)[0]!.thread).toBe('worker');
  expect(await run.finished).toMatchObject([{ code: 'finished', step: 5 }]);
  const spec = { placement: 'peri-ln', nLayer: 1, dModel: 8, nHead: 2, nCtx: 4, nBatch: 1 } as const;
  expect((await analyse({ spec, thread: 'worker', parts: ['moments'] })).moments!.holds).toBe(true);
});

it('the packed elements register and draw, also when imported twice', async () => {
  await packed('elements.js');
  await packed('elements.js?again');
  const lens = document.createElement('normscope-lens') as HTMLElement & { updateComplete: Promise<boolean> };
  document.body.append(lens);
  await lens.updateComplete;
  expect(lens.shadowRoot!.textContent!.length).toBeGreaterThan(100);
  lens.remove();
});
