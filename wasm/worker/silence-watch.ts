/**
 * Notices a worker that no longer answers. Only timer ticks count, not the clock: a page that slept or was frozen finds
 * its workers as it left them. A step is one unbroken computation, so its length is learned before it is judged.
 */
import type { HostMessage } from './protocol.js';

/** Seconds between two looks. */
const TICK = 10;
/** Seconds of silence that are always granted. */
const LEAST = 60;
/** A step may take this many times as long as the longest before it. */
const FACTOR = 10;
/** Seconds for a plan and for the first step, of which nothing is known. */
const FIRST = 600;

/** What a worker owes: a plan or steps, an answer between steps, or nothing. */
export type Debt = 'work' | 'answer' | null;

export class SilenceWatch {
  readonly #timer: ReturnType<typeof setInterval>;
  #silence = 0;
  /** Longest silence that a finished step has ended; null before the first. */
  #longest: number | null = null;

  constructor(
    private readonly debt: () => Debt,
    private readonly onSilent: (seconds: number) => void,
  ) {
    this.#timer = setInterval(() => this.#look(), TICK * 1000);
    (this.#timer as { unref?: () => void }).unref?.();
  }

  hear({ type }: HostMessage): void {
    if (type === 'progress') this.#longest = Math.max(this.#longest ?? 0, this.#silence);
    this.#silence = 0;
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #look(): void {
    const debt = this.debt();
    this.#silence = debt ? this.#silence + TICK : 0;
    const isFirst = debt === 'work' && this.#longest === null;
    if (this.#silence >= (isFirst ? FIRST : Math.max(LEAST, FACTOR * (this.#longest ?? 0)))) {
      this.onSilent(this.#silence);
    }
  }
}
