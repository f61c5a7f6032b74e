/**
 * Makes a worker where that is possible. Pages may refuse one way and allow the next (another origin, a sandboxed
 * frame, a content security policy), and some refusals arrive late: every way is tried with a handshake.
 */
import type { CoreModule } from '../runtime/core-files.js';
import { NormscopeError } from '../runtime/errors.js';
import type { HostMessage, Port } from './protocol.js';
import { workerUrl } from './worker-file.js';

/** Milliseconds that a worker may take to answer. */
const HANDSHAKE = 8000;

/** The core for a worker: the compiled module, and a source that also reaches a worker of another origin. */
export interface CoreForWorker {
  build: CoreModule;
  module: WebAssembly.Module;
  portable: ArrayBuffer | Uint8Array | string;
}

/** What browsers' workers and Node's have in common. */
interface WorkerEnd {
  postMessage(message: unknown): void;
  listen(onMessage: (message: HostMessage) => void, onLost: (reason: string) => void): void;
  terminate(): void;
}

type Way = 'url' | 'blob' | 'data' | 'node';
const makers: Record<Way, () => WorkerEnd> = {
  url: () => pageWorker(workerUrl().href),
  blob: () => pageWorker(URL.createObjectURL(new Blob([importOf(workerUrl())], { type: 'text/javascript' }))),
  data: () => pageWorker(`data:text/javascript,${encodeURIComponent(importOf(workerUrl()))}`),
  node: nodeWorker,
};
const importOf = (url: URL): string => `import ${JSON.stringify(url.href)};`;

/** The way that worked last. */
let proven: Way | null = null;

/** What this engine offers, the proven way first. */
function waysHere(): Way[] {
  const ways: Way[] = typeof Worker === 'function' ? ['url', 'blob', 'data'] : inNode() ? ['node'] : [];
  return proven ? [proven, ...ways.filter((way) => way !== proven)] : ways;
}

const inNode = (): boolean => typeof process === 'object' && typeof process.getBuiltinModule === 'function';

/**
 * A port to a worker whose core has started.
 * @throws NormscopeError worker-refused, naming each way and why it failed
 */
export async function openWorkerPort(core: CoreForWorker): Promise<Port> {
  const reasons: string[] = [];
  for (const way of waysHere()) {
    try {
      const port = await shakeHands(way, core);
      proven = way;
      return port;
    } catch (error) {
      reasons.push(`${way}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  throw new NormscopeError(
    'worker-refused',
    `no worker could be made here (${reasons.join('; ') || 'this engine has none'})`,
  );
}

function shakeHands(way: Way, core: CoreForWorker): Promise<Port> {
  return new Promise((resolve, reject) => {
    const end = makers[way]();
    const port: Port = {
      thread: 'worker',
      nHost: 1,
      post: (message) => end.postMessage(message),
      onMessage: () => {},
      onLost: () => {},
      close: () => end.terminate(),
    };
    const timer = setTimeout(() => fail(`no answer within ${HANDSHAKE / 1000} s`), HANDSHAKE);
    let settled = false;
    const fail = (reason: string): void => {
      clearTimeout(timer);
      if (settled) return port.onLost(reason);
      settled = true;
      end.terminate();
      reject(new Error(reason));
    };
    let source: WebAssembly.Module | CoreForWorker['portable'] = way === 'data' ? core.portable : core.module;
    const start = (): void => end.postMessage({ type: 'start', build: core.build, source });
    end.listen((message) => {
      if (settled) return port.onMessage(message);
      if (message.type === 'ready') return start();
      if (message.type === 'failed') return fail(message.error.message);
      if (message.type === 'unreadable' && source === core.module) {
        source = core.portable;
        return start();
      }
      if (message.type !== 'started') return;
      clearTimeout(timer);
      settled = true;
      resolve(port);
    }, fail);
  });
}

function pageWorker(url: string): WorkerEnd {
  const worker = new Worker(url, { type: 'module', name: 'normscope' });
  return {
    postMessage: (message) => worker.postMessage(message),
    listen: (onMessage, onLost) => {
      worker.onmessage = (event: MessageEvent<HostMessage>) => onMessage(event.data);
      worker.onmessageerror = () => onLost('a message of the worker could not be read');
      worker.onerror = (event) => {
        event.preventDefault();
        onLost(event.message || 'the worker script could not be loaded');
      };
    },
    terminate: () => {
      worker.terminate();
      if (url.startsWith('blob:')) URL.revokeObjectURL(url);
    },
  };
}

function nodeWorker(): WorkerEnd {
  const { Worker: NodeWorker } = process.getBuiltinModule('node:worker_threads');
  const worker = new NodeWorker(workerUrl());
  let over = false;
  return {
    postMessage: (message) => worker.postMessage(message),
    listen: (onMessage, onLost) => {
      const lost = (reason: string): void => {
        if (over) return;
        over = true;
        onLost(reason);
      };
      worker.on('message', onMessage);
      worker.on('error', (error) => lost(error instanceof Error ? error.message : String(error)));
      worker.on('exit', (code) => lost(`the worker ended with exit code ${code}`));
    },
    terminate: () => {
      over = true;
      void worker.terminate();
    },
  };
}
