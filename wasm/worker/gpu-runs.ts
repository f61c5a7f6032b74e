/**
 * Runs that the GPU computes. Those of one shape are a fleet (runtime/gpu-fleet.ts), and a step of all fleets is one
 * submit. Steps are begun ahead of their statistics: `begun` counts what was submitted, `arrived` what was read back.
 * A run that has diverged goes on unheeded until its statistics say so.
 */
import type { Engine } from '../runtime/core.js';
import { NormscopeError } from '../runtime/errors.js';
import { openFleet } from '../runtime/gpu-fleet.js';
import { describeLoss, whenLost } from '../runtime/gpu-loss.js';
import { checked } from '../runtime/gpu-pipelines.js';
import { StepReadback } from '../runtime/gpu-readback.js';
import { dataLines, planKey, specLines } from '../runtime/spec.js';
import type { Snapshot, TrainingData, Verdict } from '../runtime/types.js';
import { checkEvaluation } from './evaluation.js';
import { GpuMember, type Slot } from './gpu-member.js';
import type { KeptState, RunLayout, RunPlan } from './protocol.js';
import { RunState } from './run-state.js';
import { keepInterval, SLICE, type Ended, type Stepper } from './stepper.js';
import { nextTurn } from './turns.js';

/** A device can be lost at any time: states are kept at least this often, and steps wait for them to be kept. */
const KEEP_STEPS = 100;
const MOST_REPEATED = 200;

export interface GpuRunsRequest {
  engine: Engine;
  device: GPUDevice;
  plans: RunPlan[];
  data: TrainingData;
  nStep: number;
  /** Whether states are kept; without them nothing holds steps up. */
  keeps: boolean;
  onLost: (error: NormscopeError) => void;
}

export class GpuRuns implements Stepper {
  #slots: Slot[] = [];
  #members: GpuMember[] = [];
  #readback!: StepReadback;
  #begun: number;
  #arrived: number;
  #limit = 0;
  /** The step of the last kept states; `#keeping` while newer ones are on their way. */
  #kept: number;
  #keeping = false;
  #accepted: Promise<void> | null = null;
  readonly #unlisten: () => void;

  private constructor(private readonly request: GpuRunsRequest) {
    this.#begun = this.#arrived = this.#kept = Math.max(...request.plans.map(({ from }) => from?.verdict.step ?? 0));
    this.#unlisten = whenLost(request.device, (info) =>
      request.onLost(new NormscopeError('device-lost', describeLoss(info))),
    );
  }

  /** Rejects with what the core refuses, or with what `createGpuExecutor` does. */
  static async open(request: GpuRunsRequest): Promise<GpuRuns> {
    const runs = new GpuRuns(request);
    try {
      for (const plan of request.plans) runs.#check(plan);
      await runs.#openFleets();
      return runs;
    } catch (error) {
      runs.free();
      throw error;
    }
  }

  get layouts(): RunLayout[] {
    return this.#members.map(({ layout }) => layout);
  }

  get nRun(): number {
    return this.#members.length;
  }

  /** Steps whose statistics are here. */
  get arrived(): number {
    return this.#arrived;
  }

  get step(): number {
    return this.nRun === 0 ? this.request.nStep : this.#arrived;
  }

  get inFlight(): boolean {
    return this.#readback.busy;
  }

  slice(limit: number): void {
    this.#limit = this.request.keeps ? Math.min(limit, this.#kept + MOST_REPEATED) : limit;
    const end = performance.now() + SLICE;
    while (this.#canBegin && performance.now() < end) this.#beginStep();
    if (this.#begun >= this.#limit) void this.#readback.flush();
  }

  async turn(): Promise<void> {
    await this.#accepted;
    if (this.#canBegin || !this.inFlight) return nextTurn();
    await this.#readback.arrival();
  }

  takeRows(): { run: string; rows: Float32Array }[] {
    return this.#members.flatMap((member) => {
      const rows = member.rows.take();
      return rows ? [{ run: member.plan.run, rows }] : [];
    });
  }

  get hasEnded(): boolean {
    return this.#members.some(({ end }) => end);
  }

  async takeEnded(): Promise<Ended[]> {
    const ended = this.#members.filter(({ end }) => end);
    this.#members = this.#members.filter(({ end }) => !end);
    const snapshots = this.#snapshotsOf(ended);
    this.#dropIdleFleets();
    return (await snapshots).map((snapshot, i) => {
      const member = ended[i]!;
      return { run: member.plan.run, verdict: this.#verdictOf(member, snapshot), snapshot };
    });
  }

  stop(): void {
    for (const member of this.#members) member.end ??= 'stopped';
  }

  async snapshots(): Promise<Record<string, Snapshot>> {
    const members = this.#members;
    const snapshots = await this.#snapshotsOf(members);
    return Object.fromEntries(members.map(({ plan }, i) => [plan.run, snapshots[i]!]));
  }

  keepDue(elapsed: number, interval: number): boolean {
    const hasNew = this.#begun > this.#kept && this.#begun < this.request.nStep;
    if (!this.request.keeps || this.#keeping || !hasNew || this.nRun === 0) return false;
    const nParameter = this.#members.reduce((sum, { slot }) => sum + slot.fleet.plan.nParameter, 0);
    return elapsed >= keepInterval(interval, nParameter) || this.#begun - this.#kept >= KEEP_STEPS;
  }

  /** Tensors as they are after the steps begun so far, and verdicts from the moment when those have arrived. */
  async kept(): Promise<Record<string, KeptState>> {
    const [members, step] = [this.#members, this.#begun];
    this.#keeping = true;
    try {
      const verdicts = this.#readback.flush().then(() => members.map(({ tracker }) => tracker.state));
      const [snapshots, states] = await Promise.all([this.#snapshotsOf(members), verdicts]);
      this.#kept = step;
      return Object.fromEntries(
        members.map(({ plan }, i) => [plan.run, { snapshot: snapshots[i]!, verdict: states[i]! }]),
      );
    } finally {
      this.#keeping = false;
    }
  }

  free(): void {
    this.#unlisten();
    this.#readback?.free();
    for (const { fleet } of this.#slots) fleet.free();
    this.#slots = [];
    this.#members = [];
  }

  /** Refuses a run by its own name for things, before anything is made on the GPU. */
  #check({ spec, evaluation }: RunPlan): void {
    const { engine, data } = this.request;
    const core = engine.create('model', specLines(spec), dataLines(data));
    try {
      if (evaluation) checkEvaluation(core, core.describe(), evaluation);
    } finally {
      core.free();
    }
  }

  async #openFleets(): Promise<void> {
    const groups = new Map<string, RunPlan[]>();
    for (const plan of this.request.plans) {
      const key = planKey(this.request.engine.ownFields, plan.spec);
      groups.set(key, [...(groups.get(key) ?? []), plan]);
    }
    for (const plans of groups.values()) await this.#openGroup(plans);
    const nStatistic = this.#slots.reduce((sum, { fleet }) => sum + fleet.nStatistic, 0);
    const { device, plans } = this.request;
    this.#readback = await StepReadback.open(device, nStatistic * 4, (floats) => this.#receive(floats));
    this.#members.sort((a, b) => plans.indexOf(a.plan) - plans.indexOf(b.plan));
  }

  /** One fleet, or several where the tensors of all its models together pass a limit of the GPU. */
  async #openGroup(plans: RunPlan[]): Promise<void> {
    try {
      await this.#openFleet(plans);
    } catch (error) {
      if (plans.length === 1 || !(error instanceof NormscopeError) || error.code !== 'too-large') throw error;
      const half = Math.ceil(plans.length / 2);
      await this.#openGroup(plans.slice(0, half));
      await this.#openGroup(plans.slice(half));
    }
  }

  async #openFleet(plans: RunPlan[]): Promise<void> {
    const { engine, device, data } = this.request;
    const specs = plans.map(({ spec }) => spec);
    const from = plans.map((plan) => plan.from?.snapshot);
    const fleet = await openFleet({ engine, device, specs, data, from });
    const start = this.#slots.reduce((sum, slot) => sum + slot.fleet.nStatistic, 0);
    const slot = { fleet, start };
    this.#slots.push(slot);
    plans.forEach((plan, model) => this.#members.push(new GpuMember(plan, slot, model)));
  }

  get #canBegin(): boolean {
    return this.#begun < this.#limit && this.#readback.ready;
  }

  /** The first is checked by WebGPU before anything waits for its result. */
  #beginStep(): void {
    if (this.#accepted) return this.#submitStep();
    this.#accepted = checked(this.request.device, 'a training step', () => this.#submitStep());
    this.#accepted.catch(() => undefined); // `turn` rejects with it
  }

  #submitStep(): void {
    const { device } = this.request;
    const step = ++this.#begun;
    for (const { fleet } of this.#slots) fleet.drawBatch(step);
    const encoder = device.createCommandEncoder({ label: 'training step' });
    const { buffer, offset } = this.#readback.begin();
    for (const { fleet, start } of this.#slots) fleet.encodeStep(encoder, step, { buffer, offset: offset + start * 4 });
    device.queue.submit([encoder.finish()]);
    this.#readback.submitted();
  }

  #receive(floats: Float32Array): void {
    const step = ++this.#arrived;
    for (const member of this.#members) member.take(step, floats, this.request.nStep);
  }

  /** In the order of the members; the copies are made at once. */
  async #snapshotsOf(members: GpuMember[]): Promise<Snapshot[]> {
    const found = new Map<GpuMember, Snapshot>();
    await Promise.all(
      this.#slots.map(async ({ fleet }) => {
        const own = members.filter(({ slot }) => slot.fleet === fleet);
        if (own.length === 0) return;
        const snapshots = await fleet.snapshots(own.map(({ model }) => model));
        own.forEach((member, i) => found.set(member, snapshots[i]!));
      }),
    );
    return members.map((member) => found.get(member)!);
  }

  #dropIdleFleets(): void {
    const isIdle = (slot: Slot): boolean => !this.#members.some((member) => member.slot === slot);
    for (const slot of this.#slots.filter(isIdle)) slot.fleet.free();
    this.#slots = this.#slots.filter((slot) => !isIdle(slot));
  }

  /** What was asked about the end of a run is computed by the core, with the run's last state. */
  #verdictOf({ plan, tracker, end }: GpuMember, snapshot: Snapshot): Verdict {
    if (end === 'stopped') return tracker.verdict('stopped');
    if (end === 'diverged' || !plan.evaluation) return tracker.verdict('finished');
    const last = new RunState(
      this.request.engine,
      { ...plan, from: { snapshot, verdict: tracker.state } },
      this.request.data,
    );
    try {
      return last.finish();
    } finally {
      last.free();
    }
  }
}
