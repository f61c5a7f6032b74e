// The norm kernels against the reports and against plain loops in double; runs in Node and in browsers.
import { beforeAll, describe, expect, test } from 'vitest';
import { runOp } from 'normscope/testing';
import { SHADERS } from '../../build/generated/kernels.js';
import type { Traits } from '../../wasm/runtime/gpu-shaders.js';
import { compare, complaints, denseX, reportCasesOf, type Tolerance } from '../cases/expand.js';
import { normBackward, normForward, type NormKind } from '../cases/reference-norms.js';
import {
  arraysOf,
  complaintsAbout,
  NORMS,
  runKernels,
  shadersOf,
  slice,
  sliceAll,
  type Norm,
  type NormCase,
} from './norm-kernels.js';
import { noise, runNorm, runTracking } from './norm-run.js';
import { isTried, testDevice, uncapturedErrors } from './test-device.js';

const kinds: NormKind[] = ['layernorm', 'rmsnorm'];

/** The ways that kernels go on different devices; every adapter can be asked to go each of them. */
const WAYS: Record<string, Traits> = {
  'without barriers': { software: true, subgroups: false },
  'through workgroup memory': { software: false, subgroups: false },
  'over subgroups': { software: false, subgroups: true },
};
const ways = Object.entries(WAYS).filter(([, traits]) => isTried(traits));

/** Widths that take every shader of a row, and the first ones beyond each. */
const WIDTHS = [1, 2, 3, 4, 31, 32, 33, 64, 65, 255, 256, 257, 768, 1024, 1025, 4096, 4097];
/** Sums over subgroups are the same text in every kernel: one goes through all widths. Compiling takes most of the time. */
const widthsOf = (norm: Norm, { subgroups }: Traits) => (subgroups && norm !== 'layernorm' ? [33, 64, 1024] : WIDTHS);
const casesOf = (d: number): NormCase[] => [
  { rows: d < 300 ? 5 : 2, d },
  { rows: d < 300 ? 3 : 1, d, nModel: 3, accumulate: true },
];
/** Row counts around those where columns begin to be summed tile by tile. */
const TALL: NormCase[] = [
  { rows: 64, d: 3, nModel: 3, accumulate: true },
  { rows: 65, d: 3, nModel: 3, accumulate: true },
  { rows: 700, d: 4, accumulate: true },
  { rows: 700, d: 67 },
  { rows: 4200, d: 2 },
];

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
  /** Subgroups only where the device has them; a device without them never takes that way. */
  const possible = (traits: Traits): Traits => {
    return { ...traits, subgroups: traits.subgroups && device.features.has('subgroups') };
  };

  test('every shader of a norm is tried below, or in Node', () => {
    const tried = NORMS.flatMap((norm) =>
      Object.values(WAYS).flatMap((traits) =>
        [...widthsOf(norm, traits).flatMap(casesOf), ...TALL].flatMap((shape) => shadersOf(norm, shape, traits)),
      ),
    );
    const elsewhere = ['batchnorm_track', 'batchnorm_evaluate'];
    const all = Object.entries(SHADERS).filter(([kernel]) => /norm_|dyt/.test(kernel) && !elsewhere.includes(kernel));
    expect(all.length).toBeGreaterThanOrEqual(14);
    const names = all
      .filter(([kernel]) => kernel !== 'observe_group_norm')
      .flatMap(([, list]) => list.map(({ name }) => name));
    expect(names.filter((name) => !tried.includes(name))).toEqual([]);
  });

  describe.each(ways)('%s', (_, traits) => {
    describe.each(NORMS)('%s', (norm) => {
      test.each(widthsOf(norm, traits))(
        'equals the loops in double at width %i, for one model and for three that add to their outputs',
        async (d) => {
          for (const shape of casesOf(d))
            expect([shape, ...(await complaintsAbout(device, norm, shape, possible(traits)))]).toEqual([shape]);
        },
        60_000,
      );

      test('gives the same bits in every run, and each model the bits that it has alone', async () => {
        const shape = { rows: 70, d: 36, nModel: 2 };
        const arrays = arraysOf(norm, shape);
        const first = await runKernels(device, norm, shape, arrays, possible(traits));
        expect(await runKernels(device, norm, shape, arrays, possible(traits))).toEqual(first);
        for (const model of [0, 1]) {
          const one = await runKernels(device, norm, { rows: 70, d: 36 }, sliceAll(arrays, model, 2), possible(traits));
          for (const [name, values] of Object.entries(one))
            expect([name, slice(first[name]!, model, 2)]).toEqual([name, values]);
        }
      });
    });

    test.each(NORMS.filter((norm) => !norm.startsWith('residual')))(
      '%s adds up many rows',
      async (norm) => {
        for (const shape of TALL)
          expect([shape, ...(await complaintsAbout(device, norm, shape, possible(traits)))]).toEqual([shape]);
      },
      60_000,
    );

    // Fours in registers, single values in registers, and rows that are read again.
    describe.each([36, 37, 4097])('at width %i', (d) => {
      test.each([1234.5677, 33333334, -1e-30, 3e38, 0.1])('LayerNorm of a row of %d is exactly beta', async (value) => {
        const x = new Array<number>(d).fill(value);
        const beta = noise(d, 5);
        const { y } = await runNorm(device, 'layernorm', { rows: 1, d, eps: 1e-5 }, { x, beta }, possible(traits));
        expect([...y!]).toEqual([...beta]);
      });

      test.each([7, 1e30, 3e38])('LayerNorm passes the same gradient through a row of %d as of 0', async (value) => {
        const dy = noise(d, 6);
        const eps = Math.fround(1e-5);
        const right = normBackward('layernorm', { x: new Float32Array(d), dy, d, eps }).dx;
        const x = new Array<number>(d).fill(value);
        const { dx, rstd } = await runNorm(device, 'layernorm', { rows: 1, d, eps }, { x, dy }, possible(traits));
        expect(compare('dx', dx!, right, parityTolerance(right))).toEqual([]);
        expect(rstd![0]).toBeCloseTo(1 / Math.sqrt(eps), 2);
      });

      test.each(kinds)('%s holds rows of any size, with no eps, a small and a large one', async (kind) => {
        for (const scale of [1e-30, 1e-18, 2 ** -38, 2 ** 49, 2 ** 50, 1e20, 1e30, 8e37])
          for (const eps of [0, 1e-12, 0.5]) expect(await complaintsAboutScale(kind, d, scale, eps)).toEqual([]);
      });

      async function complaintsAboutScale(kind: NormKind, d: number, scale: number, eps: number): Promise<string[]> {
        const x = noise(d, d).map((value) => (3 * value + 0.5) * scale);
        const dy = noise(d, 7);
        const got = await runNorm(device, kind, { rows: 1, d, eps }, { x, dy }, possible(traits));
        const right = normForward(kind, { x, d, eps: Math.fround(eps) });
        const { dx } = normBackward(kind, { x, d, eps: Math.fround(eps), dy });
        return [
          ...compare(`y at ${scale}, eps ${eps}`, got.y!, right.y, parityTolerance(right.y)),
          ...compare(`rstd at ${scale}, eps ${eps}`, got.rstd!, right.rstd, { abs: 1e-38, rel: 2e-5 }),
          ...compare(`dx at ${scale}, eps ${eps}`, got.dx!, dx, { abs: 2e-5 * right.rstd[0]! + 1e-37, rel: 0 }),
        ];
      }

      test('LayerNorm keeps the digits of a small spread around a large mean', async () => {
        for (const mean of [1e4, 1e6]) {
          const x = noise(d, 8).map((value) => Math.sqrt(3) * value + mean);
          const { y } = await runNorm(device, 'layernorm', { rows: 1, d, eps: 1e-5 }, { x }, possible(traits));
          const right = normForward('layernorm', { x, d, eps: 1e-5 }).y;
          expect(compare(`y around ${mean}`, y!, right, { abs: 2e-5, rel: 2e-5 })).toEqual([]);
        }
      });

      test.each(kinds)('%s answers a zero variance with eps 0 by NaN, never by numbers', async (kind) => {
        const x = new Array<number>(d).fill(kind === 'layernorm' ? 3 : 0);
        const { y } = await runNorm(device, kind, { rows: 1, d, eps: 0 }, { x }, possible(traits));
        expect(y!.every(Number.isNaN)).toBe(true);
      });
    });

    describe.each(kinds)('%s', (kind) => {
      // A pattern spoils a row of fours and one of single values.
      test.each([0x7fc00000, 0x7fffffff, 0xffc00001, 0x7f800000, 0xff800000])(
        'lets the bit pattern %i spoil its own row only',
        async (bits) => {
          for (const d of [6, 36, 37]) {
            const [rows, eps] = [3, 1e-5];
            const base = arrays(rows, d);
            const clean = await runNorm(device, kind, { rows, d, eps }, base, possible(traits));
            const spoiled = Float32Array.from(base.x);
            new Uint32Array(spoiled.buffer)[d + 2] = bits;
            const got = await runNorm(device, kind, { rows, d, eps }, { ...base, x: spoiled }, possible(traits));
            for (const name of ['y', 'dx'] as const) {
              expect(got[name]!.slice(d, 2 * d).some(Number.isFinite)).toBe(false);
              for (const row of [0, 2])
                expect(got[name]!.slice(row * d, row * d + d)).toEqual(clean[name]!.slice(row * d, row * d + d));
            }
            expect(got.dgamma!.some(Number.isNaN)).toBe(true);
          }
        },
      );

      test('carries a NaN of the arriving gradient into its row', async () => {
        for (const d of [5, 36, 37]) {
          const base = arrays(2, d);
          base.dy[1] = NaN;
          const { dx } = await runNorm(device, kind, { rows: 2, d, eps: 1e-5 }, base, possible(traits));
          expect([...dx!].map(Number.isFinite)).toEqual([...new Array(d).fill(false), ...new Array(d).fill(true)]);
        }
      });
    });

    test('BatchNorm lets a NaN spoil its column only, over few rows and over many', async () => {
      for (const rows of [9, 100]) {
        const shape = { rows, d: 3 };
        const given = arraysOf('batchnorm', shape);
        given.x![4] = NaN;
        const { y, dx } = await runKernels(device, 'batchnorm', shape, given, possible(traits));
        for (const values of [y!, dx!])
          expect([...values].map(Number.isFinite)).toEqual(Array.from(values, (_, at) => at % 3 !== 1));
      }
    });

    test('BatchNorm holds columns of any size and constant ones, over few rows and over many', async () => {
      for (const rows of [8, 128])
        for (const scale of [1e-30, 1, 1e30, 1e38]) {
          const eps = scale < 1 ? 0 : 1e-5;
          const x = noise(rows * 3, 4).map((value, at) => (at % 3 === 1 ? 0.5 : value) * scale);
          expect(await complaintsAbout(device, 'batchnorm', { rows, d: 3, x, eps }, possible(traits))).toEqual([]);
        }
    });

    test('DyT has reached its limits for large arguments and keeps NaN', async () => {
      const x = Float32Array.of(1e30, -1e30, 3e38, Infinity, -Infinity, 50, NaN, 0);
      const shape = { rows: 2, d: 4, x };
      const gamma = noise(4, 9);
      const given = { ...arraysOf('dyt', shape), alpha: Float32Array.of(2), beta: new Float32Array(4), gamma };
      const { y, dx } = await runKernels(device, 'dyt', shape, given, possible(traits));
      expect([...y!]).toEqual([gamma[0], -gamma[1]!, gamma[2], gamma[3], -gamma[0]!, gamma[1], NaN, 0]);
      expect([...dx!.slice(0, 6)].map(Math.abs)).toEqual([0, 0, 0, 0, 0, 0]);
      expect(dx![6]).toBeNaN();
    });
  });

  describe.each(kinds)('%s kernels', (kind) => {
    test.each(reportCasesOf(`${kind}_forward`, `${kind}_backward`).map((entry) => [entry.id, entry] as const))(
      'hold the reported case %s',
      async (_, entry) => {
        const { rows, d, eps } = entry.params as Record<string, number>;
        const { gamma, beta, dy } = entry.inputs;
        const shape = { rows: rows!, d: d!, eps: eps! };
        const outputs = await runNorm(device, kind, shape, { x: denseX(entry), gamma, beta, dy });
        expect(complaints(entry, outputs, entry.tolerance.gpu)).toEqual([]);
      },
    );
  });

  test('LayerNorm equals the loops in double at every width from 1 to 300', async () => {
    for (let d = 1; d <= 300; d += 1) {
      const bad = await complaintsAbout(device, 'layernorm', { rows: 3, d });
      expect([d, ...bad]).toEqual([d]);
    }
  }, 120_000);

  test('the sum over 128 rows used by the gradients of gamma and beta is exact', async () => {
    const rows = 128;
    const dy = Float32Array.from({ length: rows }, (_, r) => r + 1);
    for (const [, traits] of ways) {
      const shape = { rows, d: 1, eps: 1e-5 };
      const { dbeta } = await runNorm(device, 'layernorm', shape, { x: noise(rows, 3), dy }, possible(traits));
      expect([...dbeta!]).toEqual([8256]);
    }
  });

  describe('the running statistics of BatchNorm', () => {
    const cases = [
      { name: 'of ten rows', rows: 10, scale: 1, finite: true },
      { name: 'of one row, which has no variance', rows: 1, scale: 1, finite: true },
      { name: 'of values whose squares overflow', rows: 4, scale: 1e30, finite: true },
      { name: 'of tiny values', rows: 4, scale: 1e-30, finite: true },
      { name: 'after a step that is not finite', rows: 4, scale: 1, finite: false },
    ];
    test.each(cases)('take the step that they take on the CPU: $name', async ({ rows, scale, finite }) => {
      const d = 67;
      const x = noise(rows * d, 1).map((value) => (value + 0.3) * scale);
      const inputs = { x, running_mean: noise(d, 2), running_var: noise(d, 3).map((value) => value + 1.5) };
      const got = await runTracking(device, { rows, d, eps: 1e-5, momentum: 0.1 }, inputs, finite);
      const params = { rows, d, eps: 1e-5, momentum: 0.1, finite, train: true };
      const right = (await runOp({ op: 'batchnorm_running', params, inputs, device: 'wasm' })) as typeof got;
      for (const name of ['running_mean', 'running_var'] as const)
        expect(compare(name, got[name]!, right[name]!, { abs: 1e-6, rel: 2e-5 })).toEqual([]);
    });

    test.each([3, 4])('stand for those of the batch when a model of width %i is evaluated', async (d) => {
      const rows = 200;
      const inputs = { x: noise(rows * d, 1), gamma: noise(d, 2), beta: noise(d, 3), running_mean: noise(d, 4) };
      const given = { ...inputs, running_var: noise(d, 5).map((value) => value + 1.5) };
      const got = await runTracking(device, { rows, d, eps: 1e-5, momentum: 0.1 }, given, true);
      const params = { rows, d, eps: 1e-5, momentum: 0.1, train: false };
      const { y } = (await runOp({ op: 'batchnorm_running', params, inputs: given, device: 'wasm' })) as typeof got;
      expect(compare('y', got.evaluated!, y!, { abs: 2e-5, rel: 2e-5 })).toEqual([]);
    });
  });

  test('no message escaped the error scopes', () => expect(uncaptured).toEqual([]));
}

function arrays(rows: number, d: number) {
  return {
    x: noise(rows * d, d).map((value) => 3 * value + 0.5),
    gamma: noise(d, d + 1).map((value) => 1 + 0.5 * value),
    beta: noise(d, d + 2),
    dy: noise(rows * d, d + 3),
  };
}
