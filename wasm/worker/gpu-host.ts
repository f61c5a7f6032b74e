/**
 * The worker that drives the GPU. When its runs have ended it stays for a while with its device and its shaders, which
 * take longer to make than many a run.
 */
import type { Engine } from '../runtime/core.js';
import { gpuThread, openHost, type Thread } from './host-pool.js';
import type { Port } from './protocol.js';

/** Milliseconds that it waits for the next runs. */
const PATIENCE = 30_000;

interface Idle {
  module: WebAssembly.Module;
  /** Resolves when it has given up the memory of its last runs. */
  ready: Promise<void>;
  port: Port;
  timer: ReturnType<typeof setTimeout>;
}
let idle: Idle | null = null;

/** The worker that waits, or a new host; `release` lets it wait again. */
export async function openGpuHost(engine: Engine, thread: Thread): Promise<Port> {
  const known = idle?.module === engine.module && thread !== 'inline' ? idle : null;
  if (known) {
    clearTimeout(known.timer);
    idle = null;
    try {
      await known.ready;
      return lend(engine, known.port);
    } catch {
      known.port.close();
    }
  }
  const port = await openHost(engine, gpuThread(thread));
  return port.thread === 'worker' ? lend(engine, port) : port;
}

/** Ends the worker that waits, if one does. */
export function closeIdleGpuHost(): void {
  if (!idle) return;
  clearTimeout(idle.timer);
  idle.port.close();
  idle = null;
}

/** One that has failed does not wait. */
function lend(engine: Engine, port: Port): Port {
  let healthy = true;
  const lent: Port = {
    ...{ thread: port.thread, nHost: 1, onMessage: () => {}, onLost: () => {} },
    post: (message) => port.post(message),
    close: () => port.close(),
    release: () => (healthy ? keepIdle(engine, port) : port.close()),
  };
  port.onMessage = (message) => {
    if (message.type === 'failed' || message.type === 'gpu-failed') healthy = false;
    lent.onMessage(message);
  };
  port.onLost = (reason) => {
    healthy = false;
    lent.onLost(reason);
  };
  return lent;
}

function forget(port: Port): void {
  if (idle?.port === port) closeIdleGpuHost();
}

function keepIdle({ module, build }: Engine, port: Port): void {
  closeIdleGpuHost();
  const ready = new Promise<void>((resolve, reject) => {
    port.onMessage = ({ type }) => {
      if (type === 'started') resolve();
      if (type === 'failed' || type === 'unreadable') reject(new Error(type));
    };
    port.onLost = (reason) => {
      reject(new Error(reason));
      forget(port); // also long after it was ready
    };
  });
  const timer = setTimeout(closeIdleGpuHost, PATIENCE);
  (timer as { unref?: () => void }).unref?.();
  idle = { module, ready, port, timer };
  ready.catch(() => forget(port));
  port.post({ type: 'start', build, source: module });
}
