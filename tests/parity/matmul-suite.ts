// The kernels of products, attention, softmax and embedding against plain loops in double and against WASM, with the
// shaders for software adapters and with those for GPUs; runs in Node and in browsers.
import { beforeAll, describe, expect, test } from 'vitest';
import type { Traits } from '../../wasm/runtime/gpu-shaders.js';
import { compare, type Tolerance } from '../cases/expand.js';
import {
  attentionLoops,
  embeddingLoops,
  linearLoops,
  softmaxGradientLoop,
  softmaxLoop,
  type AttentionShape,
} from '../cases/reference-products.js';
import {
  attentionCalls,
  embeddingCalls,
  linearCalls,
  runKernels,
  runOnBoth,
  shaderOf,
  softmaxCalls,
  type KernelCall,
  type OpOnBoth,
} from './matmul-run.js';
import { noise, type Arrays } from './norm-run.js';
import { isTried, testDevice, uncapturedErrors, withDimensionLimit } from './test-device.js';

const traitsList: [string, Traits][] = [
  ['a software adapter', { software: true, subgroups: false }],
  ['a GPU', { software: false, subgroups: false }],
];

/** [n_row, n_in, n_out] */
const linearShapes: [number, number, number][] = [
  [1, 1, 1],
  [5, 1, 3],
  [1, 3, 2],
  [7, 3, 1],
  [17, 33, 9],
  [16, 16, 16],
  [70, 36, 50],
  [3, 300, 20],
  [31, 20, 131],
];

const attention = (shape: Partial<AttentionShape>): AttentionShape => ({
  ...{ n_batch: 1, n_query: 1, n_key: 1, n_head: 1, d_head: 1, causal: 0, query_offset: 0, has_mask: 0 },
  scale: Math.fround(1 / Math.sqrt(shape.d_head ?? 1)),
  ...shape,
});
const attentionShapes: [string, AttentionShape][] = [
  ['one of everything', attention({})],
  ['causal rows of 3 channels', attention({ n_batch: 2, n_query: 5, n_key: 5, n_head: 2, d_head: 3, causal: 1 })],
  ['more keys than queries', attention({ n_query: 7, n_key: 9, n_head: 3, d_head: 4, causal: 1, query_offset: 2 })],
  ['queries that see nothing', attention({ n_batch: 2, n_query: 6, n_key: 4, d_head: 5, causal: 1, query_offset: -3 })],
  ['a mask', attention({ n_query: 20, n_key: 70, n_head: 2, d_head: 17, has_mask: 1, scale: 0.5 })],
  ['a mask and causality', attention({ n_query: 33, n_key: 33, n_head: 2, d_head: 8, causal: 1, has_mask: 1 })],
  ['wide heads and long rows', attention({ n_query: 20, n_key: 130, d_head: 70, causal: 1, query_offset: 115 })],
];

export function describeMatmul(gpu?: () => GPU): void {
  let device: GPUDevice;
  let uncaptured: string[];
  beforeAll(async () => {
    device = await testDevice(gpu?.());
    uncaptured = uncapturedErrors(device);
  });

  // A software adapter takes seconds to compile a shader with barriers.
  describe.each(traitsList.filter(([, traits]) => isTried(traits)))(
    'with the shaders for %s',
    { timeout: 120_000 },
    (_, traits) => {
      const run = (calls: KernelCall[], arrays: Arrays, nModel = 1) =>
        runKernels(device, traits, calls, arrays, nModel);

      describe('linear layers', () => {
        test.each(linearShapes)('equal the loops in double for %i rows, %i to %i', async (n_row, n_in, n_out) => {
          const shape = { n_row, n_in, n_out };
          const arrays = noiseFor(linearCalls(shape, 1, 0)[0]!, 1);
          expectClose(await run(linearCalls(shape, 1, 0), arrays), linearLoops(shape, arrays as never));
        });

        test('leave the bias out where there is none', async () => {
          const shape = { n_row: 9, n_in: 5, n_out: 6 };
          const { bias: _bias, ...arrays } = noiseFor(linearCalls(shape, 0, 0)[0]!, 1);
          expectClose(
            await run(linearCalls(shape, 0, 0), { ...arrays, bias: [7] }),
            linearLoops(shape, arrays as never),
          );
        });

        test('add to their outputs where the planner says so, for each of two models', async () => {
          const shape = { n_row: 18, n_in: 12, n_out: 10 };
          const calls = linearCalls(shape, 1, 1);
          const arrays = noiseFor(calls[0]!, 2);
          const got = await run(calls, arrays, 2);
          for (const model of [0, 1]) {
            const own = sliceAll(arrays, model, 2);
            const right = linearLoops(shape, own as never);
            expectClose(sliceAll(got, model, 2), addTo(own, right));
          }
        });

        // The terms are few, so that the large tiles cost little here.
        const outputs = 448;
        test.each([
          ['linear_forward', 0, { n_row: outputs, n_in: 4, n_out: outputs }],
          ['linear_forward', 0, { n_row: 300, n_in: 300, n_out: 660 }],
          ['linear_backward_weight', 1, { n_row: 5, n_in: outputs, n_out: outputs }],
          ['linear_backward_weight', 1, { n_row: 19, n_in: 700, n_out: 283 }],
          ['linear_backward_x', 3, { n_row: outputs, n_in: outputs, n_out: 3 }],
          ['linear_backward_x', 3, { n_row: 283, n_in: 700, n_out: 18 }],
        ] as const)('equal the loops in large tiles: %s (%i) of %o', async (kernel, which, shape) => {
          const call = linearCalls(shape, 1, 0)[which]!;
          expect(shaderOf(call, traits)).toBe(traits.software ? `${kernel}.software` : `${kernel}.large`);
          const arrays = noiseFor(call, 1);
          expectClose(await run([call], arrays), linearLoops(shape, arrays as never));
        });

        test('sum many rows in parts', async () => {
          const shape = { n_row: 2100, n_in: 5, n_out: 18 };
          const [, weight, bias] = linearCalls(shape, 1, 1) as [KernelCall, KernelCall, KernelCall, KernelCall];
          const names = [weight, bias].map((call) => shaderOf(call, traits).split('.')[1]);
          expect(names).toEqual(traits.software ? ['software', 'software'] : ['rows', 'rows']);
          const arrays = noiseFor(weight, 2);
          const got = await run([weight, bias], arrays, 2);
          for (const model of [0, 1]) {
            const own = sliceAll(arrays, model, 2);
            expectClose(sliceAll(got, model, 2), addTo(own, linearLoops(shape, own as never)));
          }
        });

        test('keep small terms beside a large one in a long sum', async () => {
          const shape = { n_row: 4096, n_in: 1, n_out: 1 };
          const dy = new Float32Array(shape.n_row).fill(2 ** -12);
          dy[0] = 4096;
          const calls = linearCalls(shape, 1, 0).slice(1, 3);
          const got = await run(calls, { x: new Float32Array(shape.n_row).fill(1), dy });
          const right = 4096 + 4095 / 4096;
          for (const name of ['dweight', 'dbias']) expect(Math.abs(got[name]![0]! - right)).toBeLessThan(0.1);
        });

        test('carry NaN and Inf to the results that they have part in, and to no other', async () => {
          const shape = { n_row: 6, n_in: 7, n_out: 5 };
          const calls = linearCalls(shape, 1, 0);
          const arrays = noiseFor(calls[0]!, 1);
          const clean = await run(calls, arrays);
          arrays.x![2 * 7 + 6] = NaN;
          arrays.weight![1 * 7 + 6] = Infinity;
          const got = await run(calls, arrays);
          got.y!.forEach((value, i) => {
            const [row, column] = [Math.floor(i / 5), i % 5];
            if (row === 2) expect(value).toBeNaN();
            else if (column === 1) expect(Math.abs(value)).toBe(Infinity);
            else expect(value).toBe(clean.y![i]);
          });
        });
      });

      describe('attention', () => {
        test.each(attentionShapes)('equals the loops in double: %s', async (_name, shape) => {
          const calls = attentionCalls(shape, 0);
          const arrays = attentionNoise(calls[0]!, shape, 1);
          const right = attentionLoops(shape, { ...arrays, mask: shape.has_mask ? arrays.mask : undefined } as never);
          expectClose(await run(calls, arrays), right);
        });

        test.each([1, 2, 4])(
          'adds to dq, dk or dv where the planner says so (%i), for each of two models',
          async (bits) => {
            const shape = attention({
              n_query: 6,
              n_key: 7,
              n_head: 2,
              d_head: 5,
              causal: 1,
              query_offset: 1,
              has_mask: 1,
            });
            const [forward] = attentionCalls(shape, 0) as [KernelCall, KernelCall];
            const [, backward] = attentionCalls(shape, bits) as [KernelCall, KernelCall];
            const arrays = attentionNoise(forward, shape, 2);
            const got = await run([forward, backward], arrays, 2);
            for (const model of [0, 1]) {
              const own = sliceAll(arrays, model, 2);
              const right = attentionLoops(shape, own as never);
              const sums = ['dq', 'dk', 'dv'].map((name, i) => [
                name,
                (bits >> i) & 1 ? addTo(own, right)[name]! : right[name]!,
              ]);
              expectClose(sliceAll(got, model, 2), { ...right, ...Object.fromEntries(sums) });
            }
          },
        );

        test('adds to y where the planner says so', async () => {
          const shape = attention({ n_query: 3, n_key: 3, d_head: 2 });
          const [forward] = attentionCalls(shape, 1) as [KernelCall, KernelCall];
          const arrays = attentionNoise(forward, shape, 1);
          const right = attentionLoops(shape, { ...arrays, mask: undefined } as never);
          const { y, probs } = await run([forward], arrays);
          expectClose({ y: y!, probs: probs! }, { y: right.y!.map((v, i) => v + arrays.y![i]!), probs: right.probs! });
        });

        test('never lets what a masked key holds into a sum', async () => {
          const size = { batch: 1, T: 5, S: 7, heads: 2, head_dim: 6 };
          const ways: OpOnBoth['params'][] = [{ causal: true, query_offset: 1 }, { has_mask: true }];
          for (const way of ways) {
            const inputs: Arrays = attentionInputs(size);
            const mask = Float32Array.from({ length: 35 }, (_v, i) => Number(i % 7 < 6));
            for (const name of ['k', 'v']) (inputs[name] as Float32Array).fill(NaN, 6 * 12);
            if ('has_mask' in way) inputs.mask = mask;
            const got = await expectWasm({
              ...{ op: 'attention_backward', params: { ...size, ...way }, inputs, phases: ['forward', 'backward'] },
              outputs: ['o', 'o.probs', 'dq', 'dk', 'dv'],
            });
            for (const name of ['o', 'o.probs', 'dq', 'dk', 'dv'])
              expect([name, got[name]!.every(Number.isFinite)]).toEqual([name, true]);
          }
        });

        test.each([
          ['a NaN of q', 'q', NaN],
          ['an Inf of q', 'q', Infinity],
          ['a NaN of k', 'k', NaN],
          ['an Inf of k', 'k', -Infinity],
          ['a NaN of v', 'v', NaN],
          ['a NaN of the arriving gradient', 'do', NaN],
        ])('spoils the rows that WASM spoils: %s', async (_name, tensor, value) => {
          const size = { batch: 1, T: 6, S: 6, heads: 1, head_dim: 4 };
          for (const causal of [true, false]) {
            const inputs = attentionInputs(size);
            inputs[tensor]![4 * 4 + 1] = value;
            await expectWasm({
              ...{ op: 'attention_backward', params: { ...size, causal }, inputs, phases: ['forward', 'backward'] },
              outputs: ['o', 'o.probs', 'dq', 'dk', 'dv'],
            });
          }
        });

        test.each([1e4, 1e19, 2e19])('holds scores of any size: queries and keys near %d', async (scale) => {
          const size = { batch: 1, T: 6, S: 9, heads: 1, head_dim: 3 };
          const { q, k, ...others } = attentionInputs(size);
          const inputs = { ...others, q: q!.map((v) => v * scale), k: k!.map((v) => v * scale) };
          await expectWasm({
            ...{ op: 'attention_backward', params: size, inputs, phases: ['forward', 'backward'] },
            outputs: ['o', 'o.probs', 'dv'],
          });
        });

        test('gives 0 and gradients of 0 to queries that see no key', async () => {
          const shape = attention({ n_query: 4, n_key: 3, d_head: 2, causal: 1, query_offset: -2 });
          const calls = attentionCalls(shape, 0);
          const { y, dq, probs } = await run(calls, attentionNoise(calls[0]!, shape, 1));
          expect([...y!.slice(0, 4), ...dq!.slice(0, 4), ...probs!.slice(0, 6)]).toEqual(new Array(14).fill(0));
        });
      });

      describe('softmax', () => {
        test.each([1, 2, 31, 33, 300, 5000])('equals the loops in double at %i columns', async (n_col) => {
          const calls = softmaxCalls(3, n_col, 0);
          const { z, dp } = noiseFor(calls[0]!, 1) as Record<string, Float32Array>;
          const scores = z!.map((value) => value * 20);
          const rows = [0, 1, 2].map((row) => [...scores.slice(row * n_col, (row + 1) * n_col)]);
          const p = rows.map(softmaxLoop);
          const dz = p.map((row, r) => softmaxGradientLoop(row, [...dp!.slice(r * n_col, (r + 1) * n_col)]));
          const got = await run(calls, { z: scores, dp });
          expectClose({ p: got.p! }, { p: Float64Array.from(p.flat()) });
          expect(compare('dz', got.dz!, dz.flat(), { abs: 2e-5, rel: 0 })).toEqual([]);
        });

        test('adds to its outputs where the planner says so', async () => {
          for (const n_col of [5, 40]) {
            const arrays = noiseFor(softmaxCalls(2, n_col, 0)[0]!, 1);
            for (const which of [0, 1]) {
              const fresh = await run([softmaxCalls(2, n_col, 0)[which]!], arrays);
              const added = await run([softmaxCalls(2, n_col, 1)[which]!], arrays);
              for (const [name, values] of Object.entries(fresh))
                expectClose(
                  { [name]: added[name]! },
                  { [name]: Float64Array.from(values, (v, i) => v + arrays[name]![i]!) },
                );
            }
          }
        });

        test.each([3, 40])('answers NaN, Inf and the ends of float32 as WASM does, %i columns', async (n) => {
          const rows = [
            ...[
              [NaN, 0],
              [Infinity, 1],
              [-Infinity, 1],
              [-Infinity, -Infinity],
              [3e38, -3e38],
              [1000, 999],
              [-104, -105],
            ],
            ...[
              [-3e38, -3e38],
              [1e-45, 0],
              [0, -88],
            ],
          ];
          const z = Float32Array.from(
            rows.flatMap(([first, rest]) => [first!, ...new Array<number>(n - 1).fill(rest!)]),
          );
          const request = { op: 'softmax', params: { rows: rows.length, n }, inputs: { z } };
          await expectWasm({ ...request, phases: ['forward'], outputs: ['p'] });
        });
      });

      describe('embedding', () => {
        test.each([
          [1, 1, 1, 1],
          [2, 3, 1, 5],
          [3, 7, 3, 4],
          [2, 16, 70, 65],
          [2, 10, 5, 1000],
          [65, 3, 2, 7],
        ])(
          'equals the loops in double: batch %i, context %i, width %i, vocabulary %i',
          async (n_batch, n_ctx, d, n_vocab) => {
            const shape = { n_batch, n_ctx, d, n_vocab };
            for (const accumulate of [0, 1]) {
              const calls = embeddingCalls(shape, accumulate);
              const arrays = noiseFor(calls[0]!, 2);
              arrays.tokens = arrays.tokens!.map((value) => Math.floor(((value + 1) / 2) * n_vocab));
              const got = await run(calls, arrays, 2);
              for (const model of [0, 1]) {
                const own = sliceAll(arrays, model, 2);
                const right = embeddingLoops(shape, own as never);
                expectClose(sliceAll(got, model, 2), accumulate ? { ...addTo(own, right), y: right.y! } : right);
              }
            }
          },
        );

        test('writes 0 into the rows of tokens that do not occur, and adds up one that fills the text', async () => {
          const shape = { n_batch: 2, n_ctx: 70, d: 3, n_vocab: 500 };
          const call = embeddingCalls(shape, 0)[1]!;
          const dtoken_table = new Float32Array(1500).fill(9);
          const got = await run([call], { tokens: new Array(140).fill(300), dy: new Array(420).fill(1), dtoken_table });
          expect([...got.dtoken_table!.slice(900, 903)]).toEqual([140, 140, 140]);
          expect(got.dtoken_table!.filter((value) => value !== 0).length).toBe(3);
        });
      });

      /** Every kernel once, on shapes that no tile divides. */
      const everyKernel = (): KernelCall[][] => [
        linearCalls({ n_row: 600, n_in: 9, n_out: 20 }, 1, 0),
        attentionCalls(
          attention({ n_batch: 3, n_query: 9, n_key: 40, n_head: 5, d_head: 6, causal: 1, query_offset: 31 }),
          0,
        ),
        softmaxCalls(4, 77, 0),
        embeddingCalls({ n_batch: 3, n_ctx: 9, d: 70, n_vocab: 11 }, 0),
      ];
      const inputsOf = (calls: KernelCall[]): Floats => {
        const { tokens, ...arrays } = noiseFor(calls[0]!, 1);
        return { ...arrays, ...(tokens && { tokens: tokens.map((value) => Math.floor((value + 1) * 5)) }) };
      };

      test('every kernel gives the same bits in every run', async () => {
        for (const calls of everyKernel())
          expect(await run(calls, inputsOf(calls))).toEqual(await run(calls, inputsOf(calls)));
      });

      test('groups that are spread over two dimensions and left over write nothing', async () => {
        for (const calls of everyKernel()) {
          const plain = await run(calls, inputsOf(calls));
          expect(await withDimensionLimit(device, 13, () => run(calls, inputsOf(calls)))).toEqual(plain);
        }
      });

      /** Runs the op on both executors, compares every output, and returns what the GPU gave. */
      async function expectWasm(request: OpOnBoth): Promise<Record<string, Float32Array>> {
        const { wasm, webgpu } = await runOnBoth(device, traits, request);
        for (const [name, right] of Object.entries(wasm))
          expect(compare(name, webgpu[name]!, right, tolerance(right))).toEqual([]);
        return webgpu;
      }

      test.each([
        [64, 32, 32],
        [40, 33, 65],
      ])('linear layers equal WASM: %i rows, %i to %i', async (rows, n_in, n_out) => {
        const inputs = {
          x: noise(rows * n_in, 1),
          weight: noise(n_in * n_out, 2),
          bias: noise(n_out, 3),
          dy: noise(rows * n_out, 4),
        };
        await expectWasm({
          ...{ op: 'linear_backward', params: { rows, n_in, n_out }, inputs, phases: ['forward', 'backward'] },
          outputs: ['y', 'dx', 'dweight', 'dbias'],
        });
      });
    },
  );

  if (isTried({ software: false, subgroups: true }))
    test('softmax and the gradient of the bias sum over subgroups and through workgroup memory alike', async () => {
      const calls = [softmaxCalls(3, 300, 0)[0]!, linearCalls({ n_row: 70, n_in: 1, n_out: 33 }, 1, 0)[2]!];
      for (const subgroups of [false, device.features.has('subgroups' as GPUFeatureName)])
        for (const call of calls) {
          const arrays = noiseFor(call, 1);
          const got = await runKernels(device, { software: false, subgroups }, [call], arrays);
          const right = await runKernels(device, { software: true, subgroups: false }, [call], arrays);
          expectClose(got, right);
        }
    });

  test('no message escaped the error scopes', () => expect(uncaptured).toEqual([]));
}

/** 2e-5 of the largest finite value; NaN meets NaN. */
function tolerance(right: ArrayLike<number>): Tolerance {
  const largest = Array.from(right).reduce(
    (most, v) => (Number.isFinite(v) ? Math.max(most, Math.abs(v)) : most),
    1e-30,
  );
  return { abs: 2e-5 * largest, rel: 0 };
}

function expectClose(got: Record<string, ArrayLike<number>>, right: Record<string, ArrayLike<number>>): void {
  for (const [name, values] of Object.entries(got))
    expect(compare(name, values, right[name]!, tolerance(right[name]!))).toEqual([]);
}

type Floats = Record<string, Float32Array>;

/** Every tensor of a call, in and out, filled with numbers from -1 to 1. */
function noiseFor({ shapes }: KernelCall, nModel: number): Floats {
  const fill = (shape: number[], seed: number) =>
    noise(
      shape.reduce((a, b) => a * b, nModel),
      seed,
    );
  return Object.fromEntries(Object.entries(shapes).map(([name, shape], i) => [name, fill(shape, i + 1)]));
}

/** Larger queries and keys, so that the softmax is uneven, and a mask whose third row hides all. */
function attentionNoise(call: KernelCall, { n_query, n_key, has_mask }: AttentionShape, nModel: number): Floats {
  const arrays = noiseFor(call, nModel);
  const mask = arrays.mask!.map((value, i) => Number(value > -0.3 && Math.floor(i / n_key) % n_query !== 2));
  return { ...arrays, q: arrays.q!.map((v) => 2 * v), k: arrays.k!.map((v) => 2 * v), ...(has_mask && { mask }) };
}

function attentionInputs({ T, S, heads, head_dim }: Record<'T' | 'S' | 'heads' | 'head_dim', number>): Floats {
  const [query, key] = [T * heads * head_dim, S * heads * head_dim];
  return { q: noise(query, 1), k: noise(key, 2), v: noise(key, 3), do: noise(query, 4) };
}

function sliceAll(arrays: Floats, model: number, nModel: number): Floats {
  const slice = (values: Float32Array) => {
    const size = values.length / nModel;
    return values.slice(model * size, (model + 1) * size);
  };
  return Object.fromEntries(Object.entries(arrays).map(([name, values]) => [name, slice(values)]));
}

function addTo(start: Floats, sums: Record<string, Float64Array>): Record<string, Float64Array> {
  return Object.fromEntries(
    Object.entries(sums).map(([name, values]) => [name, values.map((value, i) => value + start[name]![i]!)]),
  );
}
