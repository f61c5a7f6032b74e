import { load } from 'normscope';
import { describe, expect, it } from 'vitest';
import { reportCases, runReport } from '../cases/run-reports.js';

describe('faults that others reported do not occur in Chromium', () => {
  for (const report of reportCases) {
    it(`${report.id}: ${report.op}`, async () => {
      expect(await runReport(report)).toEqual([]);
    });
  }

  it('computes on one thread, without shared memory', async () => {
    expect(globalThis.crossOriginIsolated).toBe(false);
    expect(await load()).toMatchObject({ device: 'wasm', simd: true });
  });
});
