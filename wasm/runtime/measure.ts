/** Which device is faster: the same work timed on both. Sessions and training measure with the plan that they will run. */
import type { Device } from './types.js';

export interface StepsPerSecond {
  wasm: number;
  webgpu: number;
}

/** A GPU has to win clearly: timings scatter, and WASM gives the same bits everywhere. */
const CLEAR_WIN = 1.15;

/** The faster device; WASM unless WebGPU wins clearly. A device that gave no rate (0, NaN) never wins. */
export const faster = ({ wasm, webgpu }: StepsPerSecond): Device =>
  webgpu > 0 && !(webgpu < CLEAR_WIN * wasm) ? 'webgpu' : 'wasm';

export interface TimingRequest {
  /** Runs so many steps and waits for the last one's result, as a reader of the results would. */
  run: (steps: number) => void | Promise<void>;
  /** Milliseconds after which no further round is begun. */
  budget?: number;
  /** Milliseconds; for tests. */
  now?: () => number;
}

/**
 * Steps in a second. One step goes ahead and pays for what only a first step needs; it counts only where it takes all the
 * time that there is. Then come rounds of 1, 2, 4, … steps until the budget is spent. The better of the last two rounds
 * gives the rate, so that neither a slow moment nor a wait at the end of each round decides.
 */
export async function stepsPerSecond({
  run,
  budget = 400,
  now = () => performance.now(),
}: TimingRequest): Promise<number> {
  const start = now();
  await run(1);
  let rates = [1000 / (now() - start)];
  for (let steps = 1; now() - start < budget; steps *= 2) {
    const begin = now();
    await run(steps);
    rates = [...rates.slice(-1), (1000 * steps) / (now() - begin)];
  }
  return Math.max(...rates);
}
