/** Several hosts as one: runs that leave the GPU go on in a pool, and whoever holds the port need not know. */
import { NormscopeError } from '../runtime/errors.js';
import { share } from './host-pool.js';
import type { ClientMessage, HostMessage, Port, RunLayout } from './protocol.js';

/** `open` opens one host; if one of them cannot be had, none is kept. */
export async function openPoolPort(nHost: number, open: () => Promise<Port>): Promise<Port> {
  const answers = await Promise.allSettled(Array.from({ length: nHost }, open));
  const ports = answers.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value] : []));
  if (ports.length === nHost) return new PoolPort(ports);
  for (const port of ports) port.close();
  throw answers.find((answer) => answer.status === 'rejected')?.reason as NormscopeError;
}

class PoolPort implements Port {
  onMessage: Port['onMessage'] = () => {};
  onLost: Port['onLost'] = () => {};
  readonly #steps: number[];
  readonly #layouts: RunLayout[][] = [];
  /** Answers that are complete only when every host has given its part, by id. */
  readonly #parts = new Map<number, HostMessage[]>();

  constructor(private readonly ports: Port[]) {
    this.#steps = ports.map(() => 0);
    ports.forEach((port, i) => {
      port.onMessage = (message) => this.#receive(message, i);
      port.onLost = (reason) => this.onLost(reason);
    });
  }

  get thread(): Port['thread'] {
    return this.ports[0]!.thread;
  }

  get nHost(): number {
    return this.ports.length;
  }

  post(message: ClientMessage): void {
    if (message.type !== 'plan') return this.ports.forEach((port) => port.post(message));
    const shares = share(message.runs, this.nHost);
    this.ports.forEach((port, i) => port.post({ ...message, runs: shares[i]! }));
  }

  close(): void {
    for (const port of this.ports) port.close();
  }

  #receive(message: HostMessage, host: number): void {
    switch (message.type) {
      case 'planned':
        this.#layouts[host] = message.runs;
        if (Object.keys(this.#layouts).length === this.nHost)
          this.onMessage({ ...message, runs: this.#layouts.flat() });
        return;
      case 'progress':
        this.#steps[host] = message.step;
        return this.onMessage({ type: 'progress', step: Math.min(...this.#steps) });
      case 'reached':
        this.#steps[host] = message.step;
        return this.#collect(message, () => ({ ...message, step: Math.min(...this.#steps) }));
      case 'snapshots':
        return this.#collect(message, (parts) => ({
          ...message,
          snapshots: Object.assign({}, ...parts.map(({ snapshots }) => snapshots)) as typeof message.snapshots,
        }));
      default:
        return this.onMessage(message);
    }
  }

  #collect<T extends HostMessage & { id: number }>(message: T, merge: (parts: T[]) => T): void {
    const parts = [...(this.#parts.get(message.id) ?? []), message] as T[];
    this.#parts.set(message.id, parts);
    if (parts.length < this.nHost) return;
    this.#parts.delete(message.id);
    this.onMessage(merge(parts));
  }
}
