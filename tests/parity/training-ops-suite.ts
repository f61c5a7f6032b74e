// The kernels of a training step besides norms, matrix products and attention, against WASM; runs in Node and in browsers.
import { beforeAll, describe, expect, test } from 'vitest';
import { KERNELS } from '../../build/generated/kernels.js';
import { startEngine, type Engine } from '../../wasm/runtime/core.js';
import { CpuExecutor } from '../../wasm/runtime/cpu-executor.js';
import { createGpuExecutor } from '../../wasm/runtime/gpu-executor.js';
import type { Traits } from '../../wasm/runtime/gpu-shaders.js';
import { dataLines, paramLines, specLines } from '../../wasm/runtime/spec.js';
import type { ModelSpec, Phase, PlanInfo } from '../../wasm/runtime/types.js';
import { compare } from '../cases/expand.js';
import { comparePhases, type Comparison } from './compare-phases.js';
import { noise, readAll, writeAll } from './norm-run.js';
import { PlanSketch } from './plan-sketch.js';
import { isTried, testDevice, uncapturedErrors } from './test-device.js';

type Check = Omit<Comparison, 'plan' | 'host' | 'device'>;
type Start = Record<string, ArrayLike<number>>;

/** Shaders for software adapters, and those for hardware, which must be right on any device. */
const kinds: [string, Traits][] = [
  ['lane by lane', { software: true, subgroups: false }],
  ['in workgroups', { software: false, subgroups: false }],
];

// Every rest modulo 4; less and more than the share of a lane and of a workgroup.
const sizes = [1, 2, 3, 4, 5, 127, 128, 513, 516, 2049, 4100];

const forward: Phase[] = ['forward'];
const backward: Phase[] = ['forward', 'backward'];

export function describeTrainingOps(gpu?: () => GPU): void {
  let device: GPUDevice;
  let engine: Engine;
  let uncaptured: string[];
  beforeAll(async () => {
    device = await testDevice(gpu?.());
    engine = await startEngine();
    uncaptured = uncapturedErrors(device);
  });

  /** Uses one plan in WASM memory. */
  async function withHost<T>(
    kind: string,
    lines: [spec: string, data: string],
    use: (plan: PlanInfo, host: CpuExecutor) => Promise<T>,
  ): Promise<T> {
    const core = engine.create(kind, ...lines);
    const host = new CpuExecutor(engine, core);
    try {
      return await use(core.describe(), host);
    } finally {
      host.free();
      expect(uncaptured).toEqual([]);
    }
  }

  const checkOp = (op: string, params: Record<string, number>, request: Check): Promise<void> =>
    withHost(`op:${op}`, [paramLines(params), ''], async (plan, host) =>
      expect(await comparePhases({ plan, host, device, ...request })).toEqual([]),
    );

  /** Three models in one plan, each with numbers of its own. */
  const threeModels = (start: (seed: number) => Start): Start[] => [10, 20, 30].map(start);

  describe.each(kinds.filter(([, traits]) => isTried(traits)))('%s', { timeout: 120_000 }, (_, traits) => {
    describe('residual sums', () => {
      const start = (n: number, seed: number): Start => ({
        skip: noise(n, seed + 1),
        branch: noise(n, seed + 2),
        dy: noise(n, seed + 3),
      });

      test.each(sizes)('of %i values, and their gradients', (n) =>
        checkOp('residual_add', { n, alpha: 0.7, dt: -1.3 }, { phases: backward, traits, starts: [start(n, 0)] }),
      );

      test.each([3, 4, 2051])('of three models of %i values', (n) => {
        const starts = threeModels((seed) => start(n, seed));
        return checkOp('residual_add', { n, alpha: 1, dt: 0.5 }, { phases: backward, traits, starts });
      });
    });

    describe.each(['relu', 'gelu_tanh', 'gelu_erf', 'tanh'])('%s', (kind) => {
      const start = (n: number, seed: number): Start => ({
        x: noise(n, seed).map((v) => 6 * v),
        dy: noise(n, seed + 2),
      });

      test.each(sizes)('of %i values, and its gradient', (n) =>
        checkOp(`${kind}_backward`, { n }, { phases: backward, traits, starts: [start(n, n)] }),
      );

      test.each([5, 8])('of three models of %i values', (n) => {
        const starts = threeModels((seed) => start(n, seed));
        return checkOp(`${kind}_backward`, { n }, { phases: backward, traits, starts });
      });

      test.each([0, 1])('is right for each of the smallest and the largest numbers, for Inf and for NaN', (spare) => {
        const x = Float32Array.from([...ladder(), ...new Array(spare).fill(0)]);
        const starts = [{ x, dy: new Float32Array(x.length).fill(1) }];
        return checkOp(
          `${kind}_backward`,
          { n: x.length },
          { phases: backward, traits, starts, eachValue: ['y', 'dx'] },
        );
      });
    });

    describe('scales of channels', () => {
      const shapes = [
        [1, 1],
        [3, 1],
        [5, 3],
        [7, 4],
        [64, 65],
        [65, 12],
        [130, 33],
        [257, 68],
      ] as const;
      const start = (rows: number, d: number, scales: number, seed: number): Start => ({
        x: noise(rows * d, seed + 1),
        dy: noise(rows * d, seed + 2),
        s: noise(scales, seed + 3),
      });

      test.each(shapes.flatMap(([rows, d]) => [[rows, d, d] as const, [rows, d, 1] as const]))(
        '[%i, %i] with %i scales, and their gradients',
        (rows, d, scales) =>
          checkOp(
            'channel_scale',
            { rows, d, scales },
            { phases: backward, traits, starts: [start(rows, d, scales, 0)] },
          ),
      );

      test.each([
        [66, 5, 5],
        [66, 5, 1],
        [66, 8, 8],
        [66, 8, 1],
      ])('of three models, [%i, %i] with %i scales', (rows, d, scales) => {
        const starts = threeModels((seed) => start(rows, d, scales, seed));
        return checkOp('channel_scale', { rows, d, scales }, { phases: backward, traits, starts });
      });
    });

    describe('dropout', () => {
      // Kept values lie far from 0: another mask cannot be taken for a small error.
      const start = (n: number, seed: number): Start => ({
        x: noise(n, seed + 1).map((v) => 3 + v),
        dy: noise(n, seed + 2).map((v) => 3 + v),
        seed: [seed * 977, 65535 - seed],
        control: [seed * 1001, 0, 0, 0, 0, 0, 0, 0],
      });
      const eachValue = ['y', 'dx'];

      test.each(sizes.flatMap((n) => [[n, 0.1] as const, [n, 0.875] as const]))(
        'of %i values at rate %f drops the same ones as on WASM',
        (n, rate) => checkOp('dropout', { n, rate }, { phases: backward, traits, starts: [start(n, n)], eachValue }),
      );

      test.each([0, 1e-12, 0.5, 0.9990234375, 0.99999994])('at rate %f', (rate) =>
        checkOp('dropout', { n: 4096, rate }, { phases: backward, traits, starts: [start(4096, 7)], eachValue }),
      );

      test.each([6, 8])('of three models of %i values goes by their own seeds and steps', (n) => {
        const starts = threeModels((seed) => start(n, seed));
        return checkOp('dropout', { n, rate: 0.5 }, { phases: backward, traits, starts, eachValue });
      });

      test('lets dropped NaN and Inf vanish and kept ones through', () => {
        const x = Float32Array.from({ length: 64 }, (_, i) => [NaN, Infinity, -Infinity, 1][i % 4]!);
        const starts = [{ ...start(64, 3), x, dy: x }];
        return checkOp('dropout', { n: 64, rate: 0.5 }, { phases: backward, traits, starts, eachValue });
      });

      test('is off in evaluation', () =>
        checkOp('dropout', { n: 9, rate: 0.5 }, { phases: ['evaluate'], traits, starts: [start(9, 1)], eachValue }));
    });

    describe.each([
      ['fp16', 1],
      ['bf16', 2],
    ] as const)('rounding to %s', (_, format) => {
      const sameBits = ['x', 'latch'];
      const control = [17, 0, 0, 0, 0, 0, 0, 0];

      test('gives the bits of WASM for every exponent and every way to round', () => {
        const x = roundingEdges();
        return checkOp(
          'round_format',
          { n: x.length, d: 8, format },
          { phases: forward, traits, starts: [{ x, control }], sameBits },
        );
      });

      test.each([1, 3, 4, 255, 257, 5000, 8196])('of %i values latches the first overflow and counts all', (n) => {
        const starts = [0, 1, 0.5].map((place) => {
          const x = noise(n, n).map((v) => 60000 * v);
          for (let i = Math.floor(place * (n - 1)); i < n; i += 11) x[i] = i % 2 ? -3.4e38 : 3.4e38;
          return { x, control };
        });
        return checkOp('round_format', { n, d: n, format }, { phases: forward, traits, starts, sameBits });
      });

      test('leaves a latch that is already set, and counts on', () => {
        const x = noise(515, 1);
        x[300] = -3.4e38;
        const starts = [
          { x, control, latch: [2, 5, 1, 7, 9e9, 0, 0, 0] },
          { x, control, latch: [16777215, 5, 1, 7, 9e9, 0, 0, 0] },
          { x: x.fill(3.4e38, 0, 5), control, latch: [16777215, 5, 1, 7, 9e9, 0, 0, 0] },
        ];
        return checkOp('round_format', { n: 515, d: 103, format }, { phases: forward, traits, starts, sameBits });
      });
    });

    describe('cross-entropy', () => {
      const start = (rows: number, V: number, seed: number): Start => ({
        logits: noise(rows * V, seed + 1).map((v) => 8 * v),
        labels: Float32Array.from({ length: rows }, (_, row) => (row % 4 === 2 ? -100 : (row * 7 + seed) % V)),
      });

      test.each([1, 2, 3, 31, 33, 64, 65, 100, 257, 513, 1030, 4500])('over %i classes', (V) =>
        checkOp('cross_entropy_mean', { rows: 6, V }, { phases: backward, traits, starts: [start(6, V, V)] }),
      );

      test('over 50257 classes', () =>
        checkOp(
          'cross_entropy_mean',
          { rows: 2, V: 50257 },
          { phases: backward, traits, starts: [start(2, 50257, 1)] },
        ));

      test.each([1, 2, 33, 300])('over %i rows', (rows) =>
        checkOp('cross_entropy_mean', { rows, V: 40 }, { phases: backward, traits, starts: [start(rows, 40, 1)] }),
      );

      test.each([5, 300])('with z-loss, over %i classes', (V) =>
        checkOp(
          'cross_entropy_mean',
          { rows: 5, V, z_loss: 0.01 },
          { phases: backward, traits, starts: [start(5, V, 1)] },
        ),
      );

      test('of three models', () =>
        checkOp(
          'cross_entropy_mean',
          { rows: 5, V: 37 },
          { phases: backward, traits, starts: threeModels((seed) => start(5, 37, seed)) },
        ));

      test('is 0 where no row counts', () =>
        checkOp(
          'cross_entropy_mean',
          { rows: 3, V: 37 },
          { phases: backward, traits, starts: [{ ...start(3, 37, 1), labels: [-100, -100, -100] }] },
        ));

      test('of a loss near 0', () => {
        const logits = Float32Array.from({ length: 2 * 40 }, (_, i) => (i % 40 === 3 ? 9 : 0.01 * (i % 7)));
        return checkOp(
          'cross_entropy_mean',
          { rows: 2, V: 40 },
          // p - 1 is no more exact than p.
          { phases: backward, traits, starts: [{ logits, labels: [3, 3] }], slack: { dlogits: 1e-7 } },
        );
      });

      test('takes logits as large as numbers go, and -Inf for what cannot be', () => {
        const logits = noise(4 * 40, 1);
        logits.set([3e38, -3e38, 88, -88], 0);
        logits.set([-Infinity, -Infinity, -3e38], 40);
        logits.fill(-Infinity, 80, 119);
        const starts = [{ logits, labels: [0, 5, 39, 1] }];
        return checkOp('cross_entropy_mean', { rows: 4, V: 40 }, { phases: backward, traits, starts });
      });

      test.each([0, 2])('is infinite where the class of row %i cannot be, whatever the others are', (row) => {
        const logits = noise(3 * 40, 1);
        logits[row * 40 + 5] = -Infinity;
        const starts = [{ logits, labels: [5, 5, 5] }];
        return checkOp('cross_entropy_mean', { rows: 3, V: 40 }, { phases: backward, traits, starts });
      });

      test.each([NaN, Infinity])('is broken by %f among the logits, as on WASM', (value) => {
        const logits = noise(3 * 40, 1);
        logits[17] = value;
        const starts = [
          { logits, labels: [3, 5, 7] },
          { logits, labels: [17, 5, 7] },
        ];
        // The unused log of a broken row may be any number.
        return checkOp(
          'cross_entropy_mean',
          { rows: 3, V: 40 },
          { phases: backward, traits, starts, except: ['loss.rows'] },
        );
      });
    });

    describe.each(['adamw', 'sgd'])('%s', (optimizer) => {
      const update: Phase[] = ['backward', 'update'];
      const start = (n: number, seed: number): Start => ({
        p: noise(n, seed + 1),
        g: noise(n, seed + 2),
        ...(optimizer === 'adamw' && { m: noise(n, seed + 3) }),
        v: noise(n, seed + 4).map(optimizer === 'adamw' ? Math.abs : (v) => v),
        hyper: [0.003, 0.1, 0.5, 0, 0, 0, 0, 0],
        control: [seed, 0, 0, 0, 0, 0, 3, 0],
      });
      const steps = (n: number, starts: Start[], decay = 1): Promise<void> =>
        checkOp(optimizer, { n, decay }, { phases: update, traits, starts });

      test.each([...sizes, 8193, 70001])('of %i values', (n) => steps(n, [start(n, 1)]));
      test.each([6, 8, 8200])('of three models of %i values, each with its own step, rate and norm', (n) =>
        steps(
          n,
          threeModels((seed) => ({ ...start(n, seed), hyper: [0.001 * seed, 0.1, seed - 15, 0, 0, 0, 0, 0] })),
        ),
      );
      test('without decay', () => steps(5, [start(5, 1)], 0));
      test('of gradients and moments near the largest number', () => {
        const huge = [3e38, -3e38, 1, 2e38, 3e38];
        const near = {
          g: Float32Array.from(huge),
          v: Float32Array.from(huge, (g) => (optimizer === 'adamw' ? 3.4e38 : g)),
        };
        return steps(5, [{ ...start(5, 1), ...near, hyper: [0.003, 0.1, 0, 0, 0, 0, 0, 0] }]);
      });
      test.each([0, 1, 9, 100, 12345, 2 ** 24 - 2])('corrects the bias of step %i + 1', (step) =>
        steps(3, [start(3, step)]),
      );

      test.each([NaN, Infinity, -Infinity])('leaves everything as it was when a gradient is %f', (value) => {
        const models = threeModels((seed) => start(5001, seed));
        const g = Float32Array.from(models[1]!.g!);
        g[4321] = value;
        models[1]!.g = g;
        return steps(5001, models);
      });

      test.each([1e-33, 1e-30, 1e-19, 1e-10, 1e10, 1e19, 1e30, 8e37])('takes gradients around %f', (size) => {
        const one = start(5001, 1);
        // The parts of the tensor differ in size.
        const g = Float32Array.from(one.g as Float32Array, (v, i) => v * size * (i / 5001));
        const clips = { ...one, g, hyper: [0.003, 0.1, 1, 0, 0, 0, 0, 0] };
        const free = { ...one, g, hyper: [0.003, 0.1, 0, 0, 0, 0, 0, 0] };
        return steps(5001, [clips, free]);
      });

      test.each([1e37, 1e38, 3e38])('clips gradients of %f to the norm that is asked for', (size) => {
        const g = Float32Array.from({ length: 9 }, (_, i) => (i % 2 ? size : -size / 2));
        const zero = new Float32Array(9);
        const hyper = [0.003, 0.1, 1, 0, 0, 0, 0, 0];
        return steps(9, [{ ...start(9, 1), g, hyper, v: zero, ...(optimizer === 'adamw' && { m: zero }) }]);
      });

      test.each([1e-19, 1e-20, 1e-25])('stays a number without an eps when gradients are around %f', (size) => {
        const one = start(9, 1);
        const tiny = (values: ArrayLike<number>) => Float32Array.from(values, (value) => value * size);
        const starts = [{ ...one, g: tiny(one.g!), ...(one.m && { m: tiny(one.m) }), v: new Float32Array(9) }];
        const params = { n: 9, decay: 0, ...(optimizer === 'adamw' && { eps: 0 }) };
        return checkOp(optimizer, params, { phases: update, traits, starts });
      });

      test('takes a gradient of zeros', () => steps(9, [{ ...start(9, 1), g: new Float32Array(9) }]));
    });

    describe('statistics', () => {
      const small: ModelSpec = { nLayer: 1, dModel: 12, nHead: 2, nCtx: 5, nBatch: 3 };
      const wirings: [string, ModelSpec][] = [
        ['Pre-LN', small],
        [
          'Peri-LN with a scale for each channel, rounded to fp16',
          { ...small, placement: 'peri-ln', branchScale: 'vector', format: 'fp16' },
        ],
        ['Post-LN, rounded to bf16', { ...small, placement: 'post-ln', format: 'bf16' }],
        ['no norm', { ...small, placement: 'none', dModel: 5, nHead: 1 }],
        ['wide rows', { ...small, dModel: 68, nCtx: 61, nBatch: 4 }],
        ['many rows', { ...small, dModel: 6, nCtx: 61, nBatch: 45 }],
      ];

      /** After each of three steps on WASM, so that every tensor holds what it does in training: one model for each. */
      const observe = (
        spec: ModelSpec,
        phases: Phase[],
        change: (plan: PlanInfo, starts: Record<string, Float32Array>[]) => PlanInfo = (plan) => plan,
      ): Promise<void> =>
        withHost('model', [specLines(spec), dataLines({ kind: 'markov' })], async (plan, host) => {
          const starts = [1, 2, 3].map(() => {
            host.run(['update']);
            host.beginStep('train');
            host.run(['forward', 'backward']);
            return Object.fromEntries(plan.tensors.map((tensor) => [tensor.name, host.copy(tensor)]));
          });
          const request = { plan: change(plan, starts), host, phases, device, traits, starts };
          expect(await comparePhases(request)).toEqual([]);
        });

      test.each(wirings)('of %s, and the update', (_, spec) => observe(spec, ['observe', 'update']));

      test('of gradients, many tensors at once', () =>
        observe({ ...small, dModel: 68 }, ['backward'], (plan) => {
          const backward = plan.phases.backward.filter(({ kernel }) => kernel === 'grad_square_sum');
          expect(backward.length).toBeGreaterThan(10);
          return { ...plan, phases: { ...plan.phases, backward } };
        }));

      test.each([small, { ...small, dModel: 68, nCtx: 61, nBatch: 4 }])(
        'show NaN and Inf, and the channel of the first',
        (spec) =>
          observe(spec, ['observe'], (plan, starts) => {
            const points = plan.tensors.filter(({ name }) => /resid/.test(name) && !/grad/.test(name));
            [NaN, Infinity, 7].forEach((value, model) =>
              points.forEach(({ name, size }, i) => {
                const middle = Math.floor(size / 2) + i;
                for (const later of [0, 1, 64]) starts[model]![name]![middle + later] = -value;
                starts[model]![name]![size - 1] = value;
              }),
            );
            return plan;
          }),
      );

      test('go to the row of the step in the ring, for each model', () =>
        observe(small, ['observe'], (plan, starts) => {
          [0, 1, 12345].forEach((step, model) => (starts[model]!.control![0] = step));
          return plan;
        }));
    });

    test.each(accumulating(5).map(({ kernel }, i) => [kernel, i] as const))(
      '%s adds to its output where the planner says so',
      async (_, i) => {
        for (const n of [5, 8, 1028]) {
          const single = accumulating(n)[i]!;
          const [fresh, added] = [await runSingle(single, 0), await runSingle(single, 1)];
          const sum = Array.from(fresh, (value, k) => value + single.held[k]!);
          expect(compare(`${n} values`, added, sum, { abs: 2e-5, rel: 2e-5 })).toEqual([]);
        }
      },
    );

    /** The last operand, which holds something before. */
    async function runSingle({ kernel, operands, params, held, grid }: Single, accumulate: number) {
      const { operands: names } = KERNELS[kernel]!;
      const output = names.at(-1)!;
      const sketch = new PlanSketch();
      for (const name of names) sketch.tensor(name, [name === output ? held.length : operands[name]!.length]);
      const { plan } = sketch.dispatch('forward', kernel, [...names], { ...params, accumulate }, ...grid);
      const executor = await createGpuExecutor({ plan, device, phases: ['forward'], traits });
      try {
        await writeAll(executor, plan, { ...operands, [output]: held });
        await executor.run(['forward']);
        return (await readAll(executor, plan, [output]))[output]!;
      } finally {
        executor.free();
      }
    }
  });
}

/** A dispatch whose last operand is its only output. */
interface Single {
  kernel: string;
  operands: Start;
  params: Record<string, number>;
  held: Float32Array;
  grid: [rows: number, cols: number];
}

/** Every kernel here that can add to its output, over n values. */
function accumulating(n: number): Single[] {
  const [x, dy, held] = [noise(n, 1), noise(n, 2), noise(n, 3)];
  const [control, seed] = [new Float32Array(8), [1, 2]];
  const rows = { n_row: n, d: 1, n_scale: 1 };
  const flat: [string, Start, Record<string, number>][] = [
    ['residual_add', { skip: x, branch: dy }, { n, alpha: 1, dt: 2 }],
    ['scale_add', { x }, { n, scale: 3 }],
    ['activation_forward', { x }, { n, kind: 1 }],
    ['activation_backward', { x, dy }, { n, kind: 2 }],
    ['dropout_forward', { x, control, seed }, { n, stream: 5, rate: 0.5, train: 1 }],
    ['dropout_backward', { dy, control, seed }, { n, stream: 5, rate: 0.5, train: 1 }],
  ];
  const loss = { n_row: 1, n_class: n, ignore_index: -100, z_loss: 0 };
  return [
    ...flat.map(([kernel, operands, params]): Single => ({ kernel, operands, params, held, grid: [n, 1] })),
    { kernel: 'channel_scale', operands: { x, s: dy }, params: { n_row: 1, d: n, n_scale: n }, held, grid: [1, n] },
    { kernel: 'channel_scale_backward_s', operands: { x, dy }, params: rows, held: held.slice(0, 1), grid: [n, 1] },
    {
      kernel: 'cross_entropy_backward',
      operands: { logits: x, targets: [1], rows: [1, 0.5, 0, 1], loss: [0, 1, 0, 0] },
      params: loss,
      held,
      grid: [1, n],
    },
  ];
}

/** ±2^k over all normal k where functions still change, their limits, and what is no number. */
function ladder(): number[] {
  const powers = [-126, -100, -60, -30, ...Array.from({ length: 32 }, (_, i) => i - 24), 20, 60, 100, 127].map(
    (k) => 2 ** k,
  );
  const special = [
    0.55,
    0.6,
    0.65,
    0.999,
    1,
    1.5,
    3,
    5,
    8,
    9.4,
    11.9,
    12,
    12.1,
    13.3,
    39,
    41,
    88,
    89,
    3.4e38,
    Infinity,
  ];
  const positive = [...powers, ...special];
  return [...positive, ...positive.map((v) => -v), 0, -0, NaN, 7].slice(
    0,
    4 * Math.floor((2 * positive.length + 4) / 4),
  );
}

/** For every exponent and sign: ends of the mantissa, halves of both formats, and their neighbours. */
function roundingEdges(): Float32Array {
  const halves = [0, 1, 0x1000, 0x3000, 0x8000, 0x18000, 0x400000, 0x7fe000, 0x7ff000, 0x7f8000, 0x7fffff];
  const mantissas = [...new Set(halves.flatMap((m) => [m - 1, m, m + 1]))].filter((m) => m >= 0 && m < 2 ** 23);
  const bits = Array.from({ length: 256 }, (_, exponent) =>
    mantissas.flatMap((m) => [0, 2 ** 31].map((sign) => sign + exponent * 2 ** 23 + m)),
  ).flat();
  // A fraction of every place below the last of a subnormal fp16.
  const subnormals = Array.from({ length: 2048 }, (_, i) => (102 + (i % 12)) * 2 ** 23 + ((i * 0x9e3779b1) % 2 ** 23));
  const words = Uint32Array.from([...bits, ...subnormals]);
  return new Float32Array(words.buffer, 0, words.length - (words.length % 8));
}
