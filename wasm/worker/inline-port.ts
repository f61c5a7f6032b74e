import { Host } from './host.js';
import type { ClientMessage, HostMessage, Port } from './protocol.js';

/** A host on this thread. Messages still arrive in later turns, as they would from a worker. */
export function openInlinePort(): Port {
  let open = true;
  const later = (work: () => void): void => queueMicrotask(() => open && work());
  const deliver = (message: HostMessage): void => later(() => port.onMessage(message));
  const host = new Host(deliver, false);
  const port: Port = {
    thread: 'inline',
    nHost: 1,
    onMessage: () => {},
    onLost: () => {},
    post: (message: ClientMessage) => later(() => void host.receive(message)),
    close: () => {
      open = false;
      host.close();
    },
  };
  return port;
}
