import { NormscopeError } from './errors.js';
import type { Executor } from './executor.js';
import { requireGpu, traitsOf } from './gpu-device.js';
import { layoutArena, type TensorRange } from './gpu-layout.js';
import { isLost, watchDevice } from './gpu-loss.js';
import { StagingPool } from './gpu-memory.js';
import { checked } from './gpu-pipelines.js';
import { allocatePlan, type PlanMemory } from './gpu-plan-memory.js';
import { schedule } from './gpu-schedule.js';
import { missingKernels, type Traits } from './gpu-shaders.js';
import { encodeSteps, prepareSteps, type Step } from './gpu-steps.js';
import type { Phase, PlanInfo, TensorInfo } from './types.js';

export { missingKernels } from './gpu-shaders.js';

export interface GpuExecutorRequest {
  plan: PlanInfo;
  /** Default: the device that the page shares. */
  device?: GPUDevice;
  /** The phases that will be run. Default: all that have dispatches. */
  phases?: Phase[];
  /** Which shaders to take; default: what is known of the device. */
  traits?: Traits;
}

/** An executor whose steps can share a submit with others, and whose tensors can be copied on the GPU. */
export interface GpuExecutor extends Executor {
  readonly gpu: GPUDevice;
  /** Bytes of its buffers. */
  readonly bytes: number;
  /** Appends the phases to an encoder; errors are the caller's to catch (`checked` in gpu-pipelines.ts). */
  encode(encoder: GPUCommandEncoder, phases: Phase[]): void;
  /** Where a tensor lies; bytes. */
  location(tensor: TensorInfo): { buffer: GPUBuffer; offset: number; size: number };
}

/**
 * Gives a plan GPU memory and makes everything that a run needs: buffers, pipelines, bind groups. Rejects with
 * 'no-webgpu', 'missing-kernels' (naming them), 'too-large' (naming the tensor), 'out-of-memory' or 'gpu-refused'.
 */
export async function createGpuExecutor(request: GpuExecutorRequest): Promise<GpuExecutor> {
  const { plan, phases } = request;
  const wanted = phases ?? (Object.keys(plan.phases) as Phase[]);
  const missing = missingKernels(plan, wanted);
  if (missing.length > 0)
    throw new NormscopeError(
      'missing-kernels',
      `no WebGPU kernel yet for ${missing.join(', ')}; use device "wasm" or "auto"`,
    );
  const device = request.device ?? (await requireGpu()).device;
  const traits = request.traits ?? traitsOf(device);
  const layout = layoutArena(plan.tensors, device.limits);
  const jobs = new Map(
    wanted.map((phase) => [phase, schedule(plan, phase, { layout, limits: device.limits, traits })] as const),
  );
  const memory = await allocatePlan(layout, [...jobs.values()].flat(), device);
  try {
    const steps = await prepareSteps(jobs, memory, traits);
    return new PlanReplay(plan, memory, steps);
  } catch (error) {
    memory.free();
    throw error;
  }
}

/** Replays a plan on WebGPU: one command encoder and one submit per run. */
class PlanReplay implements GpuExecutor {
  readonly device = 'webgpu';
  private readonly indices: Map<string, number>;
  private readonly staging: StagingPool;
  private readonly proven = new Set<Phase>();
  private freed = false;

  constructor(
    private readonly plan: PlanInfo,
    private readonly memory: PlanMemory,
    private readonly steps: ReadonlyMap<Phase, Step[]>,
  ) {
    this.indices = new Map(plan.tensors.map(({ name }, index) => [name, index]));
    this.staging = new StagingPool(memory.device);
    watchDevice(memory.device);
  }

  get gpu(): GPUDevice {
    return this.memory.device;
  }

  get bytes(): number {
    return this.memory.bytes;
  }

  write(tensor: TensorInfo, data: Float32Array): void {
    const { buffer, offset, size } = this.range(tensor, data);
    if (size > 0)
      this.memory.device.queue.writeBuffer(this.memory.buffers[buffer]!, offset, data as Float32Array<ArrayBuffer>);
  }

  location(tensor: TensorInfo): { buffer: GPUBuffer; offset: number; size: number } {
    const { buffer, offset, size } = this.rangeOf(tensor);
    return { buffer: this.memory.buffers[buffer]!, offset, size };
  }

  encode(encoder: GPUCommandEncoder, phases: Phase[]): void {
    this.requireReady();
    encodeSteps(
      encoder,
      phases.flatMap((phase) => this.stepsOf(phase)),
    );
  }

  /** Submits the phases. The first run of a phase resolves when WebGPU has accepted it; later ones return at once. */
  run(phases: Phase[]): void | Promise<void> {
    this.requireReady();
    const steps = phases.flatMap((phase) => this.stepsOf(phase));
    const unproven = phases.filter((phase) => !this.proven.has(phase));
    if (unproven.length === 0) return this.submit(steps);
    return checked(this.memory.device, `the phases ${phases.join(', ')}`, () => this.submit(steps)).then(() =>
      unproven.forEach((phase) => this.proven.add(phase)),
    );
  }

  async read(tensor: TensorInfo, into = new Float32Array(tensor.size)): Promise<Float32Array> {
    const { buffer, offset, size } = this.range(tensor, into);
    if (size === 0) return into;
    try {
      await this.staging.read(this.memory.buffers[buffer]!, offset, size, into);
      return into;
    } catch (cause) {
      await this.settledLoss();
      this.requireReady(cause);
      throw new NormscopeError('gpu-refused', `reading ${tensor.name} from the GPU failed: ${String(cause)}`, {
        cause,
      });
    }
  }

  free(): void {
    if (this.freed) return;
    this.freed = true;
    this.staging.close();
    this.memory.free();
  }

  private submit(steps: Step[]): void {
    if (steps.length === 0) return;
    const encoder = this.memory.device.createCommandEncoder({ label: 'plan' });
    encodeSteps(encoder, steps);
    this.memory.device.queue.submit([encoder.finish()]);
  }

  private stepsOf(phase: Phase): Step[] {
    const steps = this.steps.get(phase);
    if (!steps) throw new NormscopeError('bad-option', `phase ${phase} was not prepared for WebGPU`);
    return steps;
  }

  private range(tensor: TensorInfo, data: Float32Array): TensorRange {
    const range = this.rangeOf(tensor);
    const size = range.size / 4;
    if (data.length === size) return range;
    throw new NormscopeError('bad-size', `tensor ${tensor.name} holds ${size} floats; the array has ${data.length}`);
  }

  private rangeOf({ name }: TensorInfo): TensorRange {
    this.requireReady();
    const index = this.indices.get(name);
    if (index === undefined) throw new NormscopeError('unknown-tensor', `the plan has no tensor ${name}`);
    return this.memory.ranges[index]!;
  }

  /** A read may fail a moment before the loss that caused it is announced. */
  private settledLoss(): Promise<unknown> {
    return Promise.race([this.memory.device.lost, new Promise((resolve) => setTimeout(resolve, 10))]);
  }

  private requireReady(cause?: unknown): void {
    if (this.freed) throw new NormscopeError('freed', 'this GPU session was freed; make a new one', { cause });
    if (isLost(this.memory.device))
      throw new NormscopeError('device-lost', 'the GPU was lost (driver reset or removed); make a new session', {
        cause,
      });
  }
}
