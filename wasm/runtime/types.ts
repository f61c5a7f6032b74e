/** Where a computation runs. */
export type Device = 'wasm' | 'webgpu';
/**
 * What a caller may ask for. 'auto': for sessions and training the device that was timed to be faster with their own plan;
 * for one-shot calls the one that `load` settled on, WASM before any.
 */
export type DeviceWish = 'auto' | Device;

/**
 * Where a run computes, and why: the caller asked for it, both were timed on this very plan, or what kept it from WebGPU.
 */
export interface DeviceChoice {
  device: Device;
  reason:
    | 'asked'
    | 'measured'
    | 'no-webgpu'
    | 'software-adapter'
    | 'gpu-refused'
    | 'too-large'
    | 'out-of-memory'
    | 'device-lost';
  /** Name of the WebGPU adapter, null without one. */
  adapter: string | null;
  /** Steps of all runs together in a second, where both were timed. */
  stepsPerSecond?: { wasm: number; webgpu: number };
  /** What WebGPU said, null when nothing went wrong. */
  message: string | null;
}

export type PlacementName =
  | 'none'
  | 'plain'
  | 'plain-ln'
  | 'post-ln'
  | 'pre-ln'
  | 'peri-ln'
  | 'output-ln'
  | 'sandwich-ln'
  | 'deepnorm'
  | 'ln-scaling'
  | 'rezero'
  | 'layerscale'
  | 'mix-ln'
  | 'hybridnorm'
  | 'keel';
export type NormKind = 'layernorm' | 'rmsnorm' | 'batchnorm' | 'dyt' | 'none';
/** Which norms a residual step has; 'same': those of normInput, normOutput and normStream. */
export type NormSlots =
  | 'same'
  | 'none'
  | 'input'
  | 'output'
  | 'stream'
  | 'input-output'
  | 'input-stream'
  | 'output-stream'
  | 'input-output-stream';
export type NumberFormat = 'fp32' | 'fp16' | 'bf16';

/** Anything that is accepted as a vector of numbers. Views are honoured; Float64Array and number[] are converted. */
export type NumberArray = Float32Array | Float64Array | readonly number[];

/**
 * A transformer and the way it is trained. Every field has a default (`ModelSpec {}` in C++ is a valid small model);
 * `placement` is a preset of the slots below it and each slot may still be set by hand. Every residual step is
 *
 *     y = N_stream(alpha · skip + dt · s ⊙ N_out(dropout(f(c · N_in(x)))))
 *
 * with s from `branchScale` and c from `depthScale`.
 */
export interface ModelSpec {
  /** A row of PLACEMENTS; applied first, so the fields below override it. Default 'pre-ln'. */
  placement?: PlacementName;
  /** Normalize the branch input: f(N(x)). */
  normInput?: boolean;
  /** Normalize the branch output before it is added: x + N(f(x)). */
  normOutput?: boolean;
  /** Normalize the stream after the addition: N(x + f(x)). */
  normStream?: boolean;
  /** Normalize the embedding before the first block. */
  normEmbedding?: boolean;
  /** Normalize before the output head. */
  normFinal?: boolean;
  /** Residual connection on or off. */
  residual?: boolean;
  /** Factor of the skip path, on top of alphaRule. Default 1. */
  alpha?: number;
  /**
   * The skip path is also multiplied by: 'fixed' 1, 'deepnorm' (2 nLayer)^(1/4) (Wang et al. 2022, arXiv 2203.00555),
   * 'n-layer' nLayer (Chen and Wei 2026, arXiv 2601.19895). Default 'fixed'.
   */
  alphaRule?: 'fixed' | 'deepnorm' | 'n-layer';
  /** Residual step Δt. Default 1. */
  dt?: number;
  /** 'inverse-sqrt': the input norm's output times 1/√l in block l = 1, 2, … (arXiv 2502.05795). Default 'none'. */
  depthScale?: 'none' | 'inverse-sqrt';
  /** Learnable factor s of the branch just before the addition: one number or dModel of them. Default 'none'. */
  branchScale?: 'none' | 'scalar' | 'vector';
  /** Start value of s: 0 in ReZero (arXiv 2003.04887), 0.1 and less in LayerScale (arXiv 2103.17239). Default 1. */
  branchScaleInit?: number;
  /** Norms of the MLP steps where they differ from those of the attention steps. Default 'same'. */
  mlpNorms?: NormSlots;
  /** Where the MLP step's skip path starts: at x or at N_in(x) (HybridNorm, arXiv 2503.04598). Default 'stream'. */
  mlpSkip?: 'stream' | 'normed';
  /** The first floor(earlyFraction · nLayer) blocks have earlyNorms, in both steps (Mix-LN, arXiv 2412.13795). 0 … 1. */
  earlyFraction?: number;
  /** Norms of those blocks; goes before mlpNorms. Default 'same'. */
  earlyNorms?: NormSlots;
  /**
   * Normalize queries and keys ('qk', arXiv 2010.04245), or values as well ('qkv'), over each head's dModel / nHead
   * features; LayerNorm or RMSNorm as normKind says, RMSNorm for 'batchnorm' and 'dyt', nothing for 'none'. The heads
   * share gain and shift. Default 'none'.
   */
  qkNorm?: 'none' | 'qk' | 'qkv';
  /**
   * Factor of initial weights: 'deepnorm' (8 nLayer)^(-1/4) on v_proj, out_proj, fc1, fc2; 'residual' 1/√(number of
   * residual steps) on out_proj, fc2, as in GPT-2. Default 'none'.
   */
  initGain?: 'none' | 'deepnorm' | 'residual';
  /** 'dyt': γ ⊙ tanh(α x) + β, one α per norm (arXiv 2503.10622). Default 'layernorm'. */
  normKind?: NormKind;
  /** Learnable γ and β. false: norms without parameters, as in OLMo 1 (DyT keeps its α). Default true. */
  normAffine?: boolean;
  /** Start value of DyT's α. Default 0.5. */
  dytAlpha?: number;
  /** Stabiliser ε inside the root. Default 1e-5. */
  eps?: number;
  /** BatchNorm: weight of the newest batch in the running statistics that `evaluate` uses. Default 0.1. */
  bnMomentum?: number;
  /** 'transformer': attention + MLP blocks; 'sublayer': one Linear(dModel, dModel) per block, as in many course texts. */
  block?: 'transformer' | 'sublayer';
  nLayer?: number;
  dModel?: number;
  nHead?: number;
  /** MLP width; 0 means 4 · dModel. */
  dFF?: number;
  activation?: 'relu' | 'gelu_tanh' | 'gelu_erf';
  /** Dropout rate of the branches (before the output norm). Default 0. */
  dropout?: number;
  causal?: boolean;
  /** Vocabulary; 0 means: from the data. */
  nVocab?: number;
  /** Sequences per batch. */
  nBatch?: number;
  /** Tokens per sequence. */
  nCtx?: number;
  init?: 'fanin' | 'xavier' | 'gpt2';
  /** Rounding of the residual stream and the branch outputs in the forward pass. */
  format?: NumberFormat;
  /** Coefficient of (log Z)² in the loss, Z the softmax's denominator (1e-5 in OLMo 2, arXiv 2501.00656). Default 0. */
  zLoss?: number;
  /** Default 'adamw'. */
  optimizer?: 'adamw' | 'sgd';
  learningRate?: number;
  /** After the warm-up: 'constant', or a 'cosine' from learningRate down to finalLearningRate. */
  schedule?: 'constant' | 'cosine';
  /** Steps of linear warm-up. */
  warmup?: number;
  /** The step at which the cosine ends; train() takes its own number of steps for 0. */
  totalSteps?: number;
  finalLearningRate?: number;
  weightDecay?: number;
  /** Decay one-dimensional parameters (gains, biases) too. Default false. */
  decay1d?: boolean;
  /** Decay the gains γ of the norms (decay1d has them anyway). Default false. */
  decayGamma?: boolean;
  /** Momentum of 'sgd'. Default 0.9. */
  momentum?: number;
  beta1?: number;
  beta2?: number;
  adamEps?: number;
  /** Clip the global gradient norm to this; 0 = off. */
  maxGradNorm?: number;
  /** 32-bit seed of initial values, batches and dropout. */
  seed?: number;
}

/** Training data. `markov` is made by the core; a text is read by characters (Hangul as jamo unless `jamo` is false). */
export type TrainingData =
  | { kind: 'markov'; /** default 32 */ nSymbol?: number; /** default 7 */ seed?: number }
  | { kind: 'text'; text: string; jamo?: boolean };

export interface DatasetInfo {
  kind: 'markov' | 'text';
  nVocab: number;
  /** Loss of a uniform guess, ln(nVocab), in nats. */
  uniformLoss: number;
  /** Entropy of single symbols: what a model reaches that learned only their frequencies. */
  unigramLoss: number;
  /** The best loss possible (markov only; exact), else NaN. */
  bestLoss: number;
  /** Text only: the character of each token; conjoining jamo recompose under String.normalize('NFC'). */
  symbols: string[];
  /** Text only: number of tokens. */
  nToken: number;
}

export interface LoadOptions {
  device?: DeviceWish;
  /** 'exact' (default): same bits everywhere; 'fast': relaxed SIMD where the engine accepts it. */
  math?: 'exact' | 'fast';
  signal?: AbortSignal;
  /** Bytes or compiled module of core.wasm; else fetched from `wasmUrl`, else from beside the package. */
  wasmBinary?: ArrayBuffer | Uint8Array | WebAssembly.Module;
  wasmUrl?: string | URL;
}
export interface LoadResult {
  device: Device;
  /** Name of the WebGPU adapter or null. */
  adapter: string | null;
  /** False when the scalar build had to be used. */
  simd: boolean;
  version: string;
}

export interface LayerNormRequest {
  x: NumberArray;
  dModel: number;
  gamma?: NumberArray;
  beta?: NumberArray;
  eps?: number;
  /** Reused for y; must have x.length values. */
  out?: Float32Array;
  device?: DeviceWish;
}
export interface LayerNormResult {
  y: Float32Array;
  /** One per row. */
  mean: Float32Array;
  /** 1/√(variance + ε), one per row. */
  rstd: Float32Array;
  /** How many rows of y (of a BatchNorm: features) hold NaN or ±Infinity; 0 when all is well. */
  nonFinite: number;
}
export interface LayerNormBackwardRequest {
  x: NumberArray;
  dy: NumberArray;
  dModel: number;
  gamma?: NumberArray;
  eps?: number;
  device?: DeviceWish;
}
export interface LayerNormGradients {
  dx: Float32Array;
  dgamma: Float32Array;
  dbeta: Float32Array;
}
export type RmsNormRequest = Omit<LayerNormRequest, 'beta'>;
export interface RmsNormResult {
  y: Float32Array;
  rstd: Float32Array;
  /** How many rows of y hold NaN or ±Infinity. */
  nonFinite: number;
}
export type RmsNormBackwardRequest = LayerNormBackwardRequest;
export interface RmsNormGradients {
  dx: Float32Array;
  dgamma: Float32Array;
}
/** Batch statistics: mean and rstd per feature. */
export type BatchNormRequest = LayerNormRequest;
export type BatchNormResult = LayerNormResult;

export interface ResidualAddRequest {
  x: NumberArray;
  branch: NumberArray;
  /** y = x + dt · branch; default 1. */
  dt?: number;
  out?: Float32Array;
  device?: DeviceWish;
}
export interface ResidualAddBackwardRequest {
  dy: NumberArray;
  /** As in the call forward; default 1. */
  dt?: number;
  device?: DeviceWish;
}

/** Parameters by name, e.g. `blocks.0.attn.q_proj.weight` (PyTorch's [out, in] layout), each with its shape. */
export type Parameters = Record<string, Float32Array>;

export interface TransformerBlockRequest {
  /** [rows, dModel], row-major; rows = x.length / dModel, a multiple of nCtx. */
  x: NumberArray;
  spec: ModelSpec;
  /** Missing ones are initialised from spec.seed. */
  parameters?: Record<string, NumberArray>;
  /** When given, gradients are computed as well. */
  dy?: NumberArray;
  /** Apply dropout. Default false. */
  train?: boolean;
  device?: DeviceWish;
}
export interface TransformerBlockResult {
  y: Float32Array;
  parameters: Parameters;
  dx?: Float32Array;
  gradients?: Parameters;
}

export type Phase = 'forward' | 'backward' | 'update' | 'observe' | 'evaluate';

export interface TensorInfo {
  name: string;
  role: 'parameter' | 'gradient' | 'activation' | 'input' | 'state' | 'constant' | 'statistic';
  /** Without the leading n_model. */
  shape: number[];
  nModel: number;
  /** In floats, in the plan's logical arena; a multiple of 64. */
  offset: number;
  /** Floats in all, nModel · Π shape. */
  size: number;
}
export interface DispatchInfo {
  kernel: string;
  /** Indices into `tensors`. */
  operands: number[];
  /** The parameter struct as 32-bit words. */
  params: number[];
  /** Rows, columns, models. */
  grid: [number, number, number];
}
export interface PlanInfo {
  nFloat: number;
  nParameter: number;
  tensors: TensorInfo[];
  phases: Record<Phase, DispatchInfo[]>;
  dataset: DatasetInfo | null;
  /** The canonical spec, snake_case keys; of the first model where there are several. */
  spec: Record<string, string | number | boolean>;
  /** One such spec for each model: nModel of them. */
  models: Record<string, string | number | boolean>[];
  observe: ObserveLayout | null;
}
/** The memory that a plan takes; see planMemory. */
export interface PlannedMemory {
  /** Trainable numbers of one model. */
  parameters: number;
  /** By role, all models together, each tensor padded to 256 bytes; `total` is the whole arena. */
  bytes: Record<TensorInfo['role'] | 'total', number>;
  /** WebGPU buffers that hold the plan within the limits, and the bytes of the largest; 0 where the plan is refused. */
  buffers: number;
  largestBuffer: number;
  /** What a shader cannot bind as one piece within the limits; null: the plan fits WebGPU. */
  refusal: MemoryRefusal | null;
  /** The plan beyond what one WASM core allocates (3 GiB), and its largest tensor; null: it fits. */
  wasmRefusal: MemoryRefusal | null;
}
/** Bytes that are needed and allowed, and the tensor to blame. */
export interface MemoryRefusal {
  tensor: string;
  need: number;
  limit: number;
}
export interface ObserveLayout {
  ring: string;
  nRing: number;
  rowWidth: number;
  /** Names of the residual points, e.g. `blocks.0.resid_mid`; point i owns 8 slots from 16 + 8 i. */
  points: string[];
  /** Names of parameter groups; group i owns the slot 16 + 8 · points.length + i. */
  groups: string[];
}

export interface Session {
  readonly device: Device;
  /** Why it runs there. */
  readonly choice: DeviceChoice;
  readonly plan: PlanInfo;
  readonly tensors: readonly TensorInfo[];
  write(request: { name: string; data: NumberArray }): Promise<void>;
  /** Draws the next batch into the input tensors and sets the step's learning rate. */
  nextBatch(request?: { split?: 'train' | 'held-out' }): Promise<void>;
  run(request: { phases: Phase[] }): Promise<void>;
  read(request: { name: string }): Promise<Float32Array>;
  parameters(): Promise<Parameters>;
  loadParameters(request: { parameters: Record<string, NumberArray> }): Promise<void>;
  snapshot(): Promise<Snapshot>;
  restore(request: { snapshot: Snapshot }): Promise<void>;
  free(): void;
  [Symbol.dispose](): void;
}
/** Everything that a run needs to go on: parameters, moments, step. Plain data; survives structured clone. */
export interface Snapshot {
  version: 1;
  spec: Record<string, string | number | boolean>;
  step: number;
  tensors: Record<string, Float32Array>;
}

/** One training step's record. Arrays are copies. Index i of the point arrays is plan.observe.points[i]. */
export interface StepMetrics {
  run: string;
  step: number;
  loss: number;
  learningRate: number;
  gradNorm: number;
  meanAbs: Float32Array;
  entryVariance: Float32Array;
  dataVariance: Float32Array;
  maxAbs: Float32Array;
  maxChannel: Float32Array;
  /** Live bounds from the current γ, β; NaN where the wiring gives none. */
  boundMeanAbs: Float32Array;
  boundStd: Float32Array;
  boundDataStd: Float32Array;
  groupGradNorm: Float32Array;
}

export type VerdictCode = 'running' | 'finished' | 'stopped' | 'overflow' | 'non-finite' | 'failed';
/** How a run stands or ended; codes and numbers, words are made at the edge. */
export interface Verdict {
  code: VerdictCode;
  step: number;
  /** What became non-finite or left the range: a residual point, a parameter group, 'loss' or 'gradient'. */
  where?: string;
  quantity?: 'max|x|' | 'loss' | 'gradient norm';
  channel?: number;
  value?: number;
  format?: NumberFormat;
  /** Mean loss of the last 30 steps. */
  finalLoss: number;
  bestLoss: number;
  bestStep: number;
  /** First step at which max |x| passed 65 504, the largest fp16 number; null if never. */
  passedHalfRange: number | null;
  maxAbs: number;
  /** code 'failed': the error. */
  error?: { code: string; message: string };
  /** code 'finished', when it was asked for. */
  evaluation?: EvaluationResult;
}

/** What to measure on held-out data when a run has ended. It is computed where the run was. */
export interface EvaluationRequest {
  /** Held-out batches for loss and perplexity: the same ones for every run of a seed. Default 16. */
  nBatch?: number;
  /** Text only: continue held-out passages and compare with what really follows. */
  sample?: {
    /** Passages; default 4. */
    nSample?: number;
    /** Tokens of context and of continuation; default 16 and 32. */
    nPrompt?: number;
    nToken?: number;
    /** 0 (default): always the most likely token; else softmax(logits / temperature) with the run's own seed. */
    temperature?: number;
  };
}
/** Precision, recall and their harmonic mean; 1 for equal texts, 0 where nothing matches or a side is empty. */
export interface OverlapScore {
  precision: number;
  recall: number;
  f1: number;
}
export interface RougeScores {
  rouge1: OverlapScore;
  rouge2: OverlapScore;
  rougeL: OverlapScore;
}
export interface TextSample {
  prompt: string;
  /** What the model wrote, and what the text says there. */
  text: string;
  reference: string;
}
export interface EvaluationResult {
  nBatch: number;
  /** Mean cross-entropy per token on the held-out tenth of a text (on fresh sequences of a Markov task), in nats. */
  loss: number;
  /** e^loss. */
  perplexity: number;
  /** Empty unless samples were asked for. Scores are means over the samples, null without samples. */
  samples: TextSample[];
  /** Over the model's own tokens (characters, jamo). */
  rougeTokens: RougeScores | null;
  /** Over words, split at white space; the first and the last may be cut. */
  rougeWords: RougeScores | null;
  /**
   * Greedy matching by cosine as in BERTScore (Zhang et al. 2019, arXiv 1904.09675), but with this model's own token
   * embeddings, without context: it says whether the same kinds of symbols occur, nothing about meaning. Values of
   * different models do not compare.
   */
  embeddingSimilarity: OverlapScore | null;
}

export interface TrainRequest {
  spec: ModelSpec;
  data: TrainingData;
  steps: number;
  seed?: number;
  device?: DeviceWish;
  onMetrics?: (metrics: StepMetrics) => void;
  signal?: AbortSignal;
  /** Measure on held-out data at the end; the verdict of a run that lasts to its last step carries the result. */
  evaluation?: EvaluationRequest;
  /** Start paused. */
  paused?: boolean;
  /** 'worker' (default where it can be made) or 'inline': time slices on this thread. */
  thread?: 'worker' | 'inline';
  /** What happened to the machine below: a GPU or a worker was lost, runs went on elsewhere. Training continues. */
  onNotice?: (notice: RunNotice) => void;
}
/** Steps fromStep + 1 … lastStep are computed again, on `device`. */
export interface RunNotice {
  code: 'device-lost' | 'worker-lost' | 'gpu-fallback';
  runs: string[];
  device: Device;
  /** Why they run on `device` from here on. */
  choice: DeviceChoice;
  fromStep: number;
  lastStep: number;
  message: string;
}
export interface TrainAllRequest extends Omit<TrainRequest, 'spec'> {
  specs: ModelSpec[];
}
export interface RunInfo {
  run: string;
  spec: Record<string, string | number | boolean>;
  dataset: DatasetInfo;
  points: string[];
  groups: string[];
  nParameter: number;
  device: Device;
  thread: 'worker' | 'inline';
  /** Why it runs on `device`. */
  choice: DeviceChoice;
  /** Bytes of the GPU buffers that this run's plan has, shared by the runs of one plan; 0 on WASM. */
  gpuBytes: number;
}
/** One run, or several in lockstep; an async iterable of records. */
export interface TrainingRun extends AsyncIterable<StepMetrics> {
  /** Resolves when the plans are made, before the first step. One per spec. */
  readonly started: Promise<RunInfo[]>;
  /** Resolves when all runs have ended; never rejects for a divergence. One per spec. */
  readonly finished: Promise<Verdict[]>;
  pause(): Promise<void>;
  resume(): Promise<void>;
  /** Exactly n steps (default 1), then paused. */
  step(request?: { n?: number }): Promise<void>;
  stop(): Promise<void>;
  snapshot(): Promise<Snapshot[]>;
  readonly verdict: Verdict[];
}

/** One row of the table of norm placements. */
export interface Placement {
  name: PlacementName;
  equation: string;
  source: string;
  users: string;
  residual: boolean;
  normInput: boolean;
  normOutput: boolean;
  normStream: boolean;
  normEmbedding: boolean;
  normFinal: boolean;
  /** The value of every field that rows are made of: `{ ...spec, ...wiring }` is this placement under any name. */
  wiring: PlacementWiring;
}
/** The fields of ModelSpec that a placement sets. */
export type PlacementWiring = Required<
  Pick<
    ModelSpec,
    | 'normInput'
    | 'normOutput'
    | 'normStream'
    | 'normEmbedding'
    | 'normFinal'
    | 'residual'
    | 'alphaRule'
    | 'depthScale'
    | 'branchScale'
    | 'branchScaleInit'
    | 'mlpNorms'
    | 'mlpSkip'
    | 'earlyFraction'
    | 'earlyNorms'
    | 'qkNorm'
    | 'initGain'
  >
>;
