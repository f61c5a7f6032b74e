/** What a session hands out and takes in: each time the state of one moment, whole and checked. */
import { createSession, NormscopeError, type ModelSpec, type Parameters, type Session, type Snapshot } from 'normscope';
import { describe, expect, it } from 'vitest';

const small: ModelSpec = { nLayer: 1, dModel: 8, nHead: 2, nCtx: 4, nBatch: 2 };
const data = { kind: 'markov' } as const;

/** One training step, up to the given phase; the session's calls are not waited for, so others may come between. */
const step = (session: Session): Promise<unknown> =>
  Promise.all([session.nextBatch(), session.run({ phases: ['forward', 'backward', 'update'] })]);

async function trained(spec: ModelSpec = small): Promise<Snapshot> {
  using session = await createSession({ spec, data });
  await step(session);
  return session.snapshot();
}

const refused = async (call: Promise<unknown>, text: RegExp): Promise<void> => {
  const error = await call.catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(NormscopeError);
  expect(error).toMatchObject({ code: 'bad-snapshot', message: expect.stringMatching(text) });
};

describe('what a session hands out is of one moment', () => {
  it('snapshot and parameters, when a step is asked for in the same turn', async () => {
    using session = await createSession({ spec: small, data });
    const [whole, early] = [await session.snapshot(), await session.parameters()];
    const [snapshot, parameters] = await Promise.all([session.snapshot(), session.parameters(), step(session)]);
    expect(snapshot).toEqual(whole);
    expect(parameters).toEqual(early);
    expect((await session.snapshot()).step).toBe(1);
  });

  it('restore and loadParameters are over before the next call of the same turn', async () => {
    using session = await createSession({ spec: small, data });
    const start = await session.snapshot();
    await step(session);
    const right = await session.snapshot();
    await Promise.all([session.restore({ snapshot: start }), step(session)]);
    expect(await session.snapshot()).toEqual(right);

    await session.restore({ snapshot: start });
    const zeros = Object.entries(await session.parameters()).map(([name, values]) => [name, values.map(() => 0)]);
    await session.nextBatch();
    const loaded = session.loadParameters({ parameters: Object.fromEntries(zeros) as Parameters });
    await Promise.all([loaded, session.run({ phases: ['forward'] })]);
    expect((await session.read({ name: 'loss' }))[0]).toBeCloseTo(Math.log(32), 6);
  });
});

describe('a snapshot of another model is refused', () => {
  it('by the field that differs, though all sizes agree', async () => {
    const snapshot = await trained();
    const others: [ModelSpec, RegExp][] = [
      [{ eps: 1e-3 }, /its eps is .*this model's 0\.001/],
      [{ alpha: 2 }, /alpha/],
      [{ dt: 0.5 }, /dt/],
      [{ causal: false }, /causal/],
      [{ nHead: 4 }, /nHead is 2, this model's 4/],
      [{ activation: 'relu' }, /activation/],
      [{ residual: false }, /residual/],
      [{ placement: 'post-ln', normFinal: true }, /normInput/],
    ];
    for (const [change, text] of others) {
      using session = await createSession({ spec: { ...small, ...change }, data });
      const before = await session.snapshot();
      await refused(session.restore({ snapshot }), text);
      expect(await session.snapshot()).toEqual(before);
      await refused(createSession({ spec: { ...small, ...change }, data, from: snapshot }), text);
    }
  });

  it('but may be trained on in another way, or under another name of the same wiring', async () => {
    const snapshot = await trained();
    const slots = { placement: 'none', normInput: true, normFinal: true, residual: true } as const;
    for (const change of [{ learningRate: 1, warmup: 5, weightDecay: 0.1, seed: 9, dropout: 0.1 }, slots]) {
      using session = await createSession({ spec: { ...small, ...change }, data, from: snapshot });
      expect((await session.snapshot()).tensors).toEqual(snapshot.tensors);
    }
  });

  it('by the tensor that is missing, surplus, of another size or not finite, and by its step', async () => {
    const snapshot = await trained();
    using session = await createSession({ spec: small, data });
    const before = await session.snapshot();
    const changed = (tensors: Record<string, unknown>): Snapshot =>
      ({ ...snapshot, tensors: { ...snapshot.tensors, ...tensors } }) as Snapshot;
    const gain = snapshot.tensors['ln_final.weight']!;
    const cases: [Snapshot, RegExp][] = [
      [changed({ 'ln_final.weight': undefined }), /lacks 'ln_final\.weight'/],
      [changed({ 'blocks.7.mlp.fc1.weight': gain }), /has 'blocks\.7\.mlp\.fc1\.weight', which this model lacks/],
      [changed({ 'ln_final.weight': [1, 2] }), /has 2 numbers in 'ln_final\.weight', this model 8/],
      [changed({ 'ln_final.weight': gain.map((_, i) => (i === 3 ? NaN : 1)) }), /NaN at ln_final\.weight\[3\]/],
      [changed({ 'ln_final.weight.adam_m': gain.map(() => Infinity) }), /Infinity at ln_final\.weight\.adam_m\[0\]/],
      [{ ...snapshot, step: 7 }, /says step 7, but its 'control' counts 1/],
      [{ ...snapshot, version: 2 as never }, /version 2/],
      [{ ...snapshot, spec: undefined as never }, /another model/],
    ];
    for (const [bad, text] of cases) await refused(session.restore({ snapshot: bad }), text);
    expect(await session.snapshot()).toEqual(before);
  });
});

it('a text with half a surrogate pair is read with U+FFFD in its place', async () => {
  const text = 'ab\ud83d cd\ude00 😀 '.repeat(8);
  using session = await createSession({ spec: small, data: { kind: 'text', text } });
  expect([...session.plan.dataset!.symbols].sort()).toEqual([' ', 'a', 'b', 'c', 'd', '\ufffd', '😀'].sort());
});
