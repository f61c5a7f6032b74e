// The WebGPU executor as a replayer of plans: limits, concurrency, memory, refusals; runs in Node and in browsers.
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { PARTS, PRELUDE } from '../../build/generated/kernels.js';
import { createGpuExecutor, missingKernels } from '../../wasm/runtime/gpu-executor.js';
import { gpuMemory } from '../../wasm/runtime/gpu-memory.js';
import { compileShader, operandLayout } from '../../wasm/runtime/gpu-pipelines.js';
import { chooseShader, shaderText } from '../../wasm/runtime/gpu-shaders.js';
import type { DispatchInfo } from '../../wasm/runtime/types.js';
import { compare } from '../cases/expand.js';
import { normForward } from '../cases/reference-norms.js';
import { everyShader } from './every-shader.js';
import { noise, readAll, runNorm, tensorOf, writeAll } from './norm-run.js';
import { normPlan, PlanSketch } from './plan-sketch.js';
import { testDevice, uncapturedErrors, withDimensionLimit } from './test-device.js';

const eps = 1e-5;
const gpuTolerance = { abs: 2e-5, rel: 2e-5 };

export function describeExecutor(gpu: () => GPU): void {
  let device: GPUDevice;
  let uncaptured: string[];
  let before: ReturnType<typeof gpuMemory>;
  beforeAll(async () => {
    device = await testDevice(gpu());
    uncaptured = uncapturedErrors(device);
  });
  beforeEach(() => void (before = gpuMemory()));
  afterEach(() => {
    expect(uncaptured).toEqual([]);
    expect(gpuMemory()).toEqual(before);
  });

  describe('the WebGPU executor', () => {
    test('runs a part of the rows as a plan of its own, with aligned bindings', async () => {
      const [rows, d] = [7, 5];
      const [x, dy] = [noise(rows * d, 1), noise(rows * d, 2)];
      const offsets = await bindingOffsets(device, async () => {
        const whole = await runNorm(device, 'layernorm', { rows, d, eps }, { x, dy });
        const part = await runNorm(
          device,
          'layernorm',
          { rows: 4, d, eps },
          { x: x.subarray(3 * d), dy: dy.subarray(3 * d) },
        );
        expect(part.y).toEqual(whole.y!.slice(3 * d));
        expect(part.dx).toEqual(whole.dx!.slice(3 * d));
      });
      expect(offsets.length).toBeGreaterThan(10);
      expect(offsets.filter((offset) => offset % device.limits.minStorageBufferOffsetAlignment !== 0)).toEqual([]);
    });

    test('keeps eight forward calls of different widths apart', async () => {
      const widths = [3, 4, 5, 6, 7, 8, 9, 10];
      const results = await Promise.all(
        widths.map((d) => runNorm(device, 'layernorm', { rows: 2, d, eps }, { x: noise(2 * d, d) })),
      );
      widths.forEach((d, i) => {
        const right = normForward('layernorm', { x: noise(2 * d, d), d, eps });
        expect(compare('y', results[i]!.y!, right.y, gpuTolerance)).toEqual([]);
      });
    });

    test('gives eight reads under way at once what was there when each was asked for', async () => {
      const plan = normPlan('rmsnorm', { rows: 1, d: 4, eps });
      const executor = await createGpuExecutor({ plan, device });
      const x = tensorOf(plan, 'x');
      const reads = Array.from({ length: 8 }, (_, i) => {
        executor.write(x, new Float32Array(4).fill(i));
        return executor.read(x);
      });
      expect((await Promise.all(reads)).map((values) => values[3])).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
      executor.free();
    });

    test('holds the same memory after 1000 forward calls as after 10', async () => {
      const plan = normPlan('layernorm', { rows: 8, d: 64, eps });
      const executor = await createGpuExecutor({ plan, device, phases: ['forward'] });
      const call = async () => {
        await executor.write(tensorOf(plan, 'x'), noise(8 * 64, 1));
        await executor.run(['forward']);
        await executor.read(tensorOf(plan, 'y'));
      };
      for (let i = 0; i < 10; i += 1) await call();
      const early = gpuMemory();
      for (let i = 10; i < 1000; i += 1) await call();
      expect(gpuMemory()).toEqual(early);
      executor.free();
    }, 120_000);

    test('clears the gradients of an empty batch and dispatches nothing', async () => {
      const plan = normPlan('layernorm', { rows: 0, d: 8, eps });
      const executor = await createGpuExecutor({ plan, device });
      await writeAll(executor, plan, { dgamma: noise(8, 1), dbeta: noise(8, 2) });
      await executor.run(['forward', 'backward']);
      const { y, dx, dgamma, dbeta } = await readAll(executor, plan, ['y', 'dx', 'dgamma', 'dbeta']);
      expect([y!.length, dx!.length]).toEqual([0, 0]);
      expect([...dgamma!, ...dbeta!]).toEqual(new Array(16).fill(0));
      executor.free();
    });

    test('leaves gradients alone to which an empty batch would only add', async () => {
      const plan = normPlan('layernorm', { rows: 0, d: 8, eps, accumulate: 2 });
      const executor = await createGpuExecutor({ plan, device });
      await writeAll(executor, plan, { dgamma: noise(8, 1), dbeta: noise(8, 2) });
      await executor.run(['backward']);
      const { dgamma, dbeta } = await readAll(executor, plan, ['dgamma', 'dbeta']);
      expect([...dgamma!]).toEqual(new Array(8).fill(0));
      expect(dbeta).toEqual(noise(8, 2));
      executor.free();
    });

    test('spreads more groups than one dimension holds over two, and the spare groups write nothing', async () => {
      for (const [rows, d] of [
        [100, 33],
        [64 * 100 - 5, 2],
      ] as const) {
        const x = noise(rows * d, 1);
        const dy = noise(rows * d, 2);
        const plain = await runNorm(device, 'layernorm', { rows, d, eps }, { x, dy });
        const spread = await withDimensionLimit(device, 13, () =>
          runNorm(device, 'layernorm', { rows, d, eps }, { x, dy }),
        );
        expect(spread).toEqual(plain);
      }
    });

    test('names kernels that have no WGSL', async () => {
      const plan = new PlanSketch()
        .tensor('x', [4])
        .tensor('y', [4])
        .dispatch('forward', 'softmax_forward', ['x', 'y'], { n_row: 1, n_col: 4, accumulate: 0 }, 1, 4).plan;
      plan.phases.forward[0]!.kernel = 'no_such_kernel';
      expect(missingKernels(plan, ['forward'])).toEqual(['no_such_kernel']);
      expect(missingKernels(plan, ['backward'])).toEqual([]);
      await expect(createGpuExecutor({ plan, device })).rejects.toMatchObject({
        code: 'missing-kernels',
        message: expect.stringContaining('no_such_kernel'),
      });
    });

    test('refuses to work in place, by name and before WebGPU does', async () => {
      const plan = normPlan('layernorm', { rows: 2, d: 4, eps });
      plan.phases.forward[0]!.operands[3] = plan.phases.forward[0]!.operands[0]!;
      await expect(createGpuExecutor({ plan, device })).rejects.toMatchObject({
        code: 'gpu-refused',
        message: expect.stringMatching(/layernorm_forward: x and y share memory/),
      });
    });

    test('puts the name of the kernel into what WebGPU refuses', async () => {
      const shader = {
        name: 'broken',
        kernel: 'broken',
        source: '@compute @workgroup_size(1) fn broken() { nonsense(); }',
      };
      await expect(compileShader(device, shader, operandLayout(device, 1))).rejects.toMatchObject({
        code: 'gpu-refused',
        message: expect.stringContaining('broken'),
      });
    });

    test('refuses a tensor that exceeds the device, with need and limit, and allocates nothing', async () => {
      const plan = normPlan('layernorm', { rows: 2 ** 20, d: 2 ** 12, eps });
      await expect(createGpuExecutor({ plan, device })).rejects.toMatchObject({
        code: 'too-large',
        message: expect.stringMatching(/tensor x needs 17179869184 bytes/),
      });
    });

    test('refuses arrays of the wrong length and tensors of another plan', async () => {
      const plan = normPlan('layernorm', { rows: 2, d: 4, eps });
      const executor = await createGpuExecutor({ plan, device, phases: ['forward'] });
      const x = tensorOf(plan, 'x');
      expect(() => executor.write(x, new Float32Array(7))).toThrow(/tensor x holds 8 floats; the array has 7/);
      expect(() => executor.write({ ...x, name: 'other' }, new Float32Array(8))).toThrow(/no tensor other/);
      expect(() => executor.run(['backward'])).toThrow(/backward was not prepared/);
      executor.free();
    });

    test('refuses every call after free(), and reads under way at free()', async () => {
      const plan = normPlan('layernorm', { rows: 2, d: 4, eps });
      const executor = await createGpuExecutor({ plan, device });
      const underWay = executor.read(tensorOf(plan, 'y'));
      executor.free();
      executor.free();
      await expect(underWay).rejects.toMatchObject({ code: 'freed' });
      expect(() => executor.run(['forward'])).toThrow(/freed/);
      await expect(executor.read(tensorOf(plan, 'y'))).rejects.toMatchObject({ code: 'freed' });
    });

    test('prepares a dispatch once that occurs in two phases, and runs phases in the given order', async () => {
      const plan = normPlan('layernorm', { rows: 2, d: 4, eps, accumulate: 1 });
      plan.phases.evaluate = structuredClone(plan.phases.forward) as DispatchInfo[];
      const executor = await createGpuExecutor({ plan, device, phases: ['forward', 'evaluate'] });
      await writeAll(executor, plan, { x: [1, 2, 4, 9, 0, 0, 1, 1], gamma: [1, 1, 1, 1] });
      await executor.run(['forward', 'evaluate']);
      const { y } = await readAll(executor, plan, ['y']);
      const right = normForward('layernorm', { x: [1, 2, 4, 9, 0, 0, 1, 1], d: 4, eps }).y.map((value) => 2 * value);
      expect(compare('y', y!, right, gpuTolerance)).toEqual([]);
      executor.free();
    });
  });

  describe('the shaders', () => {
    test('are accepted without a message by a device that was asked for nothing beyond the defaults', async () => {
      const adapter = await gpu().requestAdapter();
      const plain = await adapter!.requestDevice();
      expect(await complaints(plain, false)).toEqual([]);
      plain.destroy();
    }, 120_000);

    test('are accepted without a message by a device with subgroups', async () => {
      expect(device.features.has('subgroups' as GPUFeatureName)).toBe(true);
      expect(await complaints(device, true)).toEqual([]);
    }, 120_000);

    test('sum 1 … 128 over their lanes to 8256 exactly, for every workgroup size in use', async () => {
      for (const [lanes, kept] of [
        [64, 1],
        [256, 1],
        [256, 16],
      ] as const)
        expect([lanes, kept, await sumOverLanes(device, lanes, kept)]).toEqual([lanes, kept, 8256]);
    });

    test('are chosen by what the dispatch asks for', () => {
      const chosen = (cols: number) => {
        const plan = normPlan('layernorm', { rows: 2, d: cols, eps });
        return chooseShader(plan.phases.forward[0]!, { software: false, subgroups: false }).name;
      };
      expect(chosen(31)).toBe('layernorm_forward.narrow');
      expect(chosen(32)).toBe('layernorm_forward.narrow_vec4');
      expect(chosen(33)).toBe('layernorm_forward.row#0');
    });
  });
}

/** What the WGSL compiler says about the shaders for devices with subgroups or without. */
async function complaints(device: GPUDevice, subgroups: boolean): Promise<string[]> {
  const listed = everyShader().filter(({ traits }) => traits.subgroups === subgroups);
  const messages = listed.map(async ({ name, run, traits }) => {
    const module = device.createShaderModule({ code: shaderText(run, traits) });
    return (await module.getCompilationInfo()).messages.map(({ message }) => `${name}: ${message}`);
  });
  return (await Promise.all(messages)).flat();
}

/** Offsets of all bindings that are made while `work` runs. */
async function bindingOffsets(device: GPUDevice, work: () => Promise<void>): Promise<number[]> {
  const offsets: number[] = [];
  const original = device.createBindGroup;
  device.createBindGroup = function (descriptor) {
    for (const { resource } of descriptor.entries) offsets.push((resource as GPUBufferBinding).offset ?? 0);
    return original.call(device, descriptor);
  };
  try {
    await work();
  } finally {
    device.createBindGroup = original;
  }
  return offsets;
}

/** The prelude's sum with 1 … 128 spread over the lanes. */
async function sumOverLanes(device: GPUDevice, lanes: number, kept: number): Promise<number> {
  const source = `${PRELUDE}${PARTS['lanes.workgroup']}
    @group(0) @binding(1) var<storage, read_write> result: array<f32>;
    @compute @workgroup_size(${lanes})
    fn sum_test(@builtin(local_invocation_index) lane: u32) {
      var share = 0.0;
      for (var i = lane; i < 128u; i += ${lanes}u) { share += f32(i + 1u); }
      result[lane] = sum_lanes(lane, vec2f(share, 0.0), ${lanes}u, ${kept}u).x;
    }`;
  const layout = operandLayout(device, 1);
  const pipeline = await compileShader(device, { name: 'sum_test', kernel: 'sum_test', source }, layout);
  const uniform = device.createBuffer({ size: 256, usage: 0x40 });
  const result = device.createBuffer({ size: 1024, usage: 0x80 | 0x4 });
  const staging = device.createBuffer({ size: 1024, usage: 0x1 | 0x8 });
  const bindings = device.createBindGroup({
    layout,
    entries: [uniform, result].map((buffer, binding) => ({ binding, resource: { buffer } })),
  });
  const encoder = device.createCommandEncoder();
  const pass = encoder.beginComputePass();
  pass.setPipeline(pipeline);
  pass.setBindGroup(0, bindings);
  pass.dispatchWorkgroups(1);
  pass.end();
  encoder.copyBufferToBuffer(result, 0, staging, 0, 1024);
  device.queue.submit([encoder.finish()]);
  await staging.mapAsync(1);
  const sums = new Float32Array(staging.getMappedRange().slice(0));
  [uniform, result, staging].forEach((buffer) => buffer.destroy());
  return sums.slice(0, kept).reduce((a, b) => a + b, 0);
}
