/**
 * The messages between the client of a training run and the host that computes it, in a worker or on the same thread.
 * This is the whole list. All are plain data; `rows` is transferred.
 */
import type { CoreSource } from '../runtime/core-bytes.js';
import type { CoreModule } from '../runtime/core-files.js';
import type { ErrorCode } from '../runtime/errors.js';
import type {
  Device,
  DeviceChoice,
  EvaluationRequest,
  ModelSpec,
  RunInfo,
  Snapshot,
  TrainingData,
  Verdict,
} from '../runtime/types.js';
import type { VerdictState } from './verdict.js';

/** A run between two of its steps, as a new host can continue it. */
export interface KeptState {
  snapshot: Snapshot;
  verdict: VerdictState;
}

/** A run as the host plans it; `from` continues one that was lost. What `evaluation` finds goes with the verdict. */
export interface RunPlan {
  run: string;
  spec: ModelSpec;
  evaluation?: EvaluationRequest;
  from?: KeptState;
}

/** What an analysis looks at: the core's lines, whose batch, and tensors that replace the initial ones. */
export interface AnalysedModel {
  spec: string;
  data: string;
  step: number;
  tensors: Record<string, Float32Array> | null;
}

/** How a step's statistics lie in a row of floats; see runtime/metrics.ts. */
export interface RunLayout {
  info: Omit<RunInfo, 'thread' | 'choice'>;
  rowWidth: number;
}

/** Why runs cannot be, or stay, on the GPU; `adapter` is its name where there is one. */
export interface GpuTrouble {
  reason: DeviceChoice['reason'];
  message: string;
  adapter: string | null;
}

export type ClientMessage =
  /** Starts a module from its compiled form, bytes or an absolute URL. That of the analysis answers the last two messages, the others the rest. Another start forgets all that came before. */
  | { type: 'start'; build: CoreModule; source: Exclude<CoreSource, URL> | string }
  | { type: 'plan'; runs: RunPlan[]; data: TrainingData; steps: number; device: Device }
  /** Takes some steps of the runs on the GPU and of one of each shape here, and forgets them. */
  | { type: 'measure'; runs: RunPlan[]; data: TrainingData }
  /** Run until every run has done `limit` steps, or hold at once when that is reached. Replaces an earlier `advance`. */
  | { type: 'advance'; id: number; limit: number; drain: boolean }
  | { type: 'snapshot'; id: number }
  /** Keep states now: this host may be lost soon. */
  | { type: 'keep' }
  /** Ends all runs that still go, with the verdict 'stopped'. */
  | { type: 'stop' }
  /** Makes the model that is analysed from here on; answered with its description. */
  | { type: 'open-analysis'; id: number; model: AnalysedModel }
  /** Computes one piece (cpp/analysis/parts.h). */
  | { type: 'analyse'; id: number; piece: string; options: string };

export type HostMessage =
  | { type: 'ready' }
  | { type: 'started' }
  | { type: 'planned'; runs: RunLayout[]; adapter: string | null }
  /** Steps of all runs together in a second: by this thread's core, and by the GPU. */
  | { type: 'measured'; wasm: number; webgpu: number; adapter: string }
  /** The runs cannot be on the GPU, or not any more; they go on from what was kept, in another host. */
  | { type: 'gpu-failed'; trouble: GpuTrouble }
  /** Whole rows of one run, oldest first. */
  | { type: 'records'; run: string; rows: Float32Array }
  /** The steps that every run of this host has done, whenever they have become more. */
  | { type: 'progress'; step: number }
  /** The advance `id` is over: its limit is reached, no run is left, or a newer one replaced it. */
  | { type: 'reached'; id: number; step: number }
  /** Of the runs that still go, all at the same step. */
  | { type: 'snapshots'; id: number; snapshots: Record<string, Snapshot> }
  /** What to continue from, should this host be lost: about every two seconds of stepping (on the GPU also after so many steps), and on a pause. */
  | { type: 'keep'; runs: Record<string, KeptState> }
  /** The run's last state goes with its verdict; the host forgets the run. */
  | { type: 'ended'; run: string; verdict: Verdict; snapshot: Snapshot }
  /** JSON; NaN is null, 1e999 Infinity. */
  | { type: 'analysed'; id: number; text: string }
  /** A message could not be received (a module that does not cross agents). */
  | { type: 'unreadable' }
  | { type: 'failed'; error: { code: ErrorCode; message: string } };

/** One end of a connection to a host. */
export interface Port {
  post(message: ClientMessage): void;
  /** Set before the first message is posted. */
  onMessage: (message: HostMessage) => void;
  /** The host is gone: it crashed, was killed, or never answered. */
  onLost: (reason: string) => void;
  close(): void;
  /** Instead of `close`, where the host may serve others: all is well with it. */
  release?(): void;
  readonly thread: 'worker' | 'inline';
  /** Hosts behind this port, which advance on their own. */
  readonly nHost: number;
}
