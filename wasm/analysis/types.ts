/**
 * What `analyse` and `sanityCheck` take and give. Numbers and codes only; words are made at the edge.
 * All numbers are of the double instance of the core, with dropout off and in full precision. A number that was not
 * measured, or that the wiring does not have, is NaN (null in a SanityReport, which is JSON), and so is every number that
 * the NaN of a model that has diverged reaches. An Infinity is a result.
 *
 * Point i is the residual stream after i steps: points[0] is the embedding, points[D] the last state. Step i leads from
 * point i to point i + 1. A block has two steps (attention, MLP), of block 'sublayer' one.
 */
import type { LoadOptions, ModelSpec, NormKind, Session, Snapshot, TrainingData } from '../runtime/types.js';

export type AnalysisPart =
  | 'moments'
  | 'sensitivity'
  | 'activationScale'
  | 'hamiltonian'
  | 'uncertainty'
  | 'usefulness'
  | 'weights'
  | 'gradients'
  | 'growth'
  | 'weightPath'
  | 'layerNormJacobian';

/** `wasmBinary` and `wasmUrl` are those of core-analysis.wasm; by default it lies beside the package. */
export interface AnalyseRequest extends Pick<LoadOptions, 'wasmBinary' | 'wasmUrl'> {
  /** Default: the snapshot's or the session's own. */
  spec?: ModelSpec;
  /** What the batch is drawn from. Default: a session's present batch, else 'markov' with the model's vocabulary. */
  data?: TrainingData;
  /** Parameters of a trained model. Default: the initial ones of spec.seed. */
  snapshot?: Snapshot;
  /** Parameters of a session, read once at the start. */
  session?: Session;
  /** Default: all but 'gradients' and 'growth', which measure many models, and 'weightPath', which trains. */
  parts?: readonly AnalysisPart[];
  /** Factors c of the last linear map of each branch (weight and bias). Default [1, 10, 100]. */
  scales?: readonly number[];
  /** Of the noise and the directions, and the first seed of 'gradients' and 'growth'. Default: spec.seed. The batch is that of spec.seed. */
  seed?: number;
  /** Points of a cloud, at most 256 and at most nBatch · nCtx. Default 128. */
  nPoint?: number;
  /** Standard deviation of the noise on the embedding (uncertainty). Default 0.01. */
  noise?: number;
  /** What the second cloud is: the same tokens with noise, or a batch of other tokens. Default 'noise'. */
  clouds?: 'noise' | 'tokens';
  /** Growth: numbers of layers that are measured at initialization. Default [2, 4, 8, 16]. */
  depths?: readonly number[];
  /** Growth: trained models of several depths instead. */
  snapshots?: readonly Snapshot[];
  /** Seeds that 'gradients' and 'growth' average over. Default 8. */
  nSeed?: number;
  /** weightPath: steps of training, at most 10,000. Default 100. */
  steps?: number;
  /** weightPath: steps between two records. Default 5. */
  every?: number;
  /** weightPath: hold the norms of the matrices in front of output norms. Default false. */
  renormalise?: boolean;
  /** layerNormJacobian: the vector at which (dModel numbers). Default: what the model's first norm meets first. */
  vector?: readonly number[];
  /** Fraction of the work that is done, in [0, 1], and the part in work. */
  onProgress?: (progress: AnalysisProgress) => void;
  signal?: AbortSignal;
  thread?: 'worker' | 'inline';
}
export interface AnalysisProgress {
  fraction: number;
  part: AnalysisPart;
}

export interface Analysis {
  /** The canonical spec that was analysed, snake_case keys. */
  spec: Record<string, string | number | boolean>;
  /** Names of the D + 1 residual points, e.g. 'blocks.0.resid_mid'. */
  points: string[];
  /** Names of the D steps: the last linear map of the branch, e.g. 'blocks.0.attn.out_proj'. */
  steps: string[];
  /** Mean cross-entropy of the batch, nats. */
  loss: number;
  /** What the wiring says of each step, read from the plan. */
  wiring: StepWiring[];
  moments?: MomentAnalysis;
  sensitivity?: SensitivityAnalysis;
  activationScale?: ActivationScaleAnalysis;
  hamiltonian?: HamiltonianAnalysis;
  uncertainty?: UncertaintyAnalysis;
  usefulness?: UsefulnessAnalysis;
  weights?: WeightAnalysis;
  gradients?: GradientAnalysis;
  growth?: GrowthAnalysis;
  weightPath?: WeightPath;
  layerNormJacobian?: LayerNormJacobian;
}

export interface StepWiring {
  normInput: boolean;
  normOutput: boolean;
  normStream: boolean;
  /** Factor of the earlier state in the bound of the moments (|alpha|, or 0 behind a stream norm). */
  keep: number;
  /** The step's state obeys a bound that holds for any weights in front of its norms. */
  bounded: boolean;
}

/** Three moments at each point and the bounds that the present γ and β give (Kan et al. 2025, arXiv 2510.09904). [D + 1] each. */
export interface MomentAnalysis {
  /** Mean over tokens and features of |x|. */
  meanAbs: number[];
  /** Mean over tokens of the variance over features. */
  entryVariance: number[];
  /** Mean over features of the variance over tokens. */
  dataVariance: number[];
  maxAbs: number[];
  /** Bounds on meanAbs, √entryVariance, √dataVariance; NaN where the wiring gives none. */
  boundMeanAbs: number[];
  boundStd: number[];
  boundDataStd: number[];
  /** Whether every measured moment keeps its bound; null when there is no bound. */
  holds: boolean | null;
}

/**
 * Spectral norms of Jacobians on the batch's first sequence (nCtx · dModel inputs and outputs); with BatchNorm, which
 * ties the sequences together, on the whole batch.
 */
export interface SensitivityAnalysis {
  /** 'dense': all rows by VJPs, singular values; 'power': power iteration on JᵀJ (Lanczos), JVPs by central differences. */
  method: 'dense' | 'power';
  /** ‖∂x_{i+1}/∂x_i‖₂, [D]. */
  step: number[];
  /** The branch alone, as it is added (with Δt), [D]. */
  branch: number[];
  /** Π step: an upper bound on wholeNet. */
  product: number;
  /** ‖∂x_D/∂x_0‖₂. */
  wholeNet: number;
  /** Largest |⟨u, Jv⟩ − ⟨Jᵀu, v⟩| over the steps, of ‖u‖‖Jv‖: what finite differences cost. */
  disagreement: number;
}

/** The last linear map of every branch, weight and bias, times c. */
export interface ActivationScaleAnalysis {
  scales: number[];
  /** ‖∂branch/∂x‖₂ at the x of c = 1, [D][scale]. */
  branch: number[][];
  /** Slope of log branch against log c, [D]: 1 follows the scale, 0 ignores it. */
  exponent: number[];
  /** In the whole net, where later states change as well. */
  wholeNet: {
    /** entryVariance, [D + 1][scale]. */
    variance: number[][];
    meanAbs: number[][];
    /** ‖∂x_{i+1}/∂x_i‖₂ at the states of that c, [D][scale]. */
    step: number[][];
    loss: number[];
    /** ‖δx_D‖/‖δx_0‖ of a random perturbation of the embedding, [scale]. */
    gain: number[];
  };
}

/**
 * The Hamiltonian of each step (optimal-control view of Kan et al. 2025, arXiv 2510.09904). p is the back-propagated
 * gradient of the mean loss at the new point, v the step's branch without Δt; behind a stream norm, where the branch has
 * no limit but the state has, v is the whole step x_{i+1} − x_i. Products are summed over the batch's tokens, so dt · (−p·v)
 * is the first-order decrease of the loss by that branch. x and p are those of c = 1.
 */
export interface HamiltonianAnalysis {
  scales: number[];
  /** −p·v with W → cW, [D][scale]. */
  power: number[][];
  /** −p·v with W along −∂L/∂W, of norm c ‖W‖: the direction in which it grows most; [D][scale]. */
  steepest: number[][];
  /** sup of −p·v over all that the step's output or stream norm can give, −p·β + √d ‖Π(γ⊙p)‖ for LayerNorm; NaN without one. [D] */
  support: number[];
  /** sup over the last matrix W of −p·Wh − λ‖W‖²/2 with λ = weightDecay: ‖Σ p hᵀ‖²/(2λ). NaN when λ is 0 or a norm follows. [D] */
  regularized: number[];
  /** The same if each token had a matrix of its own: Σ ‖h‖²‖p‖²/(2λ). */
  regularizedPerToken: number[];
  /** Slope of log |steepest| against log c between the two largest scales, [D]. */
  exponent: number[];
  /** Lemma 1, for each output norm: the outputs lie on the ellipsoid. */
  lemma1: {
    norm: string;
    kind: NormKind | string;
    /** Largest (‖(z − β)/γ‖² − d)/d over the tokens: never above 0. */
    radiusExcess: number;
    /** Largest |Σ (z − β)/γ|/d over the tokens (LayerNorm), else NaN. */
    planeResidual: number;
    /** null when a γ is 0, or the kind of norm has no ellipsoid. */
    holds: boolean | null;
  }[];
  /** The first output norm as a picture; null without one, or where a stream norm follows it. */
  ellipsoid: Ellipsoid | null;
}
export interface Ellipsoid {
  norm: string;
  /** 'exact' for d ≤ 3, else the projection onto the features of the three largest |γ|. */
  projection: 'exact' | 'largest-axes';
  /** The features shown, [k], k = min(3, d). */
  features: number[];
  /** β of these features, [k]. */
  center: number[];
  /** The body is { center + A u : ‖u‖ ≤ 1 }; its surface for 'exact'. [k][k] */
  matrix: number[][];
  /** Points of the exact set for d ≤ 3 (LayerNorm: d = 2 two points, d = 3 a closed curve; RMSNorm: a curve, a sphere's mesh). [n][k] */
  outline: number[][];
  /** Branch outputs of tokens, at most 256. [n][k] */
  outputs: number[][];
  /** Where −p·v is largest on the ellipsoid, per shown token, [n][k]. */
  maximizers: number[][];
}

/** Two clouds of token vectors through depth, [D + 1] each. Distances are W₂ (root mean square over tokens of ‖·‖₂). */
export interface UncertaintyAnalysis {
  clouds: 'noise' | 'tokens';
  nPoint: number;
  nDirection: number;
  /** Root mean square over directions of the one-dimensional W₂. */
  sliced: number[];
  /** By assignment. */
  exact: number[];
  /** Same token with same token: an upper bound of exact. */
  paired: number[];
  /** exact[0] + 2 Δt √d Σ max|γ| where every step has an output norm; NaN where the wiring gives none. */
  bound: number[];
  /** √entryVariance of the clean cloud. */
  std: number[];
  slicedRelative: number[];
  exactRelative: number[];
  holds: boolean | null;
}

export interface UsefulnessAnalysis {
  /** Mean over tokens of 1 − cos(x_i, x_{i+1}), [D]. */
  cosine: number[];
  /** Mean over tokens of ‖x_{i+1} − x_i‖/‖x_i‖, [D]. */
  relativeChange: number[];
  /** Loss without block l minus the loss, [nLayer]. */
  dropLoss: number[];
  /** Mean cosine of pairs of tokens of a sequence, [D + 1]. */
  tokenSimilarity: number[];
  /** Massive activations, per point. */
  massive: {
    /** max |x| / median |x|. */
    maxOverMedian: number;
    /** The largest channels by max |x|, at most 5; token counts through the batch. */
    top: { channel: number; token: number; value: number }[];
  }[];
}

export interface MatrixAnalysis {
  name: string;
  shape: number[];
  /** Frobenius norms. */
  norm: number;
  gradNorm: number;
  product: number;
  spectralNorm: number;
  /** exp of the entropy of the normalized singular values, in [1, min(shape)]. */
  effectiveRank: number;
  /** (⟨∇W, W⟩ + ⟨∇b, b⟩)/(‖∇(W, b)‖ ‖(W, b)‖). */
  alignment: number;
  /** |loss(2W, 2b) − loss| / loss. */
  lossChange: number;
  /** Measured: alignment and lossChange vanish (below 1e-3, which leaves room for ε). null without any gradient. */
  scaleInvariant: boolean | null;
  /** Relative step of an update: learningRate · √size/‖W‖ (AdamW), learningRate/‖W‖² (SGD). */
  effectiveRate: number;
}
export interface WeightAnalysis {
  matrices: MatrixAnalysis[];
  /** Output gains per step (with the branch scale), [D]; NaN without an output norm. */
  gammaOut: { meanAbs: number[]; rms: number[]; maxAbs: number[]; minAbs: number[] };
}

/** Gradients of the mean loss, averaged over seeds (of parameters and batch; of the batch alone for a snapshot). */
export interface GradientAnalysis {
  nSeed: number;
  /** Last matrix of each block ('blocks.0.mlp.fc2.weight'): Frobenius norm of its gradient, [nLayer]. */
  lastMatrix: number[];
  /** Standard deviation over the seeds, [nLayer]. */
  lastMatrixStd: number[];
  /** Gradient norm of all parameters of the embedding, each block, the head: names and values. */
  group: string[];
  groupNorm: number[];
  /** Last block / first block of lastMatrix. */
  lastOverFirst: number;
}

export interface GrowthFit {
  /** value ≈ factor · D^exponent, or factor · exp(exponent · D). */
  factor: number;
  exponent: number;
  /** Root mean square of the residuals of log value. */
  residual: number;
}
/**
 * Final moments against total depth D (steps, not layers). The fits are of what the steps add, final minus initial
 * variance: the embedding's own variance would bend a power law of few depths into an exponential.
 */
export interface GrowthAnalysis {
  /** 'init': fresh models, mean of nSeed; 'snapshots'. */
  of: 'init' | 'snapshots';
  nSeed: number;
  nLayer: number[];
  steps: number[];
  variance: number[];
  /** Variance of the embedding. */
  startVariance: number[];
  meanAbs: number[];
  power: GrowthFit;
  exponential: GrowthFit;
  /** The fit with the smaller residual; null with fewer than three depths that add variance, or when it does not grow. */
  better: 'power' | 'exponential' | null;
}

/**
 * The branches' last matrices and the output gains while the model goes on training: in double, from the request's
 * parameters, with the spec's optimizer (moments start at 0). Matrices in front of an output norm are scale-invariant:
 * plain gradient steps can only increase their norm, so the effective rate falls. `renormalise` is the control.
 */
export interface WeightPath {
  renormalised: boolean;
  /** After these steps, [n]. */
  step: number[];
  /** Mean over the steps since the last record. */
  loss: number[];
  /** Of the last matrix of each residual step, [n][D]. */
  norm: number[][];
  gradNorm: number[][];
  effectiveRate: number[][];
  /** Root mean square and largest size of each step's output gain, [n][D]; NaN without an output norm. */
  gammaRms: number[][];
  gammaMax: number[][];
}

/** J = diag(γ) r (Π − x̂x̂ᵀ/d), d × d. */
export interface LayerNormJacobian {
  norm: string;
  kind: NormKind | string;
  x: number[];
  rstd: number;
  matrix: number[][];
  eigenvalues: { re: number; im: number }[];
  singularValues: number[];
  /** Largest difference to the plan's VJPs, of the largest entry. */
  disagreement: number;
}

export interface SanityRequest {
  spec: ModelSpec;
  data?: TrainingData;
  /** A smaller model, fewer seeds and depths, no training. Default false. */
  quick?: boolean;
  /** A name for the wiring; only echoed. Default: the placement's. */
  name?: string;
  onProgress?: (progress: { fraction: number; stage: SanityStage }) => void;
  signal?: AbortSignal;
  thread?: 'worker' | 'inline';
}
export type SanityStage = 'sensitivity' | 'hamiltonian' | 'growth' | 'gradients' | 'training';

/** What a verdict rests on. */
export type AssumptionCode =
  | 'fixed-gamma-out' // the bound scales with γ_out: it holds as long as γ_out does
  | 'gamma-undecayed' // weight decay does not act on γ_out
  | 'no-weight-decay' // λ = 0: nothing bounds the last matrix of a branch
  | 'weight-decay-quadratic' // λ > 0: finite for one matrix, but quadratic in p and not bounded a priori
  | 'stream-norm' // bounded because the stream is normalized after each step
  | 'eps-matters' // ε is not small beside the variance that an output norm sees: no exact invariance
  | 'no-affine' // norms without γ, β: their output is bounded once and for all
  | 'at-initialization' // measured on fresh parameters
  | 'small-model'; // measured on a model of fewer layers or less width than asked for

export interface TheoryLine {
  code:
    | 'variance-bound' // the moments keep their live bounds
    | 'variance-init' // variance that the steps add / number of steps, about 1 for output norms with γ = 1, Δt = 1
    | 'branch-exponent' // slope of the branch Jacobian against c: 0 with an output norm, 1 without
    | 'hamiltonian-exponent' // the same of −p·v
    | 'lemma-1' // outputs of output norms lie on their ellipsoid
    | 'uncertainty-bound' // W₂ keeps its bound
    | 'gradient-depth'; // the last block's gradient at initialization, 12 layers over 3: 1/2, behind stream norms 1
  predicted: number;
  measured: number | null;
  agrees: boolean | null;
}

/** Plain JSON: null is "not measured". Made from the wiring's fields and measurements; the placement's name is not read. */
export interface SanityReport {
  version: 1;
  name: string | null;
  /** The canonical spec without the placement's name, snake_case keys. */
  spec: Record<string, string | number | boolean>;
  /** The model that was measured: the spec's own wiring, its sizes cut. */
  measuredOn: { nLayer: number; dModel: number; nBatch: number; nCtx: number };
  hamiltonian: {
    /** Wiring and measurement agree that −p·v cannot grow without limit; null when the wiring says so and nothing was measured. */
    bounded: boolean | null;
    byWiring: boolean;
    /** Slope of −p·v along its steepest direction against c, largest over the steps. */
    exponent: number | null;
    /** Largest −p·v / support over steps and scales; never above 1. */
    powerOverSupport: number | null;
    assumptions: AssumptionCode[];
    /** Steps (names) without any bound. */
    unboundedSteps: string[];
  };
  growth: {
    bounded: boolean;
    holds: boolean | null;
    steps: number[];
    variance: (number | null)[];
    /** Of what the steps add, at initialization. */
    better: 'power' | 'exponential' | null;
    /** Of the better fit; of the power law when neither is. */
    exponent: number | null;
  };
  sensitivity: {
    /** Branch Jacobians do not depend on the activations' scale (|exponent| < 0.05 on every step); null when steps lack one. */
    scaleInvariant: boolean | null;
    exponent: number | null;
    step: (number | null)[];
    product: number | null;
    wholeNet: number | null;
  };
  gradientProfile: {
    nSeed: number;
    lastMatrix: (number | null)[];
    firstOverLast: number | null;
    /** Coefficient of variation over the blocks. */
    spread: number | null;
  };
  warmup: {
    /** Without warm-up the model fails at a rate at which it trains with warm-up. */
    needed: boolean | null;
    learningRate: number | null;
    lossWithout: number | null;
    lossWith: number | null;
  };
  /** Largest rate of the sweep at which the small model trained, and the sweep itself; null when not measured. */
  largestSafeRate: number | null;
  sweep: {
    learningRate: number;
    /** Final loss (mean of the last 30 steps) or null when it was not finite. */
    finalLoss: number | null;
    maxAbs: number | null;
    verdict: 'converged' | 'stalled' | 'passed-half-range' | 'non-finite' | 'failed';
  }[];
  /** The model that was trained: in fp32 whatever the spec's format, without a schedule. */
  trained: { nLayer: number; dModel: number; nBatch: number; nCtx: number; steps: number } | null;
  theory: TheoryLine[];
  notMeasured: string[];
}
