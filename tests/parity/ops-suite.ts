// The public way to the GPU: the core plans the op, WebGPU runs it. Against the reports, and against WASM.
import { beforeAll, describe, expect, test } from 'vitest';
import { layerNorm, load, rmsNorm } from 'normscope';
import { OP_NAMES, runOp, type OpRequest } from 'normscope/testing';
import { RULE_OPS } from '../../wasm/runtime/testing-rules.js';
import { compare } from '../cases/expand.js';
import { noise, randomRequests } from '../cases/random-requests.js';
import { reportCases, runReport } from '../cases/run-reports.js';

/** Every op that is computed by kernels. */
const ops = OP_NAMES.filter((op) => !(op in RULE_OPS));

/** Same bits on both devices: no arithmetic that a compiler may arrange in another way. */
const EXACT = ['round_format', 'dropout', 'relu', 'relu_backward'];

export function describeOps(): void {
  // The first load finds the adapter, so that a missing one fails here by name.
  beforeAll(async () => {
    const { device, adapter } = await load({ device: 'webgpu' });
    if (device !== 'webgpu') throw new Error('these tests need a WebGPU adapter');
    console.log(`normscope runs on ${adapter}`);
  });

  test.each(reportCases.filter(({ op }) => ops.includes(op)).map((report) => [report.id, report.op, report] as const))(
    'the reported case %s holds for %s on WebGPU',
    async (_, __, report) => expect(await runReport(report, 'webgpu')).toEqual([]),
  );

  test('every op has requests below', () => expect(Object.keys(randomRequests).sort()).toEqual([...ops].sort()));

  test.each(ops)('%s equals WASM on arbitrary numbers', async (op) => {
    for (const request of randomRequests[op] ?? []) {
      const { got, right } = await onBoth({ op, ...request });
      const what = `${op} ${JSON.stringify(request.params ?? {})}`;
      expect(complaints(got, right, EXACT.includes(op) ? 0 : 2e-5).map((text) => `${what}: ${text}`)).toEqual([]);
    }
  });

  test.each(ops.filter((op) => !NO_NUMBERS.includes(op)))(
    '%s is finite where WASM is when an input holds NaN or an infinity',
    async (op) => {
      for (const strange of [NaN, Infinity, -Infinity]) {
        const request = withStrangeNumber(randomRequests[op]![0]!, strange);
        const { got, right } = await onBoth({ op, ...request });
        const finite = (values: Float32Array): boolean[] => Array.from(values, Number.isFinite);
        for (const [name, values] of Object.entries(right))
          expect({ strange, name, finite: finite(got[name]!) }).toEqual({ strange, name, finite: finite(values) });
      }
    },
  );

  describe.each(['layernorm', 'rmsnorm'] as const)('%s on WebGPU', (kind) => {
    test.each([1, 2, 31, 33, 64, 257])('equals WASM within 2e-5 at width %i', async (d) => {
      const rows = 4;
      const given = { x: noise(rows * d, d), gamma: noise(d, 2) };
      const beta = kind === 'layernorm' && { beta: noise(d, 3) };
      const params = { rows, d, eps: 1e-5 };
      const forward = await onBoth({ op: `${kind}_forward`, params, inputs: { ...given, ...beta } });
      expect(complaints(forward.got, forward.right, 2e-5)).toEqual([]);
      const inputs = { ...given, dy: noise(rows * d, 4) };
      const { got, right } = await onBoth({ op: `${kind}_backward`, params, inputs });
      // At width 1 and 2 dx is a difference of equal terms: it is compared on the scale of the terms.
      const { dx, ...sums } = right;
      const scale = d <= 2 ? 400 : largest(dx!);
      expect(compare('dx', got.dx!, dx!, { abs: 2e-5 * scale, rel: 2e-5 })).toEqual([]);
      expect(complaints(got, sums, 2e-5)).toEqual([]);
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
}

type Outputs = Record<string, Float32Array>;

/** The op's outputs from both devices, numbers as lists of one. */
async function onBoth(request: OpRequest): Promise<{ got: Outputs; right: Outputs }> {
  const [got, right] = await Promise.all((['webgpu', 'wasm'] as const).map((device) => runOp({ ...request, device })));
  return { got: numeric(got!), right: numeric(right!) };
}

function numeric(outputs: Record<string, unknown>): Outputs {
  const entries = Object.entries(outputs).filter(([, value]) => ArrayBuffer.isView(value) || typeof value === 'number');
  return Object.fromEntries(
    entries.map(([name, value]) => [
      name,
      typeof value === 'number' ? Float32Array.of(value) : (value as Float32Array),
    ]),
  );
}

/** Differences beyond `share` of each number and of the tensor's largest one. */
const complaints = (got: Outputs, right: Outputs, share: number): string[] =>
  Object.entries(right).flatMap(([name, values]) =>
    compare(name, got[name]!, values, { abs: share * largest(values), rel: share }),
  );

const largest = (values: Float32Array): number =>
  values.reduce((most, value) => (Number.isFinite(value) ? Math.max(most, Math.abs(value)) : most), 0);

/** Ops whose inputs are classes, or whose own case is about such numbers. */
const NO_NUMBERS = ['train_step_guard', 'two_steps', 'adamw_groups'];

/** The second number of the first input that holds numbers of any size. */
function withStrangeNumber({ params, inputs }: Omit<OpRequest, 'op'>, strange: number): Omit<OpRequest, 'op'> {
  const name = Object.keys(inputs!).find((key) => !['tokens', 'labels', 'p', 'v'].includes(key))!;
  const values = Float32Array.from(inputs![name] as Float32Array);
  values[Math.min(1, values.length - 1)] = strange;
  return { ...(params && { params }), inputs: { ...inputs, [name]: values } };
}
