/** The worker's entry, in browsers and in Node: connects a host to the thread's messages. */
import { Host } from './host.js';
import type { ClientMessage, HostMessage } from './protocol.js';

interface MessageEnd {
  postMessage(message: HostMessage, transfer?: ArrayBuffer[]): void;
}

const inNode = typeof process === 'object' && typeof process.getBuiltinModule === 'function';

function connect(): void {
  const parentPort = inNode ? process.getBuiltinModule('node:worker_threads').parentPort : null;
  const end = (parentPort ?? globalThis) as unknown as MessageEnd;
  const post = (message: HostMessage, transfer: ArrayBuffer[] = []): void => end.postMessage(message, transfer);
  const host = new Host(post, true);
  if (parentPort) {
    parentPort.on('message', (message: ClientMessage) => void host.receive(message));
    parentPort.on('messageerror', () => post({ type: 'unreadable' }));
  } else {
    globalThis.addEventListener('message', (event) => void host.receive((event as MessageEvent<ClientMessage>).data));
    globalThis.addEventListener('messageerror', () => post({ type: 'unreadable' }));
  }
  post({ type: 'ready' });
}

connect();
