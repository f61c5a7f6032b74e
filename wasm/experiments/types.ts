/** The public types of experiments: what is asked, what one cell of the grid leaves behind, and what many of them say. */
import type {
  EvaluationRequest,
  EvaluationResult,
  ModelSpec,
  Snapshot,
  TrainingData,
  TrainRequest,
} from '../runtime/types.js';

/** Values to combine, by field of ModelSpec; `data` varies the task, `variant` several fields at once. */
export type Grid = { [K in keyof ModelSpec]?: readonly NonNullable<ModelSpec[K]>[] } & {
  data?: readonly TrainingData[];
  /** Partial specs, each combined with everything else: wirings of one's own, or pairs of fields that belong together. */
  variant?: readonly ModelSpec[];
};

export interface ExperimentRequest {
  /** What all cells share. A variant overrides it, an axis of the grid overrides both. */
  base?: ModelSpec;
  /** The task; default { kind: 'markov' }. Not together with `grid.data`. */
  data?: TrainingData;
  /**
   * The axes. Cells are counted from 0 in one order, whatever the order of the keys: data slowest, then variant, then the
   * fields in the order of ModelSpec, seed fastest. Without a grid there is one cell.
   */
  grid?: Grid;
  /** Steps of every run. A cosine schedule without totalSteps ends there. */
  steps: number;
  /** 'free' (default): each run as fast as it can. 'lockstep': groups of `concurrency` runs of one task step together. */
  mode?: 'free' | 'lockstep';
  /** Runs at a time; default: as many as there are processors, one less on a page. No effect on any record. */
  concurrency?: number;
  /** What to measure on held-out data at the end of a run that lasted; see EvaluationRequest. */
  evaluation?: EvaluationRequest;
  /** Keep the loss of every step in the record. */
  keepCurve?: boolean;
  /** Records of an earlier call. A cell whose record is among them (same spec, data, steps, version, …) is not run again. */
  done?: readonly ExperimentRecord[];
  /** Only the cells with index % count === shard.index: 0 ≤ index < count. */
  shard?: { index: number; count: number };
  /** Called with every new record as soon as its run has ended (not with those in `done`): the place to write it down. */
  onRecord?: (record: ExperimentRecord) => void | Promise<void>;
  /**
   * Called with the last state of every run that was made here, after its record: to analyse the trained model. Its cell
   * ends when a returned promise does.
   */
  onSnapshot?: (record: ExperimentRecord, snapshot: Snapshot) => void | Promise<void>;
  /** Called when a cell starts or ends and about every 100 ms of stepping. */
  onProgress?: (progress: ExperimentProgress) => void;
  /** Called with every step of every run. */
  onMetrics?: TrainRequest['onMetrics'];
  /** Aborting is `cancel()`. */
  signal?: AbortSignal;
  thread?: TrainRequest['thread'];
}

/** A sweep under way. The async iterator yields records as they come to be known, those of `done` among them. */
export interface Experiment extends AsyncIterable<ExperimentRecord> {
  /**
   * Resolves with all records in grid order when every cell is done, or with those that there are after `cancel()`.
   * A cell that fails is a record with the verdict 'failed'. Rejects when the request itself makes no sense, when the core
   * cannot be started, and with the error of an onRecord or onSnapshot that fails, which ends the sweep.
   */
  readonly records: Promise<ExperimentRecord[]>;
  readonly progress: ExperimentProgress;
  /** Holds all runs between two steps. */
  pause(): Promise<void>;
  resume(): Promise<void>;
  /** Ends all runs. Those under way leave no record; finished ones stay. Resolves when `records` does. */
  cancel(): Promise<ExperimentRecord[]>;
}

/** Where a sweep stands. Seconds are of this machine; nothing of this ever gets into a record. */
export interface ExperimentProgress {
  state: 'running' | 'paused' | 'cancelled' | 'finished';
  /** Cells of this shard. */
  nCell: number;
  /** Cells that have a record, kept ones among them. */
  nDone: number;
  /** Cells whose record came with `done`. */
  nKept: number;
  running: { index: number; cell: ExperimentCell; step: number }[];
  /** Share of the work that is done, 0 to 1; a wide or deep cell counts for more than a small one. */
  fraction: number;
  /** Seconds of stepping so far, pauses not counted. */
  seconds: number;
  /** Estimated seconds until all is done; null before anything can be said. */
  secondsLeft: number | null;
}

/** What sets a cell apart: its values on the axes of the grid, in their order; a variant contributes its fields. */
export type ExperimentCell = Partial<Record<keyof ModelSpec, string | number | boolean>>;

/** Training data by its traits: enough to tell two tasks apart, without the text itself. */
export type DataIdentity =
  | { kind: 'markov'; nSymbol: number; seed: number }
  | {
      kind: 'text';
      jamo: boolean;
      /** UTF-16 code units. */
      length: number;
      /** FNV-1a of the UTF-8 bytes, 64 bits in hexadecimal. */
      hash: string;
    };

/**
 * How a cell's run is judged; the first that applies, in this order.
 * - failed: could not be run (its reason says why).
 * - stopped: ended by a caller before its last step.
 * - overflow: a value left the range of the number format.
 * - non-finite: NaN or Infinity in the loss, the gradient or the stream.
 * - stalled: the mean of the last 30 losses is within STALL_MARGIN of the unigram entropy, or above it: at best the
 *   frequencies of the symbols were learned.
 * - spike: the loss rose by more than half of what had been learned; see SPIKE_SHARE.
 * - converged: none of these. How well it learned is finalLoss's to say.
 */
export type RunVerdict = 'failed' | 'stopped' | 'overflow' | 'non-finite' | 'stalled' | 'spike' | 'converged';

export type ReasonCode =
  /** `message` says what was wrong. The code of the NormscopeError is in `where`. */
  | 'error'
  | 'left-format-range'
  | 'not-finite'
  /** value: final loss, limit: unigram entropy. */
  | 'at-unigram'
  | 'above-unigram'
  /** step: where the 10-step mean loss was highest above its best; value: that rise; limit: the rise that is allowed. */
  | 'spike-recovered'
  | 'spike-at-end'
  /** value: final loss, limit: unigram entropy. */
  | 'below-unigram'
  /** step, at which max |x| passed 65 504, the range of fp16, in a wider format. */
  | 'passed-half-range';

/** One fact behind a verdict: a code and its numbers. */
export interface Reason {
  code: ReasonCode;
  step?: number;
  where?: string;
  quantity?: string;
  channel?: number;
  value?: number;
  limit?: number;
  message?: string;
}

/**
 * What one cell leaves behind: one line of JSON with fixed keys in fixed order, no times, no machine. The same cell gives
 * the same bytes everywhere (exact math). Numbers that JSON lacks are written as "NaN", "Infinity" and "-Infinity".
 * NaN means: not measured, or nothing to measure.
 */
export interface ExperimentRecord {
  /** Place in the grid. */
  index: number;
  cell: ExperimentCell;
  /** The canonical spec: every field, snake_case; of a cell that failed, the fields as they were asked for. */
  spec: Record<string, string | number | boolean>;
  data: DataIdentity;
  steps: number;
  evaluation: EvaluationRequest | null;
  /** Of the core. */
  version: string;
  /** 'wasm' (exact and scalar builds: the same bits), 'wasm-fast' or 'webgpu'. */
  backend: string;
  verdict: RunVerdict;
  /** The verdict's own reason first. */
  reasons: Reason[];
  /** Steps taken. */
  step: number;
  /** Loss of the first step, before any update. */
  firstLoss: number;
  /** Mean of the last 30 finite losses. */
  finalLoss: number;
  bestLoss: number;
  bestStep: number;
  /** Entropy of single symbols. */
  unigramLoss: number;
  /** Learning rate times width: the scale on which rates of different widths compare (the 1/width rule). */
  lrTimesWidth: number;
  nParameter: number;
  /** Largest |x| of the stream in the whole run, and the first step at which it passed 65 504, or null. */
  maxAbs: number;
  passedHalfRange: number | null;
  /** The stream after the last residual step, in the last step whose numbers were finite. */
  stream: { meanAbs: number; entryVariance: number; dataVariance: number; maxAbs: number };
  /** Present when `evaluation` was asked for; null where the run did not last. */
  heldOut: EvaluationResult | null;
  /** With keepCurve: the loss of every step. */
  curve: number[] | null;
}

/** A share with its Wilson interval (z = 1.96). */
export interface Proportion {
  n: number;
  of: number;
  /** NaN for 0 of 0. */
  share: number;
  low: number;
  high: number;
}

export interface Spread {
  n: number;
  mean: number;
  /** With divisor n − 1; NaN below two values. */
  std: number;
  least: number;
  most: number;
}

/** The runs of one cell that differ only in their seed. */
export interface CellSummary {
  cell: ExperimentCell;
  /** Grid index of its first record. */
  index: number;
  data: DataIdentity;
  seeds: number[];
  verdicts: Record<RunVerdict, number>;
  /** Overflow, non-finite, or a spike that had not come back at the end. Of all but failed and stopped runs. */
  diverged: Proportion;
  /** Diverged or stalled. */
  unsuccessful: Proportion;
  overflow: Proportion;
  stalled: Proportion;
  learningRate: number;
  lrTimesWidth: number;
  /** Over the runs that did not diverge. */
  finalLoss: Spread;
  /** Over all runs. */
  maxAbs: Spread;
  streamVariance: Spread;
  heldOutLoss: Spread;
}

/** One curve of final loss over learning rate, and how much a wrong rate costs. */
export interface RateSensitivity {
  /** The cell without its learning rate. */
  cell: ExperimentCell;
  data: DataIdentity;
  /** Ascending. */
  learningRate: number[];
  lrTimesWidth: number[];
  /** Mean over seeds of min(ℓ, ℓ₀): a run that diverged counts as ℓ₀, its first loss. */
  loss: number[];
  /** Mean over the rates of min(ℓ, ℓ₀) − ℓ*, ℓ* the least of them (Wortsman et al. 2023, arXiv 2309.14322). */
  sensitivity: number;
  bestLearningRate: number;
}

export interface ExperimentSummary {
  cells: CellSummary[];
  /** Where two or more learning rates were run. */
  sensitivities: RateSensitivity[];
}

/** A range that a recipe promises: least ≤ measured ≤ most. */
export interface Expectation {
  /** Names the claim, e.g. 'pre-ln-overflows'. */
  code: string;
  /** The records meant: those whose cell has these values. */
  cells: ExperimentCell;
  measure:
    | 'overflow-count'
    | 'stalled-count'
    | 'diverged-count'
    | 'unsuccessful-count'
    | 'least-final-loss'
    | 'most-final-loss'
    | 'mean-final-loss'
    | 'least-max-abs'
    | 'most-max-abs'
    | 'mean-variance'
    | 'mean-held-out-loss'
    /** At the learning rate whose mean final loss is lowest. */
    | 'best-rate-held-out-loss'
    | 'rate-sensitivity';
  /** Divide by the same measure of these cells, … */
  over?: ExperimentCell;
  /** … or subtract it. */
  minus?: ExperimentCell;
  least?: number;
  most?: number;
}
export interface Finding extends Expectation {
  /** NaN where no record fits. */
  measured: number;
  holds: boolean;
}

/** A part of a recipe that is an experiment. */
export interface RecipeRun {
  request: Pick<ExperimentRequest, 'base' | 'data' | 'grid' | 'steps' | 'evaluation'>;
  expected: Expectation[];
}

/** A named experiment of the lab, as data. */
export interface Recipe {
  name: RecipeName;
  /** What it is about, for translation. */
  code: string;
  /** As published: all seeds and steps. */
  full: RecipeRun;
  /** Smaller and shorter, with ranges of its own: seconds instead of minutes. */
  thin: RecipeRun;
  /** Parts of `analyse` that show what records do not hold: 'gradients', 'sensitivity', 'uncertainty', 'usefulness', … */
  analysis: readonly string[];
}

export type RecipeName = 'A' | 'B' | 'C' | 'D' | 'E' | 'F' | 'G' | 'H' | 'I' | 'J';
