/** How much of a sweep is done and how long the rest may take. Only for people who wait: nothing of it is recorded. */
import type { ModelSpec } from '../runtime/types.js';
import type { Cell } from './grid.js';

/** Multiplications of a training step, up to a factor: enough to weigh cells against each other. */
export function workOf({ spec }: Pick<Cell, 'spec'>): number {
  const { nLayer = 6, dModel = 32, nBatch = 4, nCtx = 32 }: ModelSpec = spec;
  const size = nBatch * nCtx * (12 * nLayer * dModel ** 2 + 64 * dModel);
  return Number.isFinite(size) && size > 0 ? size : 1;
}

export class WorkClock {
  /** Seconds before the present stretch of running. */
  #before = 0;
  #since: number | null = null;
  #kept = 0;
  #done = 0;

  constructor(private readonly total: number) {}

  run(): void {
    this.#since ??= performance.now();
  }

  hold(): void {
    this.#before = this.seconds;
    this.#since = null;
  }

  /** Work that was done in an earlier call. */
  keep(work: number): void {
    this.#kept += work;
  }

  finish(work: number): void {
    this.#done += work;
  }

  get seconds(): number {
    return this.#before + (this.#since === null ? 0 : (performance.now() - this.#since) / 1000);
  }

  /** `underWay`: work of the cells that run now, as far as it is done. */
  estimate(underWay: number): { fraction: number; seconds: number; secondsLeft: number | null } {
    const { seconds } = this;
    const made = this.#done + underWay;
    const left = Math.max(0, this.total - this.#kept - made);
    const secondsLeft = left === 0 ? 0 : made > 0 && seconds > 0.5 ? (seconds * left) / made : null;
    return { fraction: this.total > 0 ? Math.min(1, (this.#kept + made) / this.total) : 1, seconds, secondsLeft };
  }
}
