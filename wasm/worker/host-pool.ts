/** Where runs are computed: how many hosts, which runs on which, and how a host is opened. */
import { portableSource, type Engine } from '../runtime/core.js';
import { NormscopeError } from '../runtime/errors.js';
import type { TrainRequest } from '../runtime/types.js';
import { openInlinePort } from './inline-port.js';
import type { Port } from './protocol.js';
import { openWorkerPort, type CoreForWorker } from './worker-port.js';

export type Thread = TrainRequest['thread'];

/** As many hosts as there are processors, one less on a page that draws; never more than runs. */
export function poolSize(nRun: number, thread: Thread): number {
  if (thread === 'inline') return 1;
  const nProcessor =
    globalThis.navigator?.hardwareConcurrency ?? process.getBuiltinModule('node:os').availableParallelism();
  return Math.max(1, Math.min(nRun, typeof document === 'undefined' ? nProcessor : nProcessor - 1));
}

/** Deals the runs out to `nHost` hosts. */
export function share<T>(runs: T[], nHost: number): T[][] {
  const shares: T[][] = Array.from({ length: nHost }, () => []);
  runs.forEach((run, i) => shares[i % nHost]!.push(run));
  return shares;
}

/** Threads of Node have no navigator.gpu of their own: there the GPU is driven from the thread that has one. */
export const gpuThread = (thread: Thread): Thread => (thread === undefined && inNode() ? 'inline' : thread);

const inNode = (): boolean => typeof Worker !== 'function' && typeof process === 'object';

/** A host of the engine's build. */
export const openHost = (engine: Engine, thread: Thread): Promise<Port> =>
  openPort({ build: engine.build, module: engine.module, portable: portableSource(engine) }, thread);

/** A worker where one can be made, else slices of this thread. */
export async function openPort(core: CoreForWorker, thread: Thread): Promise<Port> {
  if (thread !== 'inline') {
    try {
      return await openWorkerPort(core);
    } catch (error) {
      if (thread === 'worker' || !(error instanceof NormscopeError)) throw error;
    }
  }
  return openInlineHost(core);
}

async function openInlineHost({ build, module }: CoreForWorker): Promise<Port> {
  const port = openInlinePort();
  await new Promise<void>((resolve, reject) => {
    port.onMessage = (message) => {
      if (message.type === 'failed') reject(new NormscopeError(message.error.code, message.error.message));
      else resolve();
    };
    port.post({ type: 'start', build, source: module });
  });
  return port;
}
