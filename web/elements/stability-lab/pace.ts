/** How long the rest takes, from the pace of the last few seconds. Time is passed in: no clock here. */

const WINDOW_MS = 4000;

export class Pace {
  #marks: { step: number; time: number }[] = [];

  /** Forget the past, e.g. after a pause. */
  reset(): void {
    this.#marks = [];
  }

  /** `step` steps were done at `time` (milliseconds of any steady clock). */
  mark(step: number, time: number): void {
    this.#marks.push({ step, time });
    while (this.#marks.length > 2 && time - this.#marks[1]!.time > WINDOW_MS) this.#marks.shift();
  }

  /** Steps per second; NaN while too little is known. */
  get stepsPerSecond(): number {
    const first = this.#marks[0];
    const last = this.#marks.at(-1);
    if (!first || !last || last.time - first.time < 200 || last.step <= first.step) return Number.NaN;
    return ((last.step - first.step) * 1000) / (last.time - first.time);
  }

  /** Seconds until `total` steps are done; NaN while unknown. */
  secondsLeft(total: number): number {
    const last = this.#marks.at(-1);
    return last ? Math.max(0, total - last.step) / this.stepsPerSecond : Number.NaN;
  }
}
