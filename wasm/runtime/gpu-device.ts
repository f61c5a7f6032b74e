// Asks for WebGPU. A missing GPU is a normal answer, never an exception.
import { NormscopeError } from './errors.js';
import { whenLost } from './gpu-loss.js';
import type { Traits } from './gpu-shaders.js';

/** Why there is no GPU, or the device that this page shares. */
export type GpuAnswer = GpuReady | GpuMissing;
export interface GpuReady {
  state: 'ready';
  device: GPUDevice;
  /** Readable name, e.g. "google swiftshader". */
  adapter: string;
  /** True for a software adapter: correct, but slower than WASM. */
  fallback: boolean;
}
interface AdapterReady {
  state: 'ready';
  adapter: LooseAdapter;
  name: string;
  fallback: boolean;
}
export interface GpuMissing {
  /** No WebGPU in this engine; WebGPU but no adapter; an adapter that gave no device. */
  state: 'no-api' | 'no-adapter' | 'no-device';
  reason: string;
}

/** The part of GPUAdapter that we read; browsers leave some of it out. */
type LooseAdapter = Omit<GPUAdapter, 'info' | 'limits' | 'features'> & {
  features?: ReadonlySet<string>;
  info?: Partial<GPUAdapterInfo>;
  limits?: Partial<GPUSupportedLimits>;
  isFallbackAdapter?: boolean;
};

const shared = new WeakMap<GPU, Promise<GpuAnswer>>();

/**
 * The device of this page, made at the first request and shared by all who ask. Every device comes from a fresh adapter
 * (an adapter serves one request); after a loss or a refusal the next request starts anew.
 * In Node pass the `gpu` object of a WebGPU implementation, or set `navigator.gpu`.
 */
export function requestGpu(gpu: GPU | undefined = findGpu()): Promise<GpuAnswer> {
  if (!gpu) return Promise.resolve({ state: 'no-api', reason: whyNoApi() });
  const known = shared.get(gpu);
  if (known) return known;
  const answer = openDevice(gpu);
  shared.set(gpu, answer);
  const forget = () => {
    if (shared.get(gpu) === answer) shared.delete(gpu);
  };
  void answer.then((result) => (result.state === 'ready' ? whenLost(result.device, forget) : forget()));
  return answer;
}

/** The same for who cannot do without; rejects with 'no-webgpu', or 'gpu-refused' where an adapter gave no device. */
export async function requireGpu(): Promise<GpuReady> {
  const answer = await requestGpu();
  if (answer.state === 'ready') return answer;
  throw new NormscopeError(answer.state === 'no-device' ? 'gpu-refused' : 'no-webgpu', answer.reason);
}

const traits = new WeakMap<GPUDevice, Traits>();

/** What is known of a device; of one that was not made here, only its features. */
export const traitsOf = (device: GPUDevice): Traits =>
  traits.get(device) ?? { software: false, subgroups: device.features?.has('subgroups' as GPUFeatureName) ?? false };

function findGpu(): GPU | undefined {
  return globalThis.navigator?.gpu ?? undefined;
}

function whyNoApi(): string {
  if (globalThis.isSecureContext === false) return 'WebGPU needs a secure page (https or localhost)';
  return 'this engine offers no WebGPU (navigator.gpu is missing)';
}

/** The adapter that `requestGpu` would open, without making a device. */
export async function findAdapter(gpu: GPU | undefined = findGpu()): Promise<AdapterReady | GpuMissing> {
  if (!gpu) return { state: 'no-api', reason: whyNoApi() };
  try {
    const adapter = (await gpu.requestAdapter()) as LooseAdapter | null;
    if (adapter) return { state: 'ready', adapter, name: adapterName(adapter), fallback: isFallback(adapter) };
    return { state: 'no-adapter', reason: 'WebGPU is present, but it offers no adapter on this machine' };
  } catch (error) {
    return { state: 'no-adapter', reason: `WebGPU could not look for an adapter: ${textOf(error)}` };
  }
}

async function openDevice(gpu: GPU): Promise<GpuAnswer> {
  const found = await findAdapter(gpu);
  if (found.state !== 'ready') return found;
  const { adapter, name, fallback } = found;
  try {
    const subgroups = adapter.features?.has('subgroups') ?? false;
    const device = await adapter.requestDevice({
      requiredLimits: wantedLimits(adapter),
      requiredFeatures: subgroups ? ['subgroups' as GPUFeatureName] : [],
    });
    traits.set(device, { software: fallback, subgroups });
    return { state: 'ready', device, adapter: name, fallback };
  } catch (error) {
    return { state: 'no-device', reason: `the adapter ${name} gave no device: ${textOf(error)}` };
  }
}

/** The adapter's own limits for large tensors; everything else stays at the defaults that all devices share. */
function wantedLimits(adapter: LooseAdapter): Record<string, number> {
  const wanted: Record<string, number> = {};
  for (const limit of ['maxBufferSize', 'maxStorageBufferBindingSize'] as const) {
    const value = adapter.limits?.[limit];
    if (typeof value === 'number' && Number.isFinite(value)) wanted[limit] = value;
  }
  return wanted;
}

function adapterName(adapter: LooseAdapter): string {
  const { vendor, architecture, description, device } = adapter.info ?? {};
  const name = [vendor, architecture].filter(Boolean).join(' ');
  return name || description || device || 'unnamed adapter';
}

function isFallback(adapter: LooseAdapter): boolean {
  return adapter.info?.isFallbackAdapter ?? adapter.isFallbackAdapter ?? false;
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
