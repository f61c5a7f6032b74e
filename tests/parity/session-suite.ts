// Sessions, blocks and one-shot calls whose memory is the GPU's: the same calls as on WASM, in the same order.
import { beforeAll, describe, expect, test, vi } from 'vitest';
import {
  createSession,
  layerNorm,
  load,
  type ModelSpec,
  PLACEMENTS,
  residualAdd,
  residualAddBackward,
  type Session,
  transformerBlock,
} from 'normscope';
import { startEngine } from '../../wasm/runtime/core.js';
import { gpuMemory } from '../../wasm/runtime/gpu-memory.js';
import { compare } from '../cases/expand.js';
import { noise } from '../cases/random-requests.js';
import { tiny, trainingStep } from './model-pair.js';

const data = { kind: 'markov' } as const;
const small: ModelSpec = { ...tiny, nLayer: 1, nCtx: 4 };

export async function losses(session: Session, steps: number): Promise<number[]> {
  const all: number[] = [];
  for (let step = 0; step < steps; step += 1) {
    await session.nextBatch();
    await session.run({ phases: trainingStep });
    all.push((await session.read({ name: 'loss' }))[0]!);
  }
  return all;
}

const near = (got: ArrayLike<number>, right: ArrayLike<number>, rel = 1e-4): void =>
  expect(compare('numbers', got, right, { abs: rel, rel })).toEqual([]);

export function describeSessions(): void {
  beforeAll(async () => {
    const { device } = await load({ device: 'webgpu' });
    if (device !== 'webgpu') throw new Error('these tests need a WebGPU adapter');
    await load({ device: 'wasm' });
  });

  describe('a session on WebGPU', () => {
    test('starts from the bits that WASM starts from, draws its batches and trains as it does', async () => {
      using gpu = await createSession({ spec: small, data, device: 'webgpu' });
      using wasm = await createSession({ spec: small, data });
      expect([gpu.device, wasm.device]).toEqual(['webgpu', 'wasm']);
      expect(gpu.choice).toMatchObject({ device: 'webgpu', reason: 'asked', adapter: expect.stringMatching(/\w/) });
      expect(await gpu.snapshot()).toEqual(await wasm.snapshot());
      near(await losses(gpu, 5), await losses(wasm, 5));
      await Promise.all([gpu, wasm].map((session) => session.nextBatch({ split: 'held-out' })));
      for (const name of ['tokens', 'targets', 'hyper'])
        expect(await gpu.read({ name })).toEqual(await wasm.read({ name }));
    });

    test('holds no activations in WASM memory', async () => {
      const engine = await startEngine();
      const spec: ModelSpec = { ...small, nBatch: 512, nCtx: 64 };
      const before = engine.memoryBytes;
      using session = await createSession({ spec, data, device: 'webgpu' });
      await session.nextBatch();
      expect(session.plan.nFloat * 4).toBeGreaterThan(50e6);
      expect(engine.memoryBytes - before).toBeLessThan(8e6);
    });

    test('acts in the order of its calls when no promise is waited for', async () => {
      using gpu = await createSession({ spec: small, data, device: 'webgpu' });
      using wasm = await createSession({ spec: small, data });
      const bias = new Float32Array(32).fill(0.25);
      const race = async (session: Session): Promise<Float32Array[]> => {
        const calls = [
          session.nextBatch(),
          session.run({ phases: trainingStep }),
          session.read({ name: 'loss' }),
          session.loadParameters({ parameters: { 'head.bias': bias } }),
          session.nextBatch(),
          session.run({ phases: trainingStep }),
          session.read({ name: 'loss' }),
          session.read({ name: 'head.bias' }),
        ];
        return (await Promise.all(calls)).filter((value) => value !== undefined);
      };
      const [got, right] = [await race(gpu), await race(wasm)];
      right.forEach((values, i) => near(got[i]!, values));
    });

    test('takes arrays as they are when the call is made', async () => {
      using session = await createSession({ spec: small, data, device: 'webgpu' });
      const bias = new Float32Array(32).fill(0.25);
      const calls = [
        session.nextBatch(),
        session.write({ name: 'head.bias', data: bias }),
        session.read({ name: 'head.bias' }),
      ];
      bias.fill(9);
      expect((await Promise.all(calls))[2]).toEqual(new Float32Array(32).fill(0.25));
    });

    test('keeps a seed that was written when a batch is drawn, as WASM does', async () => {
      const seed = Float32Array.of(7, 1);
      for (const device of ['webgpu', 'wasm'] as const) {
        using session = await createSession({ spec: small, data, device });
        await session.write({ name: 'seed', data: seed });
        await session.nextBatch();
        expect(await session.read({ name: 'seed' })).toEqual(seed);
      }
    });

    test('hands its state to a session on WASM and takes one from there', async () => {
      using gpu = await createSession({ spec: small, data, device: 'webgpu' });
      await losses(gpu, 3);
      const snapshot = structuredClone(await gpu.snapshot());
      expect(snapshot.step).toBe(3);
      using wasm = await createSession({ spec: small, data, from: snapshot });
      const right = await losses(wasm, 3);
      near(await losses(gpu, 3), right);
      using again = await createSession({ spec: small, data, device: 'webgpu', from: snapshot });
      near(await losses(again, 3), right);
    });

    test('refuses what a session on WASM refuses, and says so after it was freed', async () => {
      const session = await createSession({ spec: small, data, device: 'webgpu' });
      await expect(session.write({ name: 'tokens', data: [99] })).rejects.toMatchObject({ code: 'bad-size' });
      await expect(session.run({ phases: ['forwards' as never] })).rejects.toMatchObject({ code: 'bad-option' });
      const underWay = session.nextBatch();
      session.free();
      session.free();
      await expect(underWay).rejects.toMatchObject({ code: 'freed' });
      await expect(session.read({ name: 'loss' })).rejects.toMatchObject({ code: 'freed' });
    });

    test('whose start is aborted gives back what it had made', async () => {
      const before = gpuMemory();
      const stop = new AbortController();
      const pending = createSession({ spec: small, data, device: 'webgpu', signal: stop.signal });
      setTimeout(() => stop.abort());
      await expect(pending).rejects.toMatchObject({ code: 'aborted' });
      // The start goes on behind the abort; one that begins later ends later.
      (await createSession({ spec: small, data, device: 'webgpu' })).free();
      await vi.waitFor(() => expect(gpuMemory()).toEqual(before));
    });

    test('is not chosen by itself on a software adapter, without a timing', async () => {
      using session = await createSession({ spec: small, data, device: 'auto' });
      if (session.choice.adapter?.match(/swiftshader/i))
        expect(session.choice).toMatchObject({ device: 'wasm', reason: 'software-adapter' });
      else expect(session.choice).toMatchObject({ reason: 'measured', stepsPerSecond: { wasm: expect.any(Number) } });
    });

    test('leaves no growth of GPU or WASM memory behind when 200 were made and freed', async () => {
      const engine = await startEngine();
      const make = async (): Promise<void> => {
        using session = await createSession({ spec: { ...small, block: 'sublayer' }, data, device: 'webgpu' });
        await session.nextBatch();
        await session.run({ phases: ['forward'] });
        await session.read({ name: 'loss' });
      };
      for (let i = 0; i < 20; i += 1) await make();
      const early = { gpu: gpuMemory(), wasm: engine.memoryBytes };
      for (let i = 20; i < 200; i += 1) await make();
      expect({ gpu: gpuMemory(), wasm: engine.memoryBytes }).toEqual(early);
    }, 120_000);
  });

  describe('calls on WebGPU', () => {
    const x = noise(6 * 8, 1);
    const spec: ModelSpec = { dModel: 8, nHead: 2, nCtx: 3, seed: 5 };

    test.each(['peri-ln', 'hybridnorm'] as const)('a block of %s gives what WASM gives', async (placement) => {
      expect(PLACEMENTS.map(({ name }) => name)).toContain(placement);
      const before = gpuMemory();
      const request = { x, dy: noise(6 * 8, 2), spec: { ...spec, placement } };
      const [gpu, wasm] = [await transformerBlock({ ...request, device: 'webgpu' }), await transformerBlock(request)];
      expect(gpu.parameters).toEqual(wasm.parameters);
      near(gpu.y, wasm.y);
      near(gpu.dx!, wasm.dx!);
      for (const [name, gradient] of Object.entries(wasm.gradients!)) near(gpu.gradients![name]!, gradient);
      expect(gpuMemory()).toEqual(before);
    });

    test('the residual addition and its gradients run there, too', async () => {
      const branch = noise(48, 3);
      const { y } = await residualAdd({ x, branch, dt: 0.5, device: 'webgpu' });
      near(y, (await residualAdd({ x, branch, dt: 0.5 })).y, 1e-6);
      const { dx, dbranch } = await residualAddBackward({ dy: x, dt: 0.5, device: 'webgpu' });
      expect([dx, dbranch]).toEqual([x, x.map((value) => 0.5 * value)]);
    });

    test('load says where calls without a device run', async () => {
      expect(await load({ device: 'webgpu' })).toMatchObject({ device: 'webgpu' });
      const { y } = await layerNorm({ x, dModel: 8 });
      using session = await createSession({ spec: small, data });
      expect(session.device).toBe('webgpu');
      expect(await load({ device: 'wasm' })).toMatchObject({ device: 'wasm', adapter: null });
      near(y, (await layerNorm({ x, dModel: 8 })).y, 2e-5);
      using other = await createSession({ spec: small, data });
      expect(other.device).toBe('wasm');
    });
  });
}
