// What a training step of a model takes, known before anything is allocated.
import { type ModelSpec, planMemory, planModel, type PlanInfo } from 'normscope';
import { describe, expect, it } from 'vitest';
import { call } from './cli-process.js';

const MIB = 2 ** 20;
const GIB = 2 ** 30;

/** The shapes of GPT-2 (Radford et al. 2019): small, medium, large, XL. */
const GPT2 = [
  { nLayer: 12, dModel: 768, nHead: 12 },
  { nLayer: 24, dModel: 1024, nHead: 16 },
  { nLayer: 36, dModel: 1280, nHead: 20 },
  { nLayer: 48, dModel: 1600, nHead: 25 },
].map((shape) => ({ ...shape, nCtx: 1024, nVocab: 50257, nBatch: 1 }));

/** Both embeddings, blocks of 4 + 8 matrices d × d with their biases and two LayerNorms, the last LayerNorm, a head of its own. */
function parameterCount({ nLayer, dModel: d, nCtx, nVocab }: (typeof GPT2)[number]): number {
  const attention = 4 * (d * d + d);
  const mlp = d * 4 * d + 4 * d + 4 * d * d + d;
  const norm = 2 * d;
  return nVocab * d + nCtx * d + nLayer * (attention + mlp + 2 * norm) + norm + nVocab * d + nVocab;
}

const rolesOf = ({ total: _, ...roles }: ReturnType<typeof planMemory>['bytes']): number[] => Object.values(roles);
const sum = (values: number[]): number => values.reduce((a, b) => a + b, 0);

describe('the memory of a plan', () => {
  it('has the parameters of GPT-2 by formula, and AdamW keeps a gradient and two moments of each', async () => {
    for (const spec of GPT2) {
      const { parameters, bytes } = planMemory(await planModel({ spec }));
      expect(parameters).toBe(parameterCount(spec));
      expect(bytes.parameter / (4 * parameters)).toBeCloseTo(1, 4);
      expect(bytes.state / bytes.parameter).toBeCloseTo(2, 3);
      expect(bytes.gradient).toBeGreaterThan(bytes.parameter);
    }
  });

  it('counts every tensor under its role, and the roles together are the whole arena', async () => {
    for (const spec of [{}, { nLayer: 3, dModel: 33, nHead: 3, placement: 'peri-ln' }, GPT2[1]] as ModelSpec[]) {
      const plan = await planModel({ spec });
      const { bytes } = planMemory(plan);
      expect(bytes.total).toBe(plan.nFloat * 4);
      expect(sum(rolesOf(bytes))).toBe(bytes.total);
      const floats = sum(plan.tensors.filter(({ role }) => role === 'activation').map(({ size }) => size));
      expect(bytes.activation).toBeGreaterThanOrEqual(4 * floats);
    }
  });

  it('keeps one velocity for SGD where AdamW keeps two moments', async () => {
    const adamw = planMemory(await planModel({ spec: {} })).bytes;
    const sgd = planMemory(await planModel({ spec: { optimizer: 'sgd' } })).bytes;
    expect(sgd.state).toBeLessThan(0.6 * adamw.state);
    expect(sgd.parameter).toBe(adamw.parameter);
  });

  it('fits one small buffer and WASM for the model of the page', async () => {
    const planned = planMemory(await planModel({ spec: {}, data: { kind: 'markov' } }));
    expect(planned).toMatchObject({ buffers: 1, refusal: null, wasmRefusal: null });
    expect(planned.largestBuffer).toBe(planned.bytes.total);
  });

  it('refuses by name what a binding cannot hold, and fits where the device allows more', async () => {
    const plan = await planModel({ spec: GPT2[0]! });
    const need = 4 * 50257 * 768;
    expect(planMemory(plan)).toMatchObject({
      buffers: 0,
      largestBuffer: 0,
      refusal: { tensor: 'token_embedding.weight', need, limit: 128 * MIB },
    });
    const generous = planMemory(plan, { maxBufferSize: GIB, maxStorageBufferBindingSize: GIB });
    expect(generous.refusal).toBeNull();
    expect(generous.buffers).toBeGreaterThanOrEqual(Math.ceil(generous.bytes.total / GIB));
    expect(generous.largestBuffer).toBeLessThanOrEqual(GIB);
    const tight = { maxBufferSize: 140 * MIB, maxStorageBufferBindingSize: GIB };
    expect(planMemory(plan, tight).refusal).toMatchObject({ limit: 140 * MIB });
  });

  it('refuses for WASM what is beyond 3 GiB in all, naming the largest tensor', async () => {
    const { wasmRefusal, bytes } = planMemory(await planModel({ spec: GPT2[3]! }));
    expect(wasmRefusal).toEqual({ tensor: 'token_embedding.weight', need: bytes.total, limit: 3 * GIB });
    expect(bytes.total).toBeGreaterThan(30 * GIB);
  });

  it('looks at sizes alone: a plan of other limits is the same plan', async () => {
    const plan = await planModel({ spec: {} });
    const before = structuredClone(plan) satisfies PlanInfo;
    planMemory(plan, { maxBufferSize: 1024, maxStorageBufferBindingSize: 512 });
    expect(plan).toEqual(before);
  });
});

describe('normscope plan', () => {
  it('says what a model takes and where it fits', async () => {
    const { code, out } = await call(['plan', 'peri-ln', '--lang', 'en']);
    expect(code).toBe(0);
    expect(out).toMatch(/^peri-ln\n[\d,]+ parameters\n/);
    expect(out).toMatch(/activations +[\d.]+ [KM]iB\n/);
    expect(out).toMatch(/WASM: fits\nWebGPU: fits in 1 buffer of at most [\d.]+ MiB\n$/);
  });

  it('counts what no machine here could hold, and a model that fits nowhere is an answer', async () => {
    const sets = Object.entries(GPT2[3]!).flatMap(([name, value]) => ['--set', `${name}=${value}`]);
    const { code, out } = await call(['plan', 'pre-ln', ...sets, '--lang', 'en']);
    expect(code).toBe(0);
    expect(out).toContain('1,638,072,657 parameters');
    expect(out).toMatch(/WASM: does not fit: .* 3\.00 GiB .* the largest tensor is token_embedding\.weight/);
    expect(out).toMatch(/WebGPU: does not fit everywhere: tensor token_embedding\.weight needs 307 MiB.* 128 MiB/);
    const korean = await call(['plan', 'pre-ln', ...sets, '--lang', 'ko']);
    expect(korean.out).toContain('파라미터 1,638,072,657개');
  });

  it('speaks JSON to programs', async () => {
    const { out } = await call(['plan', '-', '--json'], { input: JSON.stringify({ spec: { nLayer: 1 } }) });
    const planned = planMemory(await planModel({ spec: { nLayer: 1 }, data: { kind: 'markov' } }));
    expect(JSON.parse(out)).toEqual(planned);
  });

  it('refuses a spec that makes no sense', async () => {
    const { code, err } = await call(['plan', 'pre-ln', '--set', 'nHead=3']);
    expect({ code, said: /nHead 3 does not divide dModel 32/.test(err) }).toEqual({ code: 1, said: true });
  });
});
