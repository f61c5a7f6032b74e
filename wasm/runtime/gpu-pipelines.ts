import { NormscopeError } from './errors.js';
import { shaderText, type ShaderRun, type Traits } from './gpu-shaders.js';

const computeStage = 0x4; // GPUShaderStage.COMPUTE, fixed by the WebGPU standard

interface DeviceCache {
  /** By number of operands. */
  layouts: Map<number, GPUBindGroupLayout>;
  pipelines: Map<string, Promise<GPUComputePipeline>>;
}
const caches = new WeakMap<GPUDevice, DeviceCache>();

function cacheOf(device: GPUDevice): DeviceCache {
  let cache = caches.get(device);
  if (!cache) caches.set(device, (cache = { layouts: new Map(), pipelines: new Map() }));
  return cache;
}

/** Binding 0: parameters; binding i + 1: operand i, read_write, because one buffer holds many operands of a dispatch. */
export function operandLayout(device: GPUDevice, operands: number): GPUBindGroupLayout {
  const { layouts } = cacheOf(device);
  let layout = layouts.get(operands);
  if (!layout) {
    const entries = Array.from({ length: operands + 1 }, (_, binding): GPUBindGroupLayoutEntry => {
      return { binding, visibility: computeStage, buffer: { type: binding === 0 ? 'uniform' : 'storage' } };
    });
    layouts.set(operands, (layout = device.createBindGroupLayout({ label: `${operands} operands`, entries })));
  }
  return layout;
}

/** The pipeline of a pass, compiled once per device. Rejects with 'gpu-refused', its name and the compiler's words. */
export function shaderPipeline(device: GPUDevice, run: ShaderRun, traits: Traits): Promise<GPUComputePipeline> {
  const { pipelines } = cacheOf(device);
  const { name, kernel, binds } = run.pass;
  const key = JSON.stringify([name, run.constants, traits.subgroups]);
  let pipeline = pipelines.get(key);
  if (!pipeline) {
    pipeline = compileShader(
      device,
      { name, kernel, source: shaderText(run, traits) },
      operandLayout(device, binds.length),
    );
    pipelines.set(key, pipeline);
    pipeline.catch(() => pipelines.delete(key));
  }
  return pipeline;
}

/** Compiles one shader; its entry point is the kernel's name. */
export async function compileShader(
  device: GPUDevice,
  { name, kernel, source }: { name: string; kernel: string; source: string },
  layout: GPUBindGroupLayout,
): Promise<GPUComputePipeline> {
  const module = await checked(device, `the shader ${name}`, () =>
    device.createShaderModule({ label: name, code: source }),
  );
  try {
    return await device.createComputePipelineAsync({
      label: name,
      layout: device.createPipelineLayout({ bindGroupLayouts: [layout] }),
      compute: { module, entryPoint: kernel },
    });
  } catch (error) {
    throw new NormscopeError('gpu-refused', `WebGPU refused the shader ${name}: ${(error as Error).message}`, {
      cause: error,
    });
  }
}

/**
 * Runs `work` (synchronous) inside error scopes and waits for the verdict: rejects with 'gpu-refused' or 'out-of-memory'
 * and `what` in the text. Scopes are opened and closed without a pause, so concurrent calls do not mix.
 */
export async function checked<T>(device: GPUDevice, what: string, work: () => T): Promise<T> {
  device.pushErrorScope('out-of-memory');
  device.pushErrorScope('validation');
  let result: T;
  let verdicts: Promise<[GPUError | null, GPUError | null]>;
  try {
    result = work();
  } finally {
    verdicts = Promise.all([device.popErrorScope(), device.popErrorScope()]);
    verdicts.catch(() => undefined); // a lost device answers with a rejection, reported below
  }
  const [invalid, memory] = await verdicts.catch((cause: unknown) => {
    throw new NormscopeError('device-lost', `the GPU was lost while preparing ${what}`, { cause });
  });
  if (invalid) throw new NormscopeError('gpu-refused', `WebGPU refused ${what}: ${invalid.message}`);
  if (memory) throw new NormscopeError('out-of-memory', `the GPU has no memory for ${what}: ${memory.message}`);
  return result;
}
