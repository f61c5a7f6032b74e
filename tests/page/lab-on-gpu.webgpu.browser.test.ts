// The stability lab on a real adapter (emulated, so the nets are tiny): every placement, and every way to lose the GPU.
import { PLACEMENTS, type Verdict } from 'normscope';
import type { NormscopeStabilityLab } from 'normscope/elements';
import 'normscope/elements';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { closeIdleGpuHost } from '../../wasm/worker/gpu-host.js';
import { lab as messages } from '../../web/locales/lab.js';
import { losable } from '../package/losable-worker.js';

const LONG = 180_000;
const t = messages.en;
const TINY = { nLayer: 1, dModel: 8, nHead: 1, nBatch: 1, nCtx: 8, learningRate: 0.01, source: 'markov' } as const;
/** Losses of a few steps agree to this, relative. */
const NEAR = 0.005;

type Settings = NormscopeStabilityLab['settings'];

async function show(device: string, change: Partial<Settings>): Promise<NormscopeStabilityLab> {
  const element = document.createElement('normscope-stability-lab') as NormscopeStabilityLab;
  element.lang = 'en';
  element.setAttribute('device', device);
  document.body.append(element);
  element.settings = { ...element.settings, ...TINY, ...change };
  await element.updateComplete;
  return element;
}

const textOf = (element: HTMLElement, selector: string) =>
  [...element.shadowRoot!.querySelectorAll(selector)].map((node) => node.textContent!.trim().replace(/\s+/g, ' '));
const stepOf = (element: HTMLElement) => Number(element.shadowRoot!.querySelector('progress')!.getAttribute('value'));

/** Runs to the end; `during` is called once the runs have begun. */
async function verdictsOf(
  element: NormscopeStabilityLab,
  during?: () => Promise<unknown> | unknown,
): Promise<Verdict[]> {
  const ended = new Promise<Verdict[]>((resolve) =>
    element.addEventListener('normscope-verdict', (event) => resolve((event as CustomEvent<Verdict[]>).detail), {
      once: true,
    }),
  );
  await element.run();
  await during?.();
  const verdicts = await ended;
  await element.updateComplete;
  return verdicts;
}

function expectSame(verdicts: readonly Verdict[], wanted: readonly Verdict[], names: readonly string[]): void {
  verdicts.forEach((verdict, i) => {
    expect([names[i], verdict.code, verdict.step]).toEqual([names[i], wanted[i]!.code, wanted[i]!.step]);
    const drift = Math.abs(verdict.finalLoss - wanted[i]!.finalLoss) / wanted[i]!.finalLoss;
    expect(drift, `${names[i]}: final loss ${verdict.finalLoss}, not ${wanted[i]!.finalLoss}`).toBeLessThan(NEAR);
  });
}

afterEach(() => {
  document.body.replaceChildren();
  vi.restoreAllMocks();
});

test(
  'every placement trains wholly on WebGPU, to the verdict that WASM gives it',
  async () => {
    const names = PLACEMENTS.map(({ name }) => name);
    const onCore = await verdictsOf(await show('wasm', { placements: names, steps: 5 }));
    document.body.replaceChildren();
    const element = await show('webgpu', { placements: names, steps: 5 });
    const onGpu = await verdictsOf(element);
    expect(onGpu.map(({ code }) => code)).toEqual(names.map(() => 'finished'));
    expectSame(onGpu, onCore, names);
    expect(textOf(element, '.badge')).toEqual(['WebGPU']);
    expect(textOf(element, '.machine .why')[0]).toContain(t.machine.reasons.asked);
    expect(textOf(element, '.machine dt')).toContain(t.machine.onGpu);
    expect(textOf(element, '.notices p')).toEqual([]);
  },
  LONG,
);

test(
  'several seeds of a placement share one plan on the GPU, and its bytes are counted once',
  async () => {
    const bytes = async (nSeed: number) => {
      const element = await show('webgpu', { placements: ['pre-ln'], nSeed, steps: 2 });
      await verdictsOf(element);
      const at = textOf(element, '.machine dt').indexOf(t.machine.onGpu);
      return Number.parseFloat(textOf(element, '.machine dd')[at]!);
    };
    const [one, three] = [await bytes(1), await bytes(3)];
    expect(three / one).toBeGreaterThan(1.5);
    expect(three / one).toBeLessThan(3.5);
  },
  LONG,
);

describe('a run on WebGPU', () => {
  const PAIR = { placements: ['pre-ln', 'peri-ln'], steps: 60 };
  const PageWorker = globalThis.Worker;
  let made: Worker[];
  let wanted: Verdict[];

  beforeEach(async () => {
    wanted = await verdictsOf(await show('wasm', PAIR));
    document.body.replaceChildren();
    made = [];
    closeIdleGpuHost(); // one that waits would be taken instead of a new one
    globalThis.Worker = class extends PageWorker {
      constructor(url: string | URL, options?: WorkerOptions) {
        super(losable(url), options);
        made.push(this);
      }
    };
  });
  afterEach(() => {
    closeIdleGpuHost();
    globalThis.Worker = PageWorker;
  });

  function kill(worker: Worker): void {
    worker.terminate();
    worker.dispatchEvent(new ErrorEvent('error', { message: 'killed' }));
  }

  async function disturbed(disturb: () => void): Promise<NormscopeStabilityLab> {
    const element = await show('webgpu', PAIR);
    const verdicts = await verdictsOf(element, async () => {
      await expect.poll(() => stepOf(element), { timeout: LONG, interval: 10 }).toBeGreaterThan(5);
      disturb();
    });
    expectSame(verdicts, wanted, PAIR.placements);
    expect(element.shadowRoot!.querySelectorAll('[role=alert]').length).toBe(0);
    return element;
  }

  test(
    'that is denied the GPU computes with WASM, to the same verdict',
    async () => {
      vi.spyOn(GPU.prototype, 'requestAdapter').mockResolvedValue(null);
      const element = await show('webgpu', PAIR);
      expectSame(await verdictsOf(element), wanted, PAIR.placements);
      expect(textOf(element, '.badge')).toEqual(['WebAssembly']);
      expect(textOf(element, '.notices p')).toEqual([t.notices.fallback(t.machine.reasons['no-webgpu'])]);
    },
    LONG,
  );

  test(
    'whose worker is killed goes on in a new one, says so, and ends with the same verdict',
    async () => {
      const element = await disturbed(() => kill(made[0]!));
      expect(made.length).toBe(2);
      expect(textOf(element, '.badge')).toEqual(['WebGPU']);
      expect(textOf(element, '.notices p')[0]).toContain(t.notices.worker);
    },
    LONG,
  );

  test(
    'whose device is lost goes on with a new device, says so, and ends with the same verdict',
    async () => {
      const element = await disturbed(() => made[0]!.postMessage({ type: 'lose' }));
      expect(textOf(element, '.badge')).toEqual(['WebGPU']);
      expect(textOf(element, '.notices p')[0]).toContain(t.notices.lost.webgpu);
    },
    LONG,
  );

  test(
    'that loses its GPU again and again ends with WASM and the same verdict, and its badge says why',
    async () => {
      const element = await show('webgpu', PAIR);
      const lose = async (nth: number) => {
        await expect.poll(() => made.length, { timeout: LONG, interval: 10 }).toBeGreaterThan(nth);
        const from = stepOf(element); // the worker has a device when it brings a step that was not there before
        await expect.poll(() => stepOf(element), { timeout: LONG, interval: 10 }).toBeGreaterThan(from + 2);
        made[nth]!.postMessage({ type: 'lose' });
      };
      const verdicts = await verdictsOf(element, async () => {
        await lose(0);
        await lose(1);
      });
      expectSame(verdicts, wanted, PAIR.placements);
      expect(textOf(element, '.machine .where dd')).toEqual([`WebAssembly ${t.machine.reasons['device-lost']}`]);
      expect(textOf(element, '.notices p').length).toBe(2);
      expect(textOf(element, '.notices p')[1]).toContain(t.notices.fallbackLater(t.machine.reasons['device-lost']));
    },
    LONG,
  );
});
