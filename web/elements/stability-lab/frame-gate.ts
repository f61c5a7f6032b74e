/** At most this many pictures a second. */
const PER_SECOND = 12;

/** Lets `draw` happen in an animation frame, not more often than the eye needs, however often it is asked for. */
export class FrameGate {
  #draw: () => void;
  #frame = 0;
  #last = -Infinity;

  constructor(draw: () => void) {
    this.#draw = draw;
  }

  ask(): void {
    if (!this.#frame) this.#frame = requestAnimationFrame(this.#tick);
  }

  cancel(): void {
    cancelAnimationFrame(this.#frame);
    this.#frame = 0;
  }

  #tick = (now: number): void => {
    if (now - this.#last < 1000 / PER_SECOND) {
      this.#frame = requestAnimationFrame(this.#tick);
      return;
    }
    this.#frame = 0;
    this.#last = now;
    this.#draw();
  };
}
