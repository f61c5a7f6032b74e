/** Analyses nets one after the other, off the page's thread, with progress and a way out. Knows nothing of the page. */
import { analyse, type AnalysisPart } from 'normscope';
import { isFiniteSubject, type AnalysedSubject, type AnalysisOrder, type AnalysisSubject } from './subjects.js';

export type AnalyserPhase = 'idle' | 'running' | 'done' | 'cancelled' | 'failed';

/** The factors of the scale sweep: two decades, evenly on a logarithmic axis. */
const SCALES = [1, 2, 5, 10, 20, 50, 100];

/** Everything but what measures whole families of fresh nets, which is asked for on fresh nets only. */
const PARTS: readonly AnalysisPart[] = [
  'moments',
  'sensitivity',
  'activationScale',
  'hamiltonian',
  'uncertainty',
  'usefulness',
  'weights',
  'layerNormJacobian',
  'gradients',
];
const FRESH_PARTS: readonly AnalysisPart[] = [...PARTS, 'growth'];

export interface AnalyserState {
  phase: AnalyserPhase;
  nets: readonly AnalysedSubject[];
  /** Names of nets that were left out, since their parameters are not finite. */
  broken: readonly AnalysisSubject['name'][];
  /** Steps of training behind the nets. */
  step: number;
  /** What is in work; null when nothing is. */
  now: {
    name: AnalysisSubject['name'] | null;
    part: AnalysisPart | null;
    index: number;
    total: number;
    fraction: number;
  } | null;
  error: unknown;
}

const START: AnalyserState = { phase: 'idle', nets: [], broken: [], step: 0, now: null, error: null };

export class Analyser {
  state: AnalyserState = START;
  #changed: () => void;
  #abort: AbortController | null = null;

  constructor(changed: () => void) {
    this.#changed = changed;
  }

  /** Settles when all is done, failed or was cancelled. The figures fill in net by net. */
  async run(order: () => Promise<AnalysisOrder | null>): Promise<void> {
    this.cancel();
    const abort = new AbortController();
    this.#abort = abort;
    this.#set({ ...START, phase: 'running', now: { name: null, part: null, index: 0, total: 0, fraction: 0 } });
    try {
      const wanted = await order();
      if (abort.signal.aborted) return;
      if (!wanted) return this.#set({ phase: 'idle', now: null });
      await this.#each(wanted, abort.signal);
      if (!abort.signal.aborted) this.#set({ phase: 'done', now: null });
    } catch (error) {
      if (!abort.signal.aborted) this.#set({ phase: 'failed', now: null, error });
    }
  }

  /** Keeps what is there already. */
  cancel(): void {
    this.#abort?.abort();
    this.#abort = null;
    if (this.state.phase === 'running') this.#set({ phase: 'cancelled', now: null });
  }

  async #each({ subjects, data, step }: AnalysisOrder, signal: AbortSignal): Promise<void> {
    const sound = subjects.filter(isFiniteSubject);
    const broken = subjects.filter((subject) => !sound.includes(subject)).map(({ name }) => name);
    this.#set({ step, broken });
    for (const [index, subject] of sound.entries()) {
      const analysis = await analyse({
        ...requestOf(subject),
        data,
        scales: SCALES,
        signal,
        onProgress: ({ fraction, part }) => {
          if (signal.aborted) return;
          const { name } = subject;
          this.#set({ now: { name, part, index, total: sound.length, fraction: (index + fraction) / sound.length } });
        },
      });
      if (signal.aborted) return;
      const { name, style } = subject;
      this.#set({ nets: [...this.state.nets, { name, style, analysis }] });
    }
  }

  #set(change: Partial<AnalyserState>): void {
    this.state = { ...this.state, ...change };
    this.#changed();
  }
}

function requestOf({ spec, snapshot }: AnalysisSubject) {
  return snapshot ? { snapshot, parts: PARTS } : { spec, parts: FRESH_PARTS };
}
