/** One run of a fleet: its place there, and what its statistics say about it. */
import type { GpuFleet } from '../runtime/gpu-fleet.js';
import { decodeMetrics, HEADER } from '../runtime/metrics.js';
import type { NumberFormat, ObserveLayout } from '../runtime/types.js';
import type { RunLayout, RunPlan } from './protocol.js';
import { RowBuffer } from './row-buffer.js';
import { layoutOf } from './run-layout.js';
import { reportOf } from './step-report.js';
import { VerdictTracker } from './verdict.js';

/** A fleet and where its statistics start in those of a step, in floats. */
export interface Slot {
  fleet: GpuFleet;
  start: number;
}

export class GpuMember {
  end: 'complete' | 'diverged' | 'stopped' | null = null;
  readonly tracker: VerdictTracker;
  readonly rows: RowBuffer;
  readonly #observe: ObserveLayout;

  /** `model`: its index in the fleet. */
  constructor(
    readonly plan: RunPlan,
    readonly slot: Slot,
    readonly model: number,
  ) {
    const { spec, observe } = slot.fleet.planOf(model);
    this.#observe = observe!;
    this.tracker = new VerdictTracker(spec.format as NumberFormat, plan.from?.verdict);
    this.rows = new RowBuffer(observe!.rowWidth);
    if (this.tracker.ended) this.end = 'diverged'; // it was lost between its last step and its verdict
  }

  get layout(): RunLayout {
    const { fleet } = this.slot;
    return layoutOf(this.plan.run, fleet.planOf(this.model), 'webgpu', fleet.bytes);
  }

  /** Its row of a step's statistics, which may end it; after its end nothing counts any more. */
  take(step: number, floats: Float32Array, nStep: number): void {
    if (this.end) return;
    const { rowWidth } = this.#observe;
    const start = this.slot.start + this.model * rowWidth;
    const row = this.rows.append();
    row.set(floats.subarray(start, start + rowWidth));
    row[HEADER.step] = step;
    const metrics = decodeMetrics(this.plan.run, row, this.#observe);
    if (this.tracker.take(reportOf(metrics, row, this.#observe))) this.end = 'diverged';
    else if (step >= nStep) this.end = 'complete';
  }
}
