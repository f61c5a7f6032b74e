import { createSession, type ModelSpec, NormscopeError, PLACEMENTS, transformerBlock } from 'normscope';
import { describe, expect, it } from 'vitest';
import { startEngine } from '../../wasm/runtime/core.js';
import { CpuExecutor } from '../../wasm/runtime/cpu-executor.js';

const small: ModelSpec = { nLayer: 2, dModel: 16, nHead: 2, nCtx: 8, nBatch: 2, learningRate: 0.01 };
const data = { kind: 'markov' } as const;

async function trainFor(session: Awaited<ReturnType<typeof createSession>>, steps: number): Promise<number[]> {
  const losses: number[] = [];
  for (let step = 0; step < steps; ++step) {
    await session.nextBatch();
    await session.run({ phases: ['forward', 'backward', 'update'] });
    losses.push((await session.read({ name: 'loss' }))[0]!);
  }
  return losses;
}

const refused = async (call: Promise<unknown>, text: RegExp): Promise<void> => {
  const error = await call.catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(NormscopeError);
  expect((error as Error).message).toMatch(text);
};

describe('a session', () => {
  it('trains, and the loss falls', async () => {
    using session = await createSession({ spec: small, data });
    const losses = await trainFor(session, 60);
    expect(losses[0]).toBeGreaterThan(3);
    expect(losses.at(-1)!).toBeLessThan(losses[0]! - 0.5);
    expect(session.device).toBe('wasm');
    expect(session.plan.dataset).toMatchObject({ kind: 'markov', nVocab: 32 });
  });

  it('has parameters under the names that PyTorch users expect', async () => {
    using session = await createSession({ spec: { ...small, placement: 'peri-ln' }, data });
    const parameters = await session.parameters();
    expect(Object.keys(parameters)).toEqual(
      expect.arrayContaining([
        'token_embedding.weight',
        'blocks.0.attn.q_proj.weight',
        'blocks.1.mlp.fc2.bias',
        'blocks.0.ln_attn_out.weight',
        'ln_final.bias',
        'head.weight',
      ]),
    );
    const q = session.tensors.find(({ name }) => name === 'blocks.0.attn.q_proj.weight')!;
    expect(q).toMatchObject({ role: 'parameter', shape: [16, 16], size: 256 });
    const kept = parameters['head.bias']!;
    kept.fill(3);
    expect((await session.parameters())['head.bias']).toEqual(new Float32Array(32));
  });

  it('goes on from a snapshot with the same bits', async () => {
    using first = await createSession({ spec: small, data });
    await trainFor(first, 5);
    const snapshot = structuredClone(await first.snapshot());
    expect(snapshot.step).toBe(5);
    const straight = await trainFor(first, 5);
    using second = await createSession({ spec: small, data, from: snapshot });
    expect(await trainFor(second, 5)).toEqual(straight);
    await first.restore({ snapshot });
    expect(await trainFor(first, 5)).toEqual(straight);
  });

  it('takes parameters of its own shape and refuses others before writing any', async () => {
    using session = await createSession({ spec: small, data });
    const bias = new Float32Array(32).fill(0.5);
    await session.loadParameters({ parameters: { 'head.bias': bias } });
    expect(await session.read({ name: 'head.bias' })).toEqual(bias);
    const mixed = { 'head.bias': new Float32Array(32), 'head.weight': [1, 2] };
    await refused(
      session.loadParameters({ parameters: mixed }),
      /head\.weight has the shape \[32, 16\], 512 numbers, but got 2/,
    );
    expect(await session.read({ name: 'head.bias' })).toEqual(bias);
    await refused(
      session.loadParameters({ parameters: { 'head.bais': bias } }),
      /no parameter 'head\.bais'; did you mean 'head\.bias'/,
    );
  });

  it('checks what is written', async () => {
    using session = await createSession({ spec: small, data });
    await refused(
      session.write({ name: 'tokens', data: new Float32Array(18) }),
      /tokens has the shape \[2, 8\].*sequence longer than n_ctx/,
    );
    await refused(
      session.write({ name: 'tokens', data: new Float32Array(16).fill(32) }),
      /tokens\[0\] is 32; expected a class from 0 to 31/,
    );
    await refused(session.write({ name: 'tokenz', data: [] }), /no tensor 'tokenz'; did you mean 'tokens'/);
    await refused(session.run({ phases: ['forwards' as never] }), /no phase 'forwards'; did you mean 'forward'/);
    await session.write({ name: 'targets', data: new Float32Array(16).fill(-100) });
  });

  it('draws held-out batches that differ from the training ones', async () => {
    using session = await createSession({ spec: small, data });
    await session.nextBatch();
    const training = await session.read({ name: 'tokens' });
    await session.nextBatch({ split: 'held-out' });
    expect(await session.read({ name: 'tokens' })).not.toEqual(training);
    await session.run({ phases: ['evaluate'] });
    expect((await session.read({ name: 'loss' }))[0]).toBeGreaterThan(2);
  });

  it('reads Korean as jamo, which recompose', async () => {
    const text = '모든 인간은 태어날 때부터 자유로우며 그 존엄과 권리에 있어 동등하다. '.repeat(4);
    using session = await createSession({ spec: small, data: { kind: 'text', text } });
    const { symbols, nVocab, bestLoss, uniformLoss } = session.plan.dataset!;
    expect(nVocab).toBe(symbols.length);
    expect(bestLoss).toBeNaN();
    expect(uniformLoss).toBeCloseTo(Math.log(nVocab), 6);
    await session.nextBatch();
    const tokens = await session.read({ name: 'tokens' });
    const read = Array.from(tokens.subarray(0, 8), (token) => symbols[token]).join('');
    expect(text.normalize('NFD')).toContain(read.normalize('NFD'));
    using plain = await createSession({ spec: small, data: { kind: 'text', text, jamo: false } });
    expect(plain.plan.dataset!.symbols).toContain('모');
  });

  it('is refused by name where the spec makes no sense', async () => {
    await refused(createSession({ spec: { ...small, nHead: 3 }, data }), /nHead 3 does not divide dModel 16/);
    await refused(
      createSession({ spec: { ...small, layers: 3 } as never, data }),
      /spec does not know 'layers'; did you mean 'nLayer'/,
    );
    await refused(
      createSession({ spec: { ...small, placement: 'per-ln' as never }, data }),
      /placement must be one of/,
    );
    await refused(createSession({ spec: { ...small, eps: NaN }, data }), /spec\.eps is NaN/);
    await refused(createSession({ spec: { ...small, nLayer: 2.5 }, data }), /nLayer must be a whole number/);
    await refused(createSession({ spec: small, data: { kind: 'poem' } as never }), /data\.kind is 'poem'/);
    await refused(createSession({ spec: { dModel: 8192, nHead: 1, nLayer: 100 }, data }), /GiB|MiB|bytes/);
    await refused(createSession({ spec: small, data, device: 'webgpu' }), /this engine offers no WebGPU/);
  });

  it('says so after it was freed', async () => {
    const session = await createSession({ spec: small, data });
    session.free();
    session.free();
    await refused(session.read({ name: 'loss' }), /was freed/);
  });

  it('gives its memory back', async () => {
    const engine = await startEngine();
    const makeLayer = (): void => {
      const core = engine.create('op:layernorm_forward', 'rows 8\nd 64\n');
      const executor = new CpuExecutor(engine, core);
      executor.run(['forward']);
      executor.free();
    };
    const makeSession = async (): Promise<void> => {
      using session = await createSession({ spec: { ...small, nLayer: 1 }, data });
      await session.nextBatch();
      await session.run({ phases: ['forward'] });
    };
    for (const [make, times] of [
      [makeLayer, 10_000],
      [makeSession, 300],
    ] as const) {
      for (let i = 0; i < 100; ++i) await make();
      const early = engine.memoryBytes;
      for (let i = 100; i < times; ++i) await make();
      expect(engine.memoryBytes - early).toBeLessThanOrEqual(2 ** 20);
    }
  });
});

describe('transformerBlock', () => {
  it('runs forward and backward and returns its parameters', async () => {
    const x = Float32Array.from({ length: 6 * 8 }, (_, i) => Math.sin(i));
    const spec: ModelSpec = { placement: 'peri-ln', dModel: 8, nHead: 2, nCtx: 3, seed: 5 };
    const { y, parameters, dx, gradients } = await transformerBlock({ x, spec, dy: x });
    expect([y.length, dx!.length]).toEqual([48, 48]);
    expect(Object.keys(gradients!)).toEqual(Object.keys(parameters));
    const again = await transformerBlock({ x, spec, parameters });
    expect(again.y).toEqual(y);
    expect(again.dx).toBeUndefined();
  });

  it("takes the course text's sublayer with x of shape (2, 10, 64)", async () => {
    const x = Float32Array.from({ length: 2 * 10 * 64 }, (_, i) => Math.cos(i * i));
    const spec: ModelSpec = { block: 'sublayer', placement: 'pre-ln', dModel: 64, nCtx: 10, dropout: 0.1 };
    const { y } = await transformerBlock({ x, spec });
    expect(y.length).toBe(x.length);
    const { y: dropped } = await transformerBlock({ x, spec, train: true });
    expect(dropped).not.toEqual(y);
  });
});

describe('PLACEMENTS', () => {
  it('is the table of presets, and every row is a spec', async () => {
    expect(PLACEMENTS.map(({ name }) => name)).toEqual([
      'none',
      'plain',
      'plain-ln',
      'post-ln',
      'pre-ln',
      'peri-ln',
      'output-ln',
      'sandwich-ln',
      'deepnorm',
      'ln-scaling',
      'rezero',
      'layerscale',
      'mix-ln',
      'hybridnorm',
      'keel',
    ]);
    for (const { name, wiring, equation, source, users, ...flags } of PLACEMENTS) {
      expect(equation && source && users).toBeTruthy();
      expect(wiring).toMatchObject(flags);
      using preset = await createSession({ spec: { ...small, placement: name }, data });
      using wired = await createSession({ spec: { ...small, ...wiring }, data });
      expect(await trainFor(preset, 3)).toEqual(await trainFor(wired, 3));
    }
  });
});
