/** The rule that chooses between WASM and WebGPU, and the clockwork behind it: no test here looks at a real clock. */
import { describe, expect, it } from 'vitest';
import { faster, stepsPerSecond } from '../../wasm/runtime/measure.js';

describe('the faster device', () => {
  it('is WebGPU only where it wins by more than timings scatter', () => {
    expect(faster({ wasm: 100, webgpu: 200 })).toBe('webgpu');
    expect(faster({ wasm: 100, webgpu: 116 })).toBe('webgpu');
    expect(faster({ wasm: 100, webgpu: 110 })).toBe('wasm');
    expect(faster({ wasm: 100, webgpu: 3 })).toBe('wasm');
  });

  it('is never one that gave no rate', () => {
    expect(faster({ wasm: 100, webgpu: 0 })).toBe('wasm');
    expect(faster({ wasm: 100, webgpu: NaN })).toBe('wasm');
    expect(faster({ wasm: 0, webgpu: 0 })).toBe('wasm');
    expect(faster({ wasm: NaN, webgpu: 5 })).toBe('webgpu');
  });
});

/** A clock that work moves on: `cost(steps, call)` milliseconds for each call. */
function simulated(cost: (steps: number, call: number) => number) {
  let time = 0;
  const calls: number[] = [];
  const run = async (steps: number): Promise<void> => {
    time += cost(steps, calls.length);
    calls.push(steps);
  };
  return { calls, run, now: () => time, elapsed: () => time };
}

describe('stepsPerSecond', () => {
  it('does not count what the first step pays for all', async () => {
    const { run, now } = simulated((steps, call) => (call === 0 ? 300 : 2 * steps));
    expect(await stepsPerSecond({ run, now })).toBeCloseTo(500, 6);
  });

  it('sees through a fixed wait for each round', async () => {
    const { run, now } = simulated((steps) => 8 + 0.1 * steps);
    expect(await stepsPerSecond({ run, now })).toBeGreaterThan(8000);
  });

  it('forgives one slow round', async () => {
    const { run, now } = simulated((steps, call) => (call === 8 ? 5 : 1) * steps);
    expect(await stepsPerSecond({ run, now })).toBeCloseTo(1000, 6);
  });

  it('makes one step alone where that takes longer than the budget, and keeps within about twice the budget', async () => {
    const slow = simulated((steps) => 900 * steps);
    expect(await stepsPerSecond({ run: slow.run, now: slow.now })).toBeCloseTo(1000 / 900, 6);
    expect(slow.calls).toEqual([1]);
    const quick = simulated((steps) => 3 * steps);
    await stepsPerSecond({ run: quick.run, now: quick.now, budget: 400 });
    expect(quick.elapsed()).toBeLessThan(800 + 10);
  });
});
