// One plan on both executors, fed with the same batches: what a whole model computes on WebGPU beside what it computes in WASM.
import { startEngine } from '../../wasm/runtime/core.js';
import { CpuExecutor } from '../../wasm/runtime/cpu-executor.js';
import { createGpuExecutor, type GpuExecutor } from '../../wasm/runtime/gpu-executor.js';
import type { Traits } from '../../wasm/runtime/gpu-shaders.js';
import { dataLines, specsLines } from '../../wasm/runtime/spec.js';
import type { ModelSpec, Phase, PlanInfo, TensorInfo } from '../../wasm/runtime/types.js';
import { compare, isClose, type Tolerance } from '../cases/expand.js';

/** Small enough for a software adapter, and still two layers, two heads, two sequences. */
export const tiny: ModelSpec = { dModel: 16, nHead: 2, nLayer: 2, nCtx: 8, nBatch: 2, learningRate: 0.01, warmup: 5 };

/** One training step as training runs it. */
export const trainingStep: Phase[] = ['forward', 'backward', 'observe', 'update'];

/** Allowed distance of a gradient, as a share of its norm. */
const gradientShare = 2e-4;
/** Below this share of the model's largest gradient a tensor counts as zero: its numbers are rounding errors. */
const zeroShare = 1e-5;

export class ModelPair {
  private constructor(
    readonly plan: PlanInfo,
    readonly cpu: CpuExecutor,
    readonly gpu: GpuExecutor,
  ) {}

  /** Several specs become several models of one plan. Both executors start from the same initial values. */
  static async open(device: GPUDevice, specs: ModelSpec[], traits?: Traits): Promise<ModelPair> {
    const engine = await startEngine();
    const core = engine.create('model', specsLines(specs), dataLines({ kind: 'markov' }));
    const cpu = new CpuExecutor(engine, core);
    try {
      const plan = core.describe();
      const gpu = await createGpuExecutor({ plan, device, ...(traits && { traits }) });
      for (const tensor of plan.tensors) await gpu.write(tensor, cpu.copy(tensor));
      return new ModelPair(plan, cpu, gpu);
    } catch (error) {
      cpu.free();
      throw error;
    }
  }

  free(): void {
    this.cpu.free();
    this.gpu.free();
  }

  /** The next batch on both. The step is WASM's, which has made the same steps. */
  async draw(split: 'train' | 'held-out' = 'train'): Promise<void> {
    this.cpu.beginStep(split);
    await this.copy(({ role }) => role === 'input');
  }

  async run(...phases: Phase[]): Promise<void> {
    this.cpu.run(phases);
    await this.gpu.run(phases);
  }

  async train(steps: number): Promise<void> {
    for (let i = 0; i < steps; i += 1) {
      await this.draw();
      await this.run(...trainingStep);
    }
  }

  /** From here on the GPU goes on from WASM's parameters, moments and counters. */
  async align(): Promise<void> {
    await this.copy(({ role }) => role === 'parameter' || role === 'state');
  }

  /** The same numbers into the tensor of both. */
  async write(name: string, data: Float32Array): Promise<void> {
    this.cpu.write(this.tensor(name), data);
    await this.gpu.write(this.tensor(name), data);
  }

  tensor(name: string): TensorInfo {
    return this.plan.tensors.find((tensor) => tensor.name === name)!;
  }

  /** The tensor's numbers of every model, from both. */
  async both(tensor: TensorInfo): Promise<{ right: Float32Array[]; got: Float32Array[] }> {
    const got = await this.gpu.read(tensor);
    return { right: perModel(tensor, this.cpu.copy(tensor)), got: perModel(tensor, got) };
  }

  private async copy(wanted: (tensor: TensorInfo) => boolean): Promise<void> {
    for (const tensor of this.plan.tensors.filter(wanted)) await this.gpu.write(tensor, this.cpu.copy(tensor));
  }
}

function perModel({ nModel, size }: TensorInfo, values: Float32Array): Float32Array[] {
  const each = size / nModel;
  return Array.from({ length: nModel }, (_, model) => values.subarray(model * each, (model + 1) * each));
}

/** The same tensor, or the same model's part of it, from both executors. */
interface Compared {
  name: string;
  right: Float32Array;
  got: Float32Array;
}

/** Every gradient of a model, of parameters and of activations: one sentence for each that is off. */
export async function gradientComplaints(pair: ModelPair, share = gradientShare): Promise<string[]> {
  const tensors = pair.plan.tensors.filter(({ role, size }) => role === 'gradient' && size > 0);
  const models = await comparedByModel(pair, tensors);
  return models.flatMap((gradients, model) => {
    const largest = Math.max(...gradients.map(({ right }) => norm(right)));
    if (!(largest > 0)) return [`model ${model} has no gradient at all`];
    return gradients.flatMap((gradient) => gradientComplaint(gradient, largest, share));
  });
}

function gradientComplaint({ name, right, got }: Compared, largest: number, share: number): string[] {
  const isZero = norm(right) < zeroShare * largest;
  const off = isZero ? norm(got) / largest : distance(got, right) / norm(right);
  if (off <= (isZero ? 2 * zeroShare : share)) return [];
  const where = got.findIndex((value, i) => !isClose(value, right[i]!, { abs: share * norm(right), rel: 0 }));
  const example = where < 0 ? '' : `, e.g. [${where}] is ${got[where]}, not ${right[where]}`;
  return [`${name} is off by ${off.toExponential(1)} of ${isZero ? "the model's largest" : 'its norm'}${example}`];
}

const norm = (values: Float32Array): number => Math.hypot(...values);

const distance = (a: Float32Array, b: Float32Array): number => norm(a.map((value, i) => value - b[i]!));

async function comparedByModel(pair: ModelPair, tensors: TensorInfo[]): Promise<Compared[][]> {
  const all = await Promise.all(tensors.map(async (tensor) => ({ name: tensor.name, ...(await pair.both(tensor)) })));
  const nModel = all[0]?.right.length ?? 0;
  return Array.from({ length: nModel }, (_, model) =>
    all.map(({ name, right, got }) => ({ name, right: right[model]!, got: got[model]! })),
  );
}

/** The rows of statistics that the latest step and those before it wrote, by slot; row `back` steps before the last. */
export async function statisticsComplaints(pair: ModelPair, tolerance: Tolerance): Promise<string[]> {
  const { right, got } = await pair.both(pair.tensor('ring'));
  const { nRing, rowWidth } = pair.plan.observe!;
  const { right: control } = await pair.both(pair.tensor('control'));
  return right.flatMap((ring, model) => {
    const start = (control[model]![0]! % nRing) * rowWidth;
    const row = (values: Float32Array): Float32Array => values.subarray(start, start + rowWidth);
    return compare(`statistics of model ${model}`, row(got[model]!), row(ring), tolerance);
  });
}

/** The largest relative distance of a loss of the given steps (from 0), over all models. */
export async function lossDrift(pair: ModelPair, nStep: number): Promise<number> {
  const { right, got } = await pair.both(pair.tensor('ring'));
  const { nRing, rowWidth } = pair.plan.observe!;
  if (nStep > nRing) throw new Error(`the ring keeps ${nRing} steps, not ${nStep}`);
  const drifts = right.flatMap((ring, model) =>
    Array.from({ length: nStep }, (_, step) => {
      const slot = step * rowWidth + lossSlot;
      return Math.abs(got[model]![slot]! / ring[slot]! - 1);
    }),
  );
  return drifts.some(Number.isNaN) ? NaN : Math.max(...drifts);
}

/** In a row of statistics; see kernel_params.h. */
const lossSlot = 1;
