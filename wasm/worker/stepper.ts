/** What a training host needs of its runs, however they are computed. */
import type { Snapshot, Verdict } from '../runtime/types.js';
import type { KeptState, RunLayout } from './protocol.js';

export interface Ended {
  run: string;
  verdict: Verdict;
  /** The run's last state. */
  snapshot: Snapshot;
}

/** All its runs take the same step before any takes the next. What returns a promise starts in the caller's turn. */
export interface Stepper {
  readonly layouts: RunLayout[];
  /** Runs that still go. */
  readonly nRun: number;
  /** Steps that all of them have done and whose statistics are here; the request's steps when none is left. */
  readonly step: number;
  /** Steps were begun whose statistics are not here yet. */
  readonly inFlight: boolean;
  /** Takes steps for some milliseconds, none beyond `limit`. */
  slice(limit: number): void;
  /** Lets others work until there is something to do again. Rejects when the machine below is lost. */
  turn(): Promise<void>;
  /** The rows since the last call, of every run that has any. */
  takeRows(): { run: string; rows: Float32Array }[];
  readonly hasEnded: boolean;
  /** Gives away the runs that have ended, and their memory. */
  takeEnded(): Promise<Ended[]>;
  /** Ends all runs that still go, with the verdict 'stopped'. Only while nothing is in flight. */
  stop(): void;
  /** Of the runs that still go, all of one moment. */
  snapshots(): Promise<Record<string, Snapshot>>;
  /** Whether it is time to keep states, when `elapsed` of `interval` milliseconds have passed since the last ones. */
  keepDue(elapsed: number, interval: number): boolean;
  /** Snapshots and verdicts of one moment. */
  kept(): Promise<Record<string, KeptState>>;
  free(): void;
}

/** Milliseconds of stepping before the host listens again. */
export const SLICE = 8;

/**
 * States of more floats are kept proportionally more seldom: parameters and their two moments, which a message copies.
 */
const KEEP_FLOATS = 4_000_000;
export const keepInterval = (interval: number, nParameter: number): number =>
  interval * Math.max(1, (3 * nParameter) / KEEP_FLOATS);
