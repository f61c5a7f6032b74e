// Whole models on WebGPU beside WASM: gradients, statistics and losses of every placement and every field that changes
// what the kernels do. Tiny shapes; a software adapter takes a minute or two for all of it.
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { PLACEMENTS } from '../../build/generated/placements.js';
import { gpuMemory } from '../../wasm/runtime/gpu-memory.js';
import type { Traits } from '../../wasm/runtime/gpu-shaders.js';
import type { ModelSpec, PlacementName } from '../../wasm/runtime/types.js';
import { gradientComplaints, lossDrift, ModelPair, statisticsComplaints, tiny, trainingStep } from './model-pair.js';
import { testDevice, uncapturedErrors } from './test-device.js';

const nStep = 50;
/** Largest allowed distance of a loss over 50 steps, as a share of it; a software adapter showed 2e-7 … 5e-6. */
const maxDrift = 0.001;
const statistics = { abs: 2e-5, rel: 2e-4 };

/**
 * Rates at which the rows train: after 50 steps the loss on fresh sequences (of 3.5 … 4.4 at the start) is that of the
 * comment. The frequencies of the symbols alone give 3.28 nats, and without residual connections little more is to be had.
 * 'none' jumps about at every rate; there only gradients and statistics count.
 */
const RATES: Record<PlacementName, number | null> = {
  none: null,
  plain: 0.003, // 3.31
  'plain-ln': 0.003, // 3.23
  'post-ln': 0.01, // 2.89
  'pre-ln': 0.01, // 2.83
  'peri-ln': 0.01, // 3.03
  'output-ln': 0.01, // 3.15
  'sandwich-ln': 0.01, // 3.03
  deepnorm: 0.01, // 2.92
  'ln-scaling': 0.01, // 2.84
  rezero: 0.01, // 2.64
  layerscale: 0.01, // 2.72
  'mix-ln': 0.01, // 2.89
  hybridnorm: 0.01, // 2.87
  keel: 0.01, // 2.81
};

/** One field, or a few that belong together, beside the defaults of `tiny`. */
const VARIANTS: Record<string, ModelSpec> = {
  RMSNorm: { normKind: 'rmsnorm', placement: 'peri-ln' },
  'RMSNorm after the addition': { normKind: 'rmsnorm', placement: 'post-ln' },
  BatchNorm: { normKind: 'batchnorm', placement: 'peri-ln' },
  DyT: { normKind: 'dyt', placement: 'peri-ln' },
  'no norm in the slots': { normKind: 'none', placement: 'pre-ln', learningRate: 0.003 },
  'norms without parameters': { normAffine: false, placement: 'sandwich-ln' },
  'an embedding norm': { normEmbedding: true },
  'SGD with momentum': { optimizer: 'sgd', learningRate: 0.1, momentum: 0.9 },
  'decay of all parameters': { weightDecay: 0.1, decay1d: true },
  'clipping by the global norm': { maxGradNorm: 0.05 },
  'a cosine schedule': { schedule: 'cosine', totalSteps: 8, finalLearningRate: 1e-4 },
  'dropout on the branches': { dropout: 0.1 },
  'ReLU and no causal mask': { activation: 'relu', causal: false },
  'exact GELU': { activation: 'gelu_erf' },
  'a z-loss': { zLoss: 0.01 },
  'a scale for each channel of a branch': { branchScale: 'vector', branchScaleInit: 0.5 },
  'one scale for each branch': { branchScale: 'scalar', branchScaleInit: 0.5, dt: 0.5 },
  'normalized queries and keys': { qkNorm: 'qk' },
  'normalized values with RMSNorm': { qkNorm: 'qkv', normKind: 'rmsnorm' },
  'sublayers of one linear layer': { block: 'sublayer', placement: 'peri-ln' },
  'widths that four does not divide': { dModel: 15, nHead: 3, dFF: 33, nCtx: 7, nBatch: 3 },
};

/** Fields of one plan's models that may differ. */
const SIBLINGS: ModelSpec[] = [
  { seed: 1, learningRate: 0.01 },
  { seed: 2, learningRate: 0.003, weightDecay: 0.1 },
  { seed: 3, learningRate: 0.02, maxGradNorm: 0.5 },
];

export interface ModelSuite {
  gpu?: () => GPU;
  /** Overrides of what is known of the device; every variant of a kernel shall be right. */
  traits?: Traits;
  /** 'all', or a few models that between them use every kernel. */
  models: 'all' | 'few';
}

export function describeModels({ gpu, traits, models }: ModelSuite): void {
  const title = traits ? JSON.stringify(traits) : 'the traits of the device';
  describe(`whole models on WebGPU, with ${title}`, () => {
    // The first model compiles most of the shaders.
    vi.setConfig({ testTimeout: 120_000 });
    let device: GPUDevice;
    let uncaptured: string[];
    let before: ReturnType<typeof gpuMemory>;
    beforeAll(async () => {
      device = await testDevice(gpu?.());
      uncaptured = uncapturedErrors(device);
      before = gpuMemory();
    });
    afterAll(() => {
      expect(uncaptured).toEqual([]);
      expect(gpuMemory()).toEqual(before);
    });

    const using = async (specs: ModelSpec[], check: (pair: ModelPair) => Promise<void>): Promise<void> => {
      const pair = await ModelPair.open(
        device,
        specs.map((spec) => ({ ...tiny, ...spec })),
        traits,
      );
      try {
        await check(pair);
      } finally {
        pair.free();
      }
    };

    const rows = models === 'all' ? PLACEMENTS.map(({ name }) => name) : FEW_PLACEMENTS;
    test.each(rows)('%s has the gradients of WASM before and after training, and its losses on the way', (name) => {
      const rate = RATES[name];
      const spec: ModelSpec = { placement: name, ...(rate && { learningRate: rate }), ...MORE_LAYERS[name] };
      return using([spec], (pair) => expectParity(pair, rate === null ? 0 : nStep));
    });

    const variants = Object.entries(VARIANTS).filter(([name]) => models === 'all' || FEW_VARIANTS.includes(name));
    test.each(variants)('%s: gradients, statistics and losses are those of WASM', (_, spec) =>
      using([spec], (pair) => expectParity(pair, 8)),
    );

    test.each(['fp16', 'bf16'] as const)('%s rounds the same numbers and counts the same overflows', (format) =>
      using([{ format, placement: 'pre-ln' }], async (pair) => {
        await expectParity(pair, 8, roundedShare[format]);
        await pair.write('blocks.0.mlp.fc2.bias', new Float32Array(16).fill(1e38));
        await pair.draw();
        await pair.run(...trainingStep);
        const { right, got } = await pair.both(pair.tensor('latch'));
        expect(right[0]![0]).toBe(format === 'fp16' ? 16 * 16 : 0);
        expect(got).toEqual(right);
      }),
    );

    test('three models of one plan are each the model that WASM trains', () =>
      using(SIBLINGS, (pair) => expectParity(pair, 8)));

    test('a gradient that is not finite changes neither parameters nor moments nor the step', () =>
      using([{}], async (pair) => {
        await pair.write('head.bias', new Float32Array(32).fill(Infinity));
        const frozen = ['head.weight', 'head.weight.adam_m', 'head.bias'].map((name) => pair.tensor(name));
        const start = await Promise.all(frozen.map((tensor) => pair.gpu.read(tensor)));
        await pair.train(1);
        expect(await Promise.all(frozen.map((tensor) => pair.gpu.read(tensor)))).toEqual(start);
        const [step, , , finite] = await pair.gpu.read(pair.tensor('control'));
        expect([step, finite]).toEqual([0, 0]);
      }));

    test('the same step gives the same bits twice', () =>
      using([{ placement: 'peri-ln', dropout: 0.1 }], async (pair) => {
        const gradients = pair.plan.tensors.filter(({ role }) => role === 'gradient');
        const pass = async (): Promise<Float32Array[]> => {
          await pair.run('forward', 'backward');
          return Promise.all(gradients.map((tensor) => pair.gpu.read(tensor)));
        };
        await pair.draw();
        const [first, second] = [await pass(), await pass()];
        const other = gradients.filter((_, i) => first[i]!.some((value, j) => !Object.is(value, second[i]![j])));
        expect(other.map(({ name }) => name)).toEqual([]);
      }));
  });
}

/** Mix-LN gives its first quarter of the blocks other norms: of four blocks one. */
const MORE_LAYERS: Partial<Record<PlacementName, ModelSpec>> = { 'mix-ln': { nLayer: 4 } };

const FEW_PLACEMENTS: PlacementName[] = ['post-ln', 'peri-ln', 'hybridnorm'];
const FEW_VARIANTS = [
  ...['RMSNorm', 'BatchNorm', 'DyT', 'SGD with momentum', 'dropout on the branches', 'a z-loss', 'exact GELU'],
  ...['a scale for each channel of a branch', 'widths that four does not divide'],
];

/** A number within 1e-7 of the middle between two of the format may be rounded to the other one: a unit in its last place. */
const roundedShare = { fp16: 1e-3, bf16: 1e-2 };

/** Gradients and statistics at the start and once more after training, losses on the way, and the evaluation. */
async function expectParity(pair: ModelPair, steps: number, share?: number): Promise<void> {
  const expectSameStep = async (when: string): Promise<void> => {
    await pair.draw();
    await pair.run('forward', 'backward', 'observe');
    const complaints = [await gradientComplaints(pair, share), await statisticsComplaints(pair, statistics)].flat();
    expect(complaints.map((text) => `${when}: ${text}`)).toEqual([]);
  };
  await expectSameStep('at the start');
  if (steps > 0) {
    await pair.train(steps);
    expect(await lossDrift(pair, steps)).toBeLessThan(maxDrift);
    await pair.align();
    await expectSameStep(`after ${steps} steps`);
  }
  await pair.draw('held-out');
  await pair.run('evaluate');
  const { right, got } = await pair.both(pair.tensor('loss'));
  right.forEach((loss, model) => expect(Math.abs(got[model]![0]! / loss[0]! - 1)).toBeLessThan(share ?? 1e-4));
}
