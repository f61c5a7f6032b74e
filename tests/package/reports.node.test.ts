import { runOp } from 'normscope/testing';
import { describe, expect, it } from 'vitest';
import { reportCase } from '../cases/expand.js';
import { reportCases, runReport } from '../cases/run-reports.js';

describe('faults that others reported do not occur on WASM', () => {
  it('knows all ops of the numeric cases', () => expect(reportCases.length).toBe(89));

  for (const report of reportCases) {
    it(`${report.id}: ${report.op}`, async () => {
      expect(await runReport(report)).toEqual([]);
    });
  }
});

describe('rules that a case states in words', () => {
  it('a lone token attends to itself: gradients of q and k are 0, of v the arriving one', async () => {
    const { params, inputs } = reportCase('O-B05a');
    const arriving = [0.5, -2, 3];
    const { dq, dk, dv } = await runOp({ op: 'attention_forward', params, inputs: { ...inputs, do: arriving } });
    expect([dq, dk].map((gradient) => Array.from(gradient as Float32Array, Math.abs))).toEqual([
      [0, 0, 0],
      [0, 0, 0],
    ]);
    expect(Array.from(dv as Float32Array)).toEqual(arriving);
  });

  it('a row that may see no key passes no gradient', async () => {
    const { params, inputs } = reportCase('O-B02a');
    const { dq } = await runOp({ op: 'attention_forward', params, inputs: { ...inputs, do: [1, 2, 3, 4] } });
    expect(Array.from((dq as Float32Array).subarray(2), Math.abs)).toEqual([0, 0]);
  });

  it('a masked NaN leaves the other rows exact', async () => {
    const { params, inputs } = reportCase('O-B03a');
    const { o } = await runOp({ op: 'attention_forward', params, inputs });
    expect(Array.from((o as Float32Array).subarray(0, 2))).toEqual([2, 3]);
  });

  it('gelu stays between 0 and x, tanh within 1', async () => {
    const x = Float32Array.from({ length: 4001 }, (_, i) => (i - 2000) / 50);
    for (const op of ['gelu_tanh', 'gelu_erf']) {
      const { y } = (await runOp({ op, inputs: { x } })) as { y: Float32Array };
      expect(y.findIndex((value, i) => value < Math.min(0, x[i]!) || value > Math.max(0, x[i]!))).toBe(-1);
    }
    const { y } = (await runOp({ op: 'tanh', inputs: { x } })) as { y: Float32Array };
    expect(y.findIndex((value) => Math.abs(value) > 1)).toBe(-1);
  });

  it('a dispatch covers every group exactly once within the limits', async () => {
    const groups = [1, 65535, 65536, 16777217];
    const { dispatches } = (await runOp({
      op: 'dispatch_plan',
      params: { max_per_dimension: 65535 },
      inputs: { groups },
    })) as { dispatches: number[][] };
    dispatches.forEach(([x, y, z], i) => {
      expect(Math.max(x!, y!, z!)).toBeLessThanOrEqual(65535);
      expect(x! * y! * z!).toBeGreaterThanOrEqual(groups[i]!);
    });
  });

  it('accumulated gradients are not carried from call to call, whatever came before', async () => {
    const request = {
      op: 'two_steps',
      params: { op: 'layernorm_backward', d: 4, calls: 3, eps: 1e-5 },
      inputs: { x: [1, 2, 4, 9], dy: [2, 0, 0, 0] },
    };
    const { dbeta_after_second_call: dbeta } = await runOp(request);
    expect(Array.from(dbeta as Float32Array)).toEqual([2, 0, 0, 0]);
  });

  it('an unknown op is refused with the nearest and all known names', async () => {
    await expect(runOp({ op: 'layernorm_foward' })).rejects.toMatchObject({
      code: 'unknown-op',
      message: expect.stringMatching(/did you mean 'layernorm_forward'.*adamw/),
    });
    await expect(runOp({ op: 'mt19937_raw' })).rejects.toMatchObject({ code: 'unknown-op' });
  });
});
