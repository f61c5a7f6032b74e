/** Runs that the core computes on this thread, one step of each after the other. */
import type { Engine } from '../runtime/core.js';
import type { Snapshot, TrainingData } from '../runtime/types.js';
import type { KeptState, RunLayout, RunPlan } from './protocol.js';
import { RunState } from './run-state.js';
import { keepInterval, SLICE, type Ended, type Stepper } from './stepper.js';
import { nextTurn } from './turns.js';

export class CpuRuns implements Stepper {
  readonly inFlight = false;
  #runs: RunState[] = [];

  /** `keeps`: whether this thread can be lost without its client. */
  constructor(
    engine: Engine,
    plans: RunPlan[],
    data: TrainingData,
    private readonly nStep: number,
    private readonly keeps: boolean,
  ) {
    try {
      for (const plan of plans) this.#runs.push(new RunState(engine, plan, data));
    } catch (error) {
      this.free();
      throw error;
    }
  }

  get layouts(): RunLayout[] {
    return this.#runs.map((run) => run.layout);
  }

  get nRun(): number {
    return this.#runs.length;
  }

  get step(): number {
    return Math.min(this.nStep, ...this.#runs.map((run) => run.step));
  }

  /** Runs that were kept at a later step than others wait for them. */
  slice(limit: number): void {
    const end = performance.now() + SLICE;
    while (this.step < limit && !this.hasEnded) {
      const { step } = this;
      for (const run of this.#runs) if (run.step === step) run.takeStep(this.nStep);
      if (performance.now() >= end) return;
    }
  }

  turn(): Promise<void> {
    return nextTurn();
  }

  takeRows(): { run: string; rows: Float32Array }[] {
    return this.#runs.flatMap((state) => {
      const rows = state.takeRows();
      return rows ? [{ run: state.run, rows }] : [];
    });
  }

  get hasEnded(): boolean {
    return this.#runs.some((run) => run.verdict);
  }

  async takeEnded(): Promise<Ended[]> {
    const ended = this.#runs.filter((run) => run.verdict);
    this.#runs = this.#runs.filter((run) => !run.verdict);
    return ended.map((state) => {
      const snapshot = state.snapshot();
      state.free();
      return { run: state.run, verdict: state.verdict!, snapshot };
    });
  }

  stop(): void {
    for (const run of this.#runs) run.stop();
  }

  async snapshots(): Promise<Record<string, Snapshot>> {
    return Object.fromEntries(this.#runs.map((run) => [run.run, run.snapshot()]));
  }

  keepDue(elapsed: number, interval: number): boolean {
    const nParameter = this.#runs.reduce((sum, run) => sum + run.layout.info.nParameter, 0);
    return this.keeps && this.nRun > 0 && elapsed >= keepInterval(interval, nParameter);
  }

  async kept(): Promise<Record<string, KeptState>> {
    return Object.fromEntries(this.#runs.map((run) => [run.run, run.kept()]));
  }

  free(): void {
    for (const run of this.#runs) run.free();
    this.#runs = [];
  }
}
