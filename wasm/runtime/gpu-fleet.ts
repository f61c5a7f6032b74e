/**
 * Models that train together on the GPU: all have one plan, with a row of every tensor for each of them. The core draws
 * their batches and knows their initial values; it never holds the plan's memory.
 */
import type { Core, Engine } from './core.js';
import { createGpuExecutor, type GpuExecutor } from './gpu-executor.js';
import { drawnInputs, uploadInitialValues } from './gpu-inputs.js';
import { readRanges, type BufferRange } from './gpu-readback.js';
import { findTensor } from './plan.js';
import { captureSnapshot, carriedOver } from './snapshot.js';
import { dataLines, specsLines } from './spec.js';
import type { ModelSpec, Phase, PlanInfo, Snapshot, TensorInfo, TrainingData } from './types.js';

/** Statistics before the update, so that bounds are of the same parameters as the activations. */
const STEP: Phase[] = ['forward', 'backward', 'observe', 'update'];

export interface FleetRequest {
  engine: Engine;
  device: GPUDevice;
  specs: ModelSpec[];
  data: TrainingData;
  /** Where a model goes on from, in the order of the specs. */
  from: (Snapshot | undefined)[];
}

/** Rejects as createGpuExecutor does, and for specs or data that the core refuses. */
export async function openFleet({ engine, device, specs, data, from }: FleetRequest): Promise<GpuFleet> {
  const core = engine.create('model', specsLines(specs), dataLines(data));
  let executor: GpuExecutor | undefined;
  try {
    const plan = core.describe();
    executor = await createGpuExecutor({ plan, device, phases: STEP });
    core.allocateInputs();
    const fleet = new GpuFleet(core, plan, executor);
    await fleet.begin(from);
    return fleet;
  } catch (error) {
    executor?.free();
    core.free();
    throw error;
  }
}

export class GpuFleet {
  readonly nModel: number;
  /** Floats of a step's statistics, [nModel][rowWidth]. */
  readonly nStatistic: number;
  readonly #ring: TensorInfo;
  readonly #inputs: TensorInfo[];

  constructor(
    private readonly core: Core,
    readonly plan: PlanInfo,
    private readonly executor: GpuExecutor,
  ) {
    this.#ring = findTensor(plan, plan.observe!.ring);
    this.nModel = this.#ring.nModel;
    this.nStatistic = this.nModel * plan.observe!.rowWidth;
    this.#inputs = drawnInputs(plan);
  }

  /** Bytes on the GPU. */
  get bytes(): number {
    return this.executor.bytes;
  }

  /** The plan as if the model were alone in it. */
  planOf(model: number): PlanInfo {
    return { ...this.plan, spec: this.plan.models[model]! };
  }

  /** Initial values, and over them the states to go on from. */
  async begin(from: (Snapshot | undefined)[]): Promise<void> {
    await uploadInitialValues(this.core, this.plan, this.executor);
    from.forEach((snapshot, model) => snapshot && this.#restore(model, snapshot));
  }

  /** Draws every model's batch of update `step` (from 1) and puts it into the queue. */
  drawBatch(step: number): void {
    this.core.setStep(step - 1);
    this.core.beginStep('train');
    for (const tensor of this.#inputs) void this.executor.write(tensor, this.core.inputs(tensor.name));
  }

  /** One update, and then its row of the ring of every model into `target`, before a later step can overwrite it. */
  encodeStep(encoder: GPUCommandEncoder, step: number, target: { buffer: GPUBuffer; offset: number }): void {
    this.executor.encode(encoder, STEP);
    const { nRing, rowWidth } = this.plan.observe!;
    for (let model = 0; model < this.nModel; ++model) {
      const { buffer, offset } = this.#rangeOf(this.#ring, model);
      const row = offset + ((step - 1) % nRing) * rowWidth * 4;
      encoder.copyBufferToBuffer(buffer, row, target.buffer, target.offset + model * rowWidth * 4, rowWidth * 4);
    }
  }

  /** Of the moment of the call: after the steps submitted so far. Each restores anywhere, also into a plan of one model. */
  async snapshots(models: number[]): Promise<Snapshot[]> {
    const tensors = carriedOver(this.plan);
    const ranges = models.flatMap((model) => tensors.map((tensor) => this.#rangeOf(tensor, model)));
    const arrays = await readRanges(this.executor.gpu, ranges);
    return Promise.all(
      models.map((model, i) =>
        captureSnapshot(this.planOf(model), (tensor) => arrays[i * tensors.length + tensors.indexOf(tensor)]!),
      ),
    );
  }

  free(): void {
    this.executor.free();
    this.core.free();
  }

  /** Not checked as a caller's snapshot is: it is this run's own. */
  #restore(model: number, { tensors }: Snapshot): void {
    for (const [name, data] of Object.entries(tensors)) {
      const { buffer, offset } = this.#rangeOf(findTensor(this.plan, name), model);
      this.executor.gpu.queue.writeBuffer(buffer, offset, data as Float32Array<ArrayBuffer>);
    }
  }

  #rangeOf(tensor: TensorInfo, model: number): BufferRange {
    const { buffer, offset, size } = this.executor.location(tensor);
    const each = size / this.nModel;
    return { buffer, offset: offset + model * each, size: each };
  }
}
