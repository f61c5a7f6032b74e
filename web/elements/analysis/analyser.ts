/** Analyses nets one after the other, off the page's thread, with progress and a way out. Knows nothing of the page. */
import { analyse, type AnalysisPart, type AnalysisProgress, type TrainingData } from 'normscope';
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
  /** What the nets on show were analysed with. */
  #data: TrainingData | null = null;

  constructor(changed: () => void) {
    this.#changed = changed;
  }

  /** Settles when all is done, failed or was cancelled. The figures fill in net by net. */
  async run(order: () => Promise<AnalysisOrder | null>): Promise<void> {
    await this.#work(async (signal) => {
      this.#set({ nets: [], broken: [], step: 0 });
      const wanted = await order();
      if (!wanted) return 'idle';
      this.#data = wanted.data;
      return this.#each(wanted, signal);
    });
  }

  /** One piece of work at a time; a new one ends the old. */
  async #work(work: (signal: AbortSignal) => Promise<AnalyserPhase | void>): Promise<void> {
    this.cancel();
    const abort = new AbortController();
    this.#abort = abort;
    const now = { name: null, part: null, index: 0, total: 0, fraction: 0 };
    this.#set({ phase: 'running', now, error: null });
    try {
      const phase = (await work(abort.signal)) ?? 'done';
      if (!abort.signal.aborted) this.#set({ phase, now: null });
    } catch (error) {
      if (!abort.signal.aborted) this.#set({ phase: 'failed', now: null, error });
    }
  }

  /** Trains the analysed nets some steps further and follows their weights, twice: as they are, and held at their length. */
  async follow(): Promise<void> {
    const { nets } = this.state;
    const data = this.#data;
    if (!data || !nets.length) return;
    await this.#work(async (signal) => {
      for (const [index, subject] of nets.entries()) {
        const one = (renormalise: boolean, share: number) =>
          analyse({
            ...sourceOf(subject),
            data,
            parts: ['weightPath'],
            renormalise,
            signal,
            onProgress: (progress) => this.#show(subject, progress, index, nets.length, share, signal),
          });
        const path = (await one(false, 0)).weightPath!;
        const control = (await one(true, 0.5)).weightPath!;
        const followed = this.state.nets.map((net, i) => (i === index ? { ...net, path, control } : net));
        this.#set({ nets: followed });
      }
    });
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
        ...sourceOf(subject),
        parts: subject.snapshot ? PARTS : FRESH_PARTS,
        data,
        scales: SCALES,
        signal,
        onProgress: (progress) => this.#show(subject, progress, index, sound.length, 0, signal),
      });
      if (signal.aborted) return;
      this.#set({ nets: [...this.state.nets, { ...subject, analysis }] });
    }
  }

  /** Where the work stands; `share` of it lies before this call of the package, when one net takes two. */
  #show(
    { name }: AnalysisSubject,
    { fraction, part }: AnalysisProgress,
    index: number,
    total: number,
    share: number,
    signal: AbortSignal,
  ): void {
    if (signal.aborted) return;
    const done = part === 'weightPath' ? share + fraction / 2 : fraction;
    this.#set({ now: { name, part, index, total, fraction: (index + done) / total } });
  }

  #set(change: Partial<AnalyserState>): void {
    this.state = { ...this.state, ...change };
    this.#changed();
  }
}

function sourceOf({ spec, snapshot }: AnalysisSubject) {
  return snapshot ? { snapshot } : { spec };
}
