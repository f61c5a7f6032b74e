// The core as executors other than its own use it: several models in one plan, inputs and initial values without an arena.
import type { ModelSpec } from 'normscope';
import { expect, it } from 'vitest';
import { type Core, startEngine } from '../../wasm/runtime/core.js';
import { specLines, specsLines } from '../../wasm/runtime/spec.js';

const SHARED: ModelSpec = { placement: 'peri-ln', nLayer: 1, dModel: 12, nCtx: 6, nBatch: 2 };
const SPECS: ModelSpec[] = [
  { ...SHARED, seed: 3, learningRate: 0.01 },
  { ...SHARED, seed: 4, learningRate: 0.02, weightDecay: 0.1, schedule: 'cosine', totalSteps: 50 },
];

const engine = await startEngine();
const using = <T>(core: Core, use: (core: Core) => T): T => {
  try {
    return use(core);
  } finally {
    core.free();
  }
};
const plan = (...specs: ModelSpec[]) => engine.create('model', specsLines(specs), 'markov 32 7');

it('describes every model of a plan, and the first as its spec', () => {
  using(plan(...SPECS), (core) => {
    const { spec, models, tensors } = core.describe();
    expect(models.map(({ seed, learning_rate }) => [seed, learning_rate])).toEqual([
      [3, 0.01],
      [4, 0.02],
    ]);
    expect(spec).toEqual(models[0]);
    expect(new Set(tensors.map(({ nModel }) => nModel))).toEqual(new Set([2]));
  });
});

it('says in which fields the models of one plan may differ, and refuses the others in the words of JavaScript', () => {
  expect(engine.ownFields).toContain('learningRate');
  expect(engine.ownFields).toContain('seed');
  expect(() => plan(SHARED, { ...SHARED, dModel: 24 })).toThrow(/model 2 has dModel 24 and the first model 12/);
  expect(() => plan({}, {}, { nHead: 3 })).toThrow(/nHead 3 does not divide dModel 32/);
});

it('draws for each model what it would draw alone, at any step, without an arena', () => {
  for (const step of [0, 7]) {
    const together = using(plan(...SPECS), (core) => drawn(core, step));
    const alone = SPECS.map((spec) => using(plan(spec), (core) => drawn(core, step)));
    for (const name of ['tokens', 'targets', 'hyper', 'seed'])
      expect(together[name], name).toEqual(alone.flatMap((inputs) => inputs[name]));
  }
});

function drawn(core: Core, step: number): Record<string, number[]> {
  core.allocateInputs();
  core.setStep(step);
  core.beginStep('train');
  return Object.fromEntries(
    ['tokens', 'targets', 'hyper', 'seed', 'control'].map((name) => [name, [...core.inputs(name)]]),
  );
}

it('has no memory for the other tensors then, and says so', () => {
  using(plan(...SPECS), (core) => {
    expect(() => core.inputs('tokens')).toThrow(/'tokens' has no memory/);
    core.allocateInputs();
    expect(() => core.inputs('logits')).toThrow(/'logits' has no memory/);
  });
});

it('gives the initial values of every tensor as the arena has them', () => {
  using(plan(...SPECS), (core) => {
    const { tensors } = core.describe();
    const streamed = tensors.map(({ size }, index) => core.initialValues(index, size));
    const start = core.allocate();
    tensors.forEach(({ name, offset, size }, index) => {
      expect(streamed[index], name).toEqual(engine.floats().slice(start + offset, start + offset + size));
    });
  });
});

it('gives initial values of models that no memory of WASM holds', () => {
  const wide = { nLayer: 1, dModel: 16384, nHead: 128 };
  using(engine.create('model', specLines(wide), ''), (core) => {
    const index = core.describe().tensors.findIndex(({ name }) => name === 'position_embedding.weight');
    const before = engine.memoryBytes;
    const values = core.initialValues(index, core.describe().tensors[index]!.size);
    expect(values.length).toBe(32 * 16384);
    expect(values.every((value) => value !== 0)).toBe(true);
    expect(engine.memoryBytes - before).toBeLessThan(2 ** 24);
    expect(() => core.allocate()).toThrow(/mlp\.fc1\.weight is the largest with 4096 MiB; the limit is 3072 MiB/);
    core.allocateInputs();
  });
});
