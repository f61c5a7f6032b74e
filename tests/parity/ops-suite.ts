// The public way to the GPU: the core plans the op, WebGPU runs it. Against the reports, and against WASM.
import { beforeAll, describe, expect, test } from 'vitest';
import { layerNorm, load, rmsNorm } from 'normscope';
import { runOp } from 'normscope/testing';
import { compare } from '../cases/expand.js';
import { reportCases, runReport } from '../cases/run-reports.js';
import { noise } from './norm-run.js';

const kinds = ['layernorm', 'rmsnorm'] as const;
const ops: string[] = kinds.flatMap((kind) => [`${kind}_forward`, `${kind}_backward`]);

export function describeOps(): void {
  // The first load finds the adapter, so that a missing one fails here by name.
  beforeAll(async () => {
    const { device, adapter } = await load({ device: 'webgpu' });
    if (device !== 'webgpu') throw new Error('these tests need a WebGPU adapter');
    console.log(`normscope runs on ${adapter}`);
  });

  test.each(reportCases.filter(({ op }) => ops.includes(op)).map((report) => [report.id, report] as const))(
    'the reported case %s holds on WebGPU',
    async (_, report) => expect(await runReport(report, 'webgpu')).toEqual([]),
  );

  describe.each(kinds)('%s on WebGPU', (kind) => {
    test.each([1, 2, 31, 33, 64, 257])('equals WASM within 2e-5 at width %i', async (d) => {
      const rows = 4;
      const inputs = { x: noise(rows * d, d), gamma: noise(d, 2), ...(kind === 'layernorm' && { beta: noise(d, 3) }) };
      const backward = { x: inputs.x, gamma: inputs.gamma, dy: noise(rows * d, 4) };
      for (const [op, given] of [[`${kind}_forward`, inputs] as const, [`${kind}_backward`, backward] as const]) {
        const [gpu, wasm] = await Promise.all(
          (['webgpu', 'wasm'] as const).map((device) =>
            runOp({ op, params: { rows, d, eps: 1e-5 }, inputs: given, device }),
          ),
        );
        for (const [name, right] of Object.entries(wasm!).filter(([, value]) => ArrayBuffer.isView(value))) {
          const values = right as Float32Array;
          // dx may be a difference of equal terms; it is compared on the scale of the terms.
          const scale = name === 'dx' && d <= 2 ? 400 : Math.max(...values.map(Math.abs));
          expect(
            compare(`${op} ${name}`, gpu![name] as Float32Array, values, { abs: 2e-5 * scale, rel: 2e-5 }),
          ).toEqual([]);
        }
      }
    });
  });

  test('eight calls of the public functions that start at once keep their results apart', async () => {
    const widths = [3, 4, 5, 6, 7, 8, 9, 10];
    const call = (device: 'webgpu' | 'wasm') =>
      widths.map((dModel) => {
        const x = noise(2 * dModel, dModel);
        return dModel % 2 ? layerNorm({ x, dModel, device }) : rmsNorm({ x, dModel, device });
      });
    const [gpu, wasm] = [await Promise.all(call('webgpu')), await Promise.all(call('wasm'))];
    wasm.forEach(({ y }, i) => expect(compare(`y of call ${i}`, gpu[i]!.y, y, { abs: 2e-5, rel: 2e-5 })).toEqual([]));
  });

  test('an op without WGSL says which kernel is missing', async () => {
    const request = { op: 'softmax', params: { rows: 1, n: 2 }, inputs: { z: [1, 2] }, device: 'webgpu' } as const;
    await expect(runOp(request)).rejects.toMatchObject({
      code: 'missing-kernels',
      message: expect.stringContaining('softmax_forward'),
    });
  });
}
