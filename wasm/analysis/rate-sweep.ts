/** A short sweep over learning rates, and what warm-up changes where a rate fails. */
import type { ModelSpec, TrainingData, TrainingRun, Verdict } from '../runtime/types.js';
import { trainAll } from '../worker/training-client.js';
import type { SanityReport, SanityRequest } from './types.js';

export const SWEEP_STEPS = 200;
const RATES = [1e-3, 3e-3, 1e-2, 3e-2, 1e-1, 3e-1];
/** Rates that people use without asking for trouble; a model that needs warm-up here needs it. */
const ORDINARY = 1e-2;
/** Failed: within 0.1 nats of what the symbols' frequencies alone give (theory of the toy: nothing was learned). */
const STALL_MARGIN = 0.1;
/** Safe: at most this part of the way from the best loss of the sweep back to the unigram loss. */
const SAFE_MARGIN = 0.25;

type Point = SanityReport['sweep'][number];
export type RateSweep = Pick<SanityReport, 'sweep' | 'largestSafeRate' | 'warmup'>;

type Options = Pick<SanityRequest, 'signal' | 'thread'>;

export async function sweepRates(spec: ModelSpec, data: TrainingData, options: Options): Promise<RateSweep> {
  const without = await trainEach(
    RATES.map((learningRate) => ({ ...spec, learningRate, warmup: 0, schedule: 'constant' })),
    data,
    options,
  );
  return {
    sweep: without.map(({ unigram: _, ...point }) => point),
    largestSafeRate: largestSafe(without),
    warmup: await warmupNeed(spec, data, options, without),
  };
}

export type Trained = Point & { unigram: number };

/** Of the first stretch of safe rates: below it a run may just be too slow, above it nothing is trusted. */
export function largestSafe(points: Trained[]): number | null {
  const safe = points.map(safety(points));
  const first = safe.indexOf(true);
  if (first < 0) return null;
  const end = safe.indexOf(false, first);
  return points.at(end < 0 ? -1 : end - 1)!.learningRate;
}

function safety(points: Trained[]): (point: Trained) => boolean {
  const best = Math.min(...points.map(({ finalLoss }) => finalLoss ?? Infinity));
  return ({ finalLoss, verdict, unigram }) =>
    verdict === 'converged' && finalLoss! <= best + SAFE_MARGIN * (unigram - best);
}

/** Compares at every ordinary rate that fails without warm-up; the first that succeeds with it decides. */
async function warmupNeed(
  spec: ModelSpec,
  data: TrainingData,
  options: Options,
  without: Trained[],
): Promise<SanityReport['warmup']> {
  const isSafe = safety(without);
  const failing = without.filter((point) => point.learningRate <= ORDINARY && !isSafe(point));
  if (failing.length === 0) return { needed: false, learningRate: null, lossWithout: null, lossWith: null };
  const withWarmup = await trainEach(
    failing.map(({ learningRate }) => ({
      ...spec,
      learningRate,
      warmup: Math.round(SWEEP_STEPS / 2),
      schedule: 'constant',
    })),
    data,
    options,
  );
  const cured = firstCured(withWarmup, failing, without);
  const shown = Math.max(0, cured);
  return {
    needed: cured >= 0 ? true : null,
    learningRate: failing[shown]!.learningRate,
    lossWithout: failing[shown]!.finalLoss,
    lossWith: withWarmup[shown]!.finalLoss,
  };
}

/** Safe with warm-up, and better than without by more than chance; −1 when none is. */
export function firstCured(withWarmup: Trained[], failing: Trained[], without: Trained[]): number {
  const isSafe = safety([...without, ...withWarmup]);
  return withWarmup.findIndex((point, i) => {
    const { finalLoss } = failing[i]!;
    return isSafe(point) && (finalLoss === null || point.finalLoss! < finalLoss - STALL_MARGIN);
  });
}

async function trainEach(specs: ModelSpec[], data: TrainingData, { signal, thread }: Options): Promise<Trained[]> {
  const run: TrainingRun = trainAll({
    specs,
    data,
    steps: SWEEP_STEPS,
    device: 'wasm',
    onMetrics: () => {},
    ...(signal && { signal }),
    ...(thread && { thread }),
  });
  const [infos, verdicts] = await Promise.all([run.started, run.finished]);
  return verdicts.map((verdict, i) => {
    const unigram = infos[i]!.dataset.unigramLoss;
    return {
      learningRate: specs[i]!.learningRate!,
      finalLoss: finite(verdict.finalLoss),
      maxAbs: finite(verdict.maxAbs),
      verdict: judge(verdict, unigram),
      unigram,
    };
  });
}

const finite = (value: number): number | null => (Number.isFinite(value) ? value : null);

function judge({ code, finalLoss, passedHalfRange }: Verdict, unigram: number): Point['verdict'] {
  if (code === 'non-finite' || code === 'overflow') return 'non-finite';
  if (code !== 'finished') return 'failed';
  if (!(finalLoss < unigram - STALL_MARGIN)) return 'stalled';
  return passedHalfRange === null ? 'converged' : 'passed-half-range';
}
