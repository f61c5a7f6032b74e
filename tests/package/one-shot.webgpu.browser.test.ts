import { layerNorm, layerNormBackward, load, rmsNorm, rmsNormBackward } from 'normscope';
import { describe, expect, it, vi } from 'vitest';
import { gpuMemory } from '../../wasm/runtime/gpu-memory.js';
import { reportCase } from '../cases/expand.js';
import { reportCases, runReport } from '../cases/run-reports.js';

const NORMS = ['layernorm_forward', 'layernorm_backward', 'rmsnorm_forward', 'rmsnorm_backward', 'two_steps'];

describe('the one-shot norms on a real adapter', () => {
  // A13a: a row with NaN need only show one; the parity tests look at it.
  for (const report of reportCases.filter(({ op, id }) => NORMS.includes(op) && id !== 'O-A13a')) {
    it(`${report.id}: ${report.op}`, async () => {
      expect(await runReport(report, 'webgpu')).toEqual([]);
    });
  }

  it('show a NaN in its row and leave the others right', async () => {
    const { y } = await layerNorm({ x: [1, 2, 3, 4, 1, NaN, 3, 4], dModel: 4, device: 'webgpu' });
    expect(y.subarray(0, 4).every(Number.isFinite)).toBe(true);
    expect(y.subarray(4).some(Number.isNaN)).toBe(true);
  });

  it('keep many calls apart that run at once, also of one shape', async () => {
    const widths = [3, 4, 5, 6, 7, 8, 9, 10, 4, 4];
    const requests = widths.map((d, k) => ({
      x: Float32Array.from({ length: 2 * d }, (_, i) => Math.sin(i * (k + 1))),
      dModel: d,
    }));
    const gpu = await Promise.all(requests.map((request) => layerNorm({ ...request, device: 'webgpu' })));
    const cpu = await Promise.all(requests.map((request) => layerNorm({ ...request, device: 'wasm' })));
    gpu.forEach(({ y }, i) => y.forEach((value, j) => expect(Math.abs(value - cpu[i]!.y[j]!)).toBeLessThan(5e-5)));
  });

  it('read the numbers at the time of the call and fill out', async () => {
    const x = Float32Array.of(1, 2, 3, 6);
    const out = new Float32Array(4);
    const pending = rmsNorm({ x, dModel: 4, out, device: 'webgpu' });
    x.fill(0);
    expect((await pending).y).toBe(out);
    expect(out[3]).toBeCloseTo(6 / Math.sqrt(12.5), 4);
  });

  it('keep no more GPU memory after many calls than after a few', async () => {
    const x = new Float32Array(8 * 64).map((_, i) => Math.cos(i));
    for (let i = 0; i < 10; ++i) await layerNorm({ x, dModel: 64, device: 'webgpu' });
    const early = gpuMemory();
    for (let i = 0; i < 200; ++i) await layerNorm({ x, dModel: 64, device: 'webgpu' });
    expect(gpuMemory()).toEqual(early);
  });

  it('give zero gradients for no rows', async () => {
    const { dx, dgamma } = await layerNormBackward({ x: [], dy: [], dModel: 3, device: 'webgpu' });
    expect([dx.length, Array.from(dgamma)]).toEqual([0, [0, 0, 0]]);
  });

  it('become the default once load has found the GPU', async () => {
    const { inputs, params } = reportCase('O-A19a');
    const request = { x: inputs.x!, dy: inputs.dy!, gamma: inputs.gamma!, dModel: Number(params.d) };
    expect(await load({ device: 'webgpu' })).toMatchObject({ device: 'webgpu', adapter: expect.stringMatching(/\w/) });
    const submit = vi.spyOn(GPUQueue.prototype, 'submit');
    await rmsNormBackward(request);
    expect(submit).toHaveBeenCalled();
    expect(await load({ device: 'wasm' })).toMatchObject({ device: 'wasm', adapter: null });
    submit.mockClear();
    await rmsNormBackward(request);
    expect(submit).not.toHaveBeenCalled();
    submit.mockRestore();
  });
});
