// The norm kernels against the reports and against plain loops in double; runs in Node and in browsers.
import { beforeAll, describe, expect, test } from 'vitest';
import { compare, complaints, denseX, reportCasesOf, type Tolerance } from '../cases/expand.js';
import { normBackward, normForward, type NormKind } from '../cases/reference-norms.js';
import { noise, runNorm } from './norm-run.js';
import { testDevice, uncapturedErrors } from './test-device.js';

const kinds: NormKind[] = ['layernorm', 'rmsnorm'];

/** 2e-5 of the largest value. */
function parityTolerance(right: readonly number[]): Tolerance {
  return { abs: 2e-5 * Math.max(...right.map(Math.abs), 1e-30), rel: 0 };
}

export function describeNorms(gpu?: () => GPU): void {
  let device: GPUDevice;
  let uncaptured: string[];
  beforeAll(async () => {
    device = await testDevice(gpu?.());
    uncaptured = uncapturedErrors(device);
  });

  describe.each(kinds)('%s kernels', (kind) => {
    test.each(reportCasesOf(`${kind}_forward`, `${kind}_backward`).map((entry) => [entry.id, entry] as const))(
      'hold the reported case %s',
      async (_, entry) => {
        const { rows, d, eps } = entry.params as Record<string, number>;
        const { gamma, beta, dy } = entry.inputs;
        const outputs = await runNorm(
          device,
          kind,
          { rows: rows!, d: d!, eps: eps! },
          { x: denseX(entry), gamma, beta, dy },
        );
        expect(complaints(entry, outputs, entry.tolerance.gpu)).toEqual([]);
      },
    );

    const widths = [1, 2, 3, 4, 5, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129, 257, 1000, 2049];
    test.each(widths)('equal the loops in double forward and backward at width %i', async (d) => {
      expect(await compareWithLoops(device, kind, 5, d)).toEqual([]);
    });

    test('keep several models apart', async () => {
      const [rows, d, nModel, eps] = [3, 37, 4, 1e-5];
      const whole = arrays(rows, d, nModel);
      const got = await runNorm(device, kind, { rows, d, eps, nModel }, whole);
      for (let model = 0; model < nModel; model += 1) {
        const one = mapArrays(whole, (values) => slice(values, model, nModel));
        const alone = await runNorm(device, kind, { rows, d, eps }, one);
        for (const [name, values] of Object.entries(alone)) expect(slice(got[name]!, model, nModel)).toEqual(values);
      }
    });

    test('add to their outputs where the planner says so', async () => {
      const [rows, d, eps] = [4, 19, 1e-5];
      const base = arrays(rows, d, 1);
      const held = {
        y: noise(rows * d, 11),
        dx: noise(rows * d, 12),
        dgamma: noise(d, 13),
        ...(kind === 'layernorm' && { dbeta: noise(d, 14) }),
      };
      const fresh = await runNorm(device, kind, { rows, d, eps }, base);
      const added = await runNorm(device, kind, { rows, d, eps, accumulate: 3 }, { ...base, ...held });
      for (const [name, start] of Object.entries(held)) {
        const sum = Array.from(start, (value, i) => value + fresh[name]![i]!);
        expect(compare(name, added[name]!, sum, parityTolerance(sum))).toEqual([]);
      }
    });

    test('give the same bits in every run', async () => {
      const [rows, d, eps] = [70, 33, 1e-5];
      const first = await runNorm(device, kind, { rows, d, eps }, arrays(rows, d, 1));
      expect(await runNorm(device, kind, { rows, d, eps }, arrays(rows, d, 1))).toEqual(first);
    });

    test.each([0x7fc00000, 0x7fffffff, 0xffc00001, 0x7f800000, 0xff800000])(
      'let the bit pattern %i spoil its own row only',
      async (bits) => {
        const [rows, d, eps] = [3, 6, 1e-5];
        const base = arrays(rows, d, 1);
        const clean = await runNorm(device, kind, { rows, d, eps }, base);
        const spoiled = Float32Array.from(base.x);
        new Uint32Array(spoiled.buffer)[d + 2] = bits;
        const got = await runNorm(device, kind, { rows, d, eps }, { ...base, x: spoiled });
        for (const name of ['y', 'dx'] as const) {
          expect(got[name]!.slice(d, 2 * d).some(Number.isFinite)).toBe(false);
          for (const row of [0, 2])
            expect(got[name]!.slice(row * d, row * d + d)).toEqual(clean[name]!.slice(row * d, row * d + d));
        }
        expect(got.dgamma!.some(Number.isNaN)).toBe(true);
      },
    );

    test('carry a NaN of the arriving gradient into its row', async () => {
      const [rows, d, eps] = [2, 5, 1e-5];
      const base = arrays(rows, d, 1);
      base.dy[1] = NaN;
      const { dx } = await runNorm(device, kind, { rows, d, eps }, base);
      expect([...dx!].map(Number.isFinite)).toEqual([...new Array(d).fill(false), ...new Array(d).fill(true)]);
    });

    test.each([2 ** 49, 2 ** 50, 1e20, 1e30, 8e37])(
      'hold rows of values near %d, with a small and a large eps',
      async (scale) => {
        for (const eps of [1e-12, 0.5]) {
          const [rows, d] = [2, 9];
          const base = arrays(rows, d, 1);
          const x = base.x.map((value) => value * scale);
          const got = await runNorm(device, kind, { rows, d, eps }, { ...base, x });
          const right = normForward(kind, { ...base, x, d, eps });
          expect(compare('y', got.y!, right.y, parityTolerance(right.y))).toEqual([]);
          expect(compare('rstd', got.rstd!, right.rstd, { abs: 1e-38, rel: 2e-5 })).toEqual([]);
        }
      },
    );

    test('answer a zero variance with eps 0 by NaN, never by numbers', async () => {
      const x = kind === 'layernorm' ? [3, 3, 3] : [0, 0, 0];
      const { y } = await runNorm(device, kind, { rows: 1, d: 3, eps: 0 }, { x });
      expect([...y!]).toEqual([NaN, NaN, NaN]);
    });
  });

  test('LayerNorm equals the loops in double at every width from 1 to 300', async () => {
    for (let d = 1; d <= 300; d += 1) expect([d, ...(await compareWithLoops(device, 'layernorm', 3, d))]).toEqual([d]);
  }, 120_000);

  test('LayerNorm of a constant row is exactly beta', async () => {
    for (const value of [1234.5677, 33333334, -1e-30, 3e38, 0.1]) {
      const d = 67;
      const beta = noise(d, 5);
      const { y } = await runNorm(
        device,
        'layernorm',
        { rows: 1, d, eps: 1e-5 },
        { x: new Array(d).fill(value), beta },
      );
      expect([...y!]).toEqual([...beta]);
    }
  });

  test.each([4, 67])('LayerNorm passes the same gradient through a constant row of any size (width %i)', async (d) => {
    const dy = noise(d, 6);
    const eps = 1e-5;
    const right = normBackward('layernorm', { x: new Float32Array(d), dy, d, eps }).dx;
    for (const value of [7, 1e30, 3e38]) {
      const x = new Array<number>(d).fill(value);
      const { dx, rstd } = await runNorm(device, 'layernorm', { rows: 1, d, eps }, { x, dy });
      expect(compare('dx', dx!, right, parityTolerance(right))).toEqual([]);
      expect(rstd![0]).toBeCloseTo(1 / Math.sqrt(Math.fround(eps)), 2);
    }
  });

  test('the sum over 128 rows used by the gradients of gamma and beta is exact', async () => {
    const rows = 128;
    const dy = Float32Array.from({ length: rows }, (_, r) => r + 1);
    const { dbeta } = await runNorm(device, 'layernorm', { rows, d: 1, eps: 1e-5 }, { x: noise(rows, 3), dy });
    expect([...dbeta!]).toEqual([8256]);
  });

  test('no message escaped the error scopes', () => expect(uncaptured).toEqual([]));
}

function arrays(rows: number, d: number, nModel: number) {
  return {
    x: noise(nModel * rows * d, d).map((value) => 3 * value + 0.5),
    gamma: noise(nModel * d, d + 1).map((value) => 1 + 0.5 * value),
    beta: noise(nModel * d, d + 2),
    dy: noise(nModel * rows * d, d + 3),
  };
}
type NormArrays = ReturnType<typeof arrays>;

function mapArrays(whole: NormArrays, change: (values: Float32Array) => Float32Array): NormArrays {
  return Object.fromEntries(
    Object.entries(whole).map(([name, values]) => [name, change(values as Float32Array)]),
  ) as NormArrays;
}

function slice(values: Float32Array, model: number, nModel: number): Float32Array {
  const size = values.length / nModel;
  return values.slice(model * size, (model + 1) * size);
}

/** Complaints about y, dx, dgamma and dbeta. */
async function compareWithLoops(device: GPUDevice, kind: NormKind, rows: number, d: number): Promise<string[]> {
  const eps = 1e-5;
  const input = arrays(rows, d, 1);
  const got = await runNorm(device, kind, { rows, d, eps }, input);
  const { y } = normForward(kind, { ...input, d, eps });
  const { dx, dgamma, dbeta } = normBackward(kind, { ...input, d, eps });
  const right: Record<string, number[]> = { y, dgamma, ...(kind === 'layernorm' && { dbeta }) };
  // At width 1 and 2 dx is a difference of equal terms: it is compared on the scale of the terms.
  const scale = Math.max(...input.dy.map(Math.abs)) * Math.max(...got.rstd!);
  return [
    ...Object.entries(right).flatMap(([name, values]) => compare(name, got[name]!, values, parityTolerance(values))),
    ...compare('dx', got.dx!, dx, { abs: 2e-5 * scale, rel: 0 }),
  ];
}
