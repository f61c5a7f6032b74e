/** How long a silent worker is waited for. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { HostLink, type LinkOrder } from '../../wasm/worker/host-link.js';
import type { DeviceChoice } from '../../wasm/runtime/types.js';
import type { ClientMessage, Port } from '../../wasm/worker/protocol.js';

interface FakePort extends Port {
  posted: ClientMessage['type'][];
}

const ports: FakePort[] = [];
function openFake(): FakePort {
  const posted: ClientMessage['type'][] = [];
  const post = (message: ClientMessage): void => {
    posted.push(message.type);
    if (message.type === 'plan') queueMicrotask(() => port.onMessage({ type: 'planned', runs: [], adapter: null }));
  };
  const port: FakePort = {
    ...{ thread: 'worker', nHost: 1, posted, post },
    ...{ onMessage: () => {}, onLost: () => {}, close: () => {} },
  };
  ports.push(port);
  return port;
}

async function openLink(): Promise<HostLink> {
  const choice: DeviceChoice = { device: 'wasm', reason: 'asked', adapter: null, message: null };
  const order: LinkOrder = { runs: [{ run: 'a', spec: {} }], data: { kind: 'markov' }, steps: 100, choice };
  const events = { records: vi.fn(), progress: vi.fn(), ended: vi.fn(), failed: vi.fn(), notice: vi.fn() };
  const link = new HostLink(openFake(), async () => openFake(), order, events);
  await link.plan();
  return link;
}

const wait = (seconds: number): Promise<unknown> => vi.advanceTimersByTimeAsync(seconds * 1000);

describe('a silent worker', () => {
  beforeEach(() => {
    ports.length = 0;
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  });
  afterEach(() => void vi.useRealTimers());

  it('is given ten minutes for its first step, whose length is not known', async () => {
    const link = await openLink();
    void link.advance(10, false);
    await wait(590);
    expect(ports.length).toBe(1);
    await wait(30);
    expect(ports.length).toBe(2);
    link.close();
  });

  it('is given up after a minute when its steps were short', async () => {
    const link = await openLink();
    void link.advance(10, false);
    ports[0]!.onMessage({ type: 'progress', step: 1 });
    await wait(50);
    expect(ports.length).toBe(1);
    await wait(30);
    expect(ports.length).toBe(2);
    link.close();
  });

  it('is given ten times its longest step when that was long', async () => {
    const link = await openLink();
    void link.advance(10, false);
    await wait(45);
    ports[0]!.onMessage({ type: 'progress', step: 1 });
    await wait(380);
    expect(ports.length).toBe(1);
    await wait(80);
    expect(ports.length).toBe(2);
    link.close();
  });

  it('that owes nothing is left alone, and one that owes a snapshot is not', async () => {
    const link = await openLink();
    await wait(3600);
    expect(ports.length).toBe(1);
    void link.snapshots().catch(() => {});
    await wait(90);
    expect(ports.length).toBe(2);
    link.close();
  });
});
