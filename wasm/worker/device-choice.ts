/** Whether runs go to the GPU or to the pool of cores, and why. */
import type { Engine } from '../runtime/core.js';
import { findAdapter } from '../runtime/gpu-device.js';
import { faster } from '../runtime/measure.js';
import { planKey } from '../runtime/spec.js';
import type { Device, DeviceChoice, DeviceWish, TrainingData } from '../runtime/types.js';
import { poolSize, type Thread } from './host-pool.js';
import type { Port, RunPlan } from './protocol.js';

/** What was measured in this session, by adapter, runs and pool. */
const measured = new Map<string, DeviceChoice>();

export interface ChoiceRequest {
  engine: Engine;
  wish: DeviceWish;
  runs: RunPlan[];
  data: TrainingData;
  thread: Thread;
  /** Opens the host that would drive the GPU. */
  openHost: () => Promise<Port>;
}

/** With the host that was measured in, when that can go on with the runs. */
export interface Chosen {
  choice: DeviceChoice;
  host: Port | null;
}

/** 'auto' takes no software adapter, and times any other against the pool. */
export async function chooseDevice(request: ChoiceRequest): Promise<Chosen> {
  const { engine, wish, runs, data, thread } = request;
  if (wish === 'wasm') return chosen('wasm', 'asked');
  const found = await findAdapter();
  if (found.state !== 'ready') return chosen('wasm', 'no-webgpu', null, found.reason);
  if (wish === 'webgpu') return chosen('webgpu', 'asked', found.name);
  if (found.fallback) return chosen('wasm', 'software-adapter', found.name);
  const nHost = poolSize(runs.length, thread);
  const key = JSON.stringify([
    found.name,
    nHost,
    sizeOf(data),
    runs.map(({ spec }) => planKey(engine.ownFields, spec)),
  ]);
  const known = measured.get(key);
  if (known) return { choice: known, host: null };
  const host = await request.openHost();
  const choice = await measureIn(host, runs, data, nHost);
  if (choice.reason === 'measured') measured.set(key, choice);
  if (choice.device === 'webgpu') return { choice, host };
  if (host.release) host.release();
  else host.close();
  return { choice, host: null };
}

const chosen = (
  device: Device,
  reason: DeviceChoice['reason'],
  adapter: string | null = null,
  message: string | null = null,
): Chosen => ({ choice: { device, reason, adapter, message }, host: null });

/** Of a text only its length: what matters for speed is the vocabulary, which goes with it. */
const sizeOf = (data: TrainingData): unknown => (data.kind === 'text' ? data.text.length : data);

/** Hosts of a pool share the runs, so its speed is theirs together. */
function measureIn(port: Port, runs: RunPlan[], data: TrainingData, nHost: number): Promise<DeviceChoice> {
  return new Promise((resolve) => {
    const refuse = (reason: DeviceChoice['reason'], message: string): void =>
      resolve({ device: 'wasm', reason, adapter: null, message });
    port.onLost = (message) => refuse('device-lost', message);
    port.onMessage = (message) => {
      if (message.type === 'measured') {
        const stepsPerSecond = { wasm: message.wasm * nHost, webgpu: message.webgpu };
        resolve({
          device: faster(stepsPerSecond),
          reason: 'measured',
          adapter: message.adapter,
          stepsPerSecond,
          message: null,
        });
      }
      if (message.type === 'gpu-failed') resolve({ device: 'wasm', ...message.trouble });
      if (message.type === 'failed') refuse('gpu-refused', message.error.message); // planning without a GPU says it again
    };
    port.post({ type: 'measure', runs, data });
  });
}
