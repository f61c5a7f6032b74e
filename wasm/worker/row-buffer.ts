/** Rows of statistics that wait to be sent; grows as it must. */
export class RowBuffer {
  #floats: Float32Array;
  #nRow = 0;

  constructor(private readonly rowWidth: number) {
    this.#floats = new Float32Array(16 * rowWidth);
  }

  /** A new row to be written; valid until the next call. */
  append(): Float32Array {
    const { rowWidth } = this;
    if ((this.#nRow + 1) * rowWidth > this.#floats.length) {
      const larger = new Float32Array(this.#floats.length * 2);
      larger.set(this.#floats);
      this.#floats = larger;
    }
    const start = this.#nRow++ * rowWidth;
    return this.#floats.subarray(start, start + rowWidth);
  }

  /** The rows since the last call, to be transferred; null when there are none. */
  take(): Float32Array | null {
    if (this.#nRow === 0) return null;
    const rows = this.#floats.slice(0, this.#nRow * this.rowWidth);
    this.#nRow = 0;
    return rows;
  }
}
