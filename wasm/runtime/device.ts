/** Loading the package, and settling where calls run that do not say so. */
import { checkChoice, checkDevice, checkKeys } from './checks.js';
import { startEngine } from './core.js';
import { abortable } from './errors.js';
import { requestGpu } from './gpu-device.js';
import { faster, stepsPerSecond } from './measure.js';
import { runCoreOp } from './op-runner.js';
import type { Device, DeviceWish, LoadOptions, LoadResult } from './types.js';
import { settled, settleOn } from './wish.js';

const LOAD_KEYS = ['device', 'math', 'signal', 'wasmBinary', 'wasmUrl'];

/**
 * Starts the core. May be called any number of times and at any time: the start is shared, what an option leaves out
 * stays as it was, and a failed start changes nothing and may be tried again. Every other call starts the core by
 * itself, so this is for choosing options and for paying early.
 *
 * `device` is for later calls that name none. 'webgpu': they run on the GPU, and on WASM where it does not take one;
 * without a usable adapter the result says `device: 'wasm'`. 'auto': one-shot calls run where a norm of 512 × 768 came
 * out sooner, copies included (a software adapter is not tried); sessions are each timed with their own plan.
 * @throws NormscopeError bad-option | no-wasm | wasm-refused | core-not-found | core-broken | aborted
 */
export async function load(options: LoadOptions = {}): Promise<LoadResult> {
  checkKeys('load', options, LOAD_KEYS);
  const wish = checkDevice(options.device);
  checkChoice('math', options.math, ['exact', 'fast']);
  const engine = await startEngine(options);
  if (wish) settleOn({ wish, ...(await abortable(settle(wish), options.signal, 'the search for a GPU')) });
  const { device, adapter } = settled();
  return { device, adapter, simd: engine.simd, version: engine.version };
}

const onWasm = { device: 'wasm', adapter: null } as const;

async function settle(wish: DeviceWish): Promise<Pick<LoadResult, 'device' | 'adapter'>> {
  if (wish === 'wasm') return onWasm;
  const gpu = await requestGpu();
  if (gpu.state !== 'ready') return onWasm;
  const { adapter } = gpu;
  if (wish === 'webgpu') return { device: 'webgpu', adapter };
  return !gpu.fallback && (await timeNorm()) === 'webgpu' ? { device: 'webgpu', adapter } : onWasm;
}

/** Where one LayerNorm of 512 rows of 768 comes out sooner. */
async function timeNorm(): Promise<Device> {
  const call = { op: 'layernorm_forward', params: { rows: 512, d: 768, eps: 1e-5 }, phases: ['forward' as const] };
  const x = Float32Array.from({ length: 512 * 768 }, (_, i) => Math.sin(i));
  const rate = (device: Device): Promise<number> =>
    stepsPerSecond({
      budget: 100,
      run: async (times) => {
        for (let i = 0; i < times; ++i) await runCoreOp({ ...call, inputs: { x }, outputs: { y: undefined }, device });
      },
    });
  try {
    return faster({ wasm: await rate('wasm'), webgpu: await rate('webgpu') });
  } catch {
    return 'wasm';
  }
}
