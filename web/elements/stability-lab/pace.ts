/** How fast something is counted up, and when it will be done. No clock here. */

const WINDOW_MS = 4000;
/** Counts that come nearer to each other than this share a mark: a GPU delivers many steps at once. */
const GRAIN_MS = 50;
/** A reading stays this long, so that it can be read. */
const HOLD_MS = 400;
/** Less than this says nothing about speed. */
const LEAST_MS = 200;

export class Pace {
  #marks: { count: number; time: number }[] = [];
  #reading = { perSecond: Number.NaN, time: -Infinity };
  #sum = { count: 0, time: 0 };

  /** Forget the recent past, e.g. after a pause; the mean goes on. */
  reset(): void {
    this.#marks = [];
    this.#reading = { perSecond: Number.NaN, time: -Infinity };
  }

  /** `count` was reached at `time` (milliseconds of any steady clock). */
  mark(count: number, time: number): void {
    const marks = this.#marks;
    const last = marks.at(-1);
    if (last) this.#sum = { count: this.#sum.count + count - last.count, time: this.#sum.time + time - last.time };
    if (marks.length > 1 && time - marks.at(-2)!.time < GRAIN_MS) marks.pop();
    marks.push({ count, time });
    while (marks.length > 2 && time - marks[1]!.time > WINDOW_MS) marks.shift();
    const held = time - this.#reading.time < HOLD_MS && !Number.isNaN(this.#reading.perSecond);
    if (!held) this.#reading = { perSecond: this.#recent(), time };
  }

  /** Recent counts per second, at most a few readings a second; NaN while too little is known. */
  get perSecond(): number {
    return this.#reading.perSecond;
  }

  /** Counts per second over all the time that was marked, pauses left out; NaN while too little is known. */
  get mean(): number {
    return rate(this.#sum.count, this.#sum.time);
  }

  /** Seconds until `total` is reached; NaN while unknown. */
  secondsLeft(total: number): number {
    const last = this.#marks.at(-1);
    return last ? Math.max(0, total - last.count) / this.perSecond : Number.NaN;
  }

  #recent(): number {
    const [first] = this.#marks;
    const last = this.#marks.at(-1);
    return first && last ? rate(last.count - first.count, last.time - first.time) : Number.NaN;
  }
}

function rate(count: number, milliseconds: number): number {
  return milliseconds < LEAST_MS || count <= 0 ? Number.NaN : (count * 1000) / milliseconds;
}
