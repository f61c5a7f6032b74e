/** From a run's numbers to its verdict, with the reasons. The rules are stated here once; README.md says why. */
import type { Verdict } from '../runtime/types.js';
import type { Reason, RunVerdict } from './types.js';

/** Nats: a final loss this near to the unigram entropy, or above, has learned at most the frequencies of symbols. */
export const STALL_MARGIN = 0.1;
/** Steps over which the loss is averaged before a rise is looked for: one batch is noise. */
export const SPIKE_WINDOW = 10;
/** A spike undoes more than this share of what had been learned (unigram entropy minus the best mean loss) … */
export const SPIKE_SHARE = 0.5;
/** … and no less than this many nats. */
export const SPIKE_LEAST = 0.3;

/** The largest rise of the mean loss above its best so far, and whether it came back. */
export class SpikeWatch {
  #recent: number[] = [];
  #best = Infinity;
  #mean = NaN;
  #peak: { step: number; rise: number; limit: number } | null = null;

  constructor(private readonly unigramLoss: number) {}

  take(step: number, loss: number): void {
    if (!Number.isFinite(loss)) return;
    this.#recent.push(loss);
    if (this.#recent.length > SPIKE_WINDOW) this.#recent.shift();
    if (this.#recent.length < SPIKE_WINDOW) return;
    this.#mean = this.#recent.reduce((sum, each) => sum + each, 0) / SPIKE_WINDOW;
    this.#best = Math.min(this.#best, this.#mean);
    const [rise, limit] = [this.#mean - this.#best, this.#limit()];
    if (rise > limit && rise > (this.#peak?.rise ?? 0)) this.#peak = { step, rise, limit };
  }

  get reason(): Reason | null {
    if (!this.#peak) return null;
    const lasts = this.#mean - this.#best > this.#limit();
    const { step, rise, limit } = this.#peak;
    return { code: lasts ? 'spike-at-end' : 'spike-recovered', step, value: rise, limit };
  }

  /** Nothing can be lost before something was learned. */
  #limit(): number {
    const learned = this.unigramLoss - this.#best;
    return learned > 0 ? Math.max(SPIKE_SHARE * learned, SPIKE_LEAST) : Infinity;
  }
}

/** How a run that has ended is to be called, and why; the verdict's own reason comes first. */
export function judge(
  verdict: Verdict,
  unigramLoss: number,
  spike: Reason | null,
): { verdict: RunVerdict; reasons: Reason[] } {
  const rest = [...(spike ? [spike] : []), ...halfRange(verdict)];
  const named = (name: RunVerdict, ...own: Reason[]): { verdict: RunVerdict; reasons: Reason[] } => ({
    verdict: name,
    reasons: [...own, ...rest.filter((reason) => !own.includes(reason))],
  });
  const { code, finalLoss } = verdict;
  if (code === 'failed') return { verdict: 'failed', reasons: [errorReason(verdict.error)] };
  if (code === 'stopped' || code === 'running') return named('stopped');
  if (code === 'overflow') return named('overflow', placed('left-format-range', verdict));
  if (code === 'non-finite') return named('non-finite', placed('not-finite', verdict));
  if (!(finalLoss < unigramLoss - STALL_MARGIN)) {
    const above = finalLoss > unigramLoss + STALL_MARGIN;
    return named('stalled', { code: above ? 'above-unigram' : 'at-unigram', value: finalLoss, limit: unigramLoss });
  }
  if (spike) return named('spike', spike);
  return named('converged', { code: 'below-unigram', value: finalLoss, limit: unigramLoss });
}

export const errorReason = (error: Verdict['error']): Reason => ({
  code: 'error',
  where: error?.code ?? 'core-broken',
  message: error?.message ?? '',
});

function placed(code: Reason['code'], { step, where, quantity, channel, value }: Verdict): Reason {
  const optional = { where, quantity, channel, value };
  const given = Object.entries(optional).filter(([, each]) => each !== undefined);
  return { code, step, ...Object.fromEntries(given) };
}

/** Worth knowing of a run in a wider format: in fp16 it would have ended there. */
const halfRange = ({ passedHalfRange, code }: Verdict): Reason[] =>
  passedHalfRange === null || code === 'overflow' ? [] : [{ code: 'passed-half-range', step: passedHalfRange }];
