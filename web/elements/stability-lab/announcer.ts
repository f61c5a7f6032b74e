/** What a screen reader hears: news at once, progress every several seconds, nothing in between. */

const PROGRESS_MS = 8000;

export class Announcer {
  #speak: (words: string | null) => void;
  #last = 0;

  constructor(speak: (words: string | null) => void) {
    this.#speak = speak;
  }

  /** News. */
  say(words: string): void {
    this.#last = performance.now();
    this.#speak(words);
  }

  /** Called as often as one likes; speaks the current state when it is time. */
  progress(): void {
    const now = performance.now();
    if (now - this.#last < PROGRESS_MS) return;
    this.#last = now;
    this.#speak(null);
  }
}
