/**
 * Records on their way to async iterators. A producer never waits; no record is dropped, and what is kept is bounded by
 * the run itself. Records that arrive before the first iterator are kept for it when `keepForFirst` is set.
 */
export class RecordQueue<T> {
  readonly #readers = new Set<Reader<T>>();
  #early: T[] | null;
  #closed: { error?: unknown } | null = null;

  constructor(keepForFirst: boolean) {
    this.#early = keepForFirst ? [] : null;
  }

  push(record: T): void {
    this.#early?.push(record);
    for (const reader of this.#readers) reader.push(record);
  }

  /** Ends every iterator after its last record, with an error when one is given. */
  close(error?: unknown): void {
    this.#closed ??= { error };
    for (const reader of this.#readers) reader.wake();
  }

  iterate(): AsyncIterator<T> & AsyncIterable<T> {
    const reader = new Reader<T>(this.#early ?? []);
    this.#early = null;
    this.#readers.add(reader);
    const iterator = {
      next: async (): Promise<IteratorResult<T>> => {
        for (;;) {
          if (reader.ended) return { value: undefined, done: true };
          const record = reader.shift();
          if (record) return { value: record.value, done: false };
          if (this.#closed) break;
          await reader.arrival();
        }
        this.#end(reader);
        if (this.#closed.error !== undefined) throw this.#closed.error;
        return { value: undefined, done: true };
      },
      return: async (): Promise<IteratorResult<T>> => {
        this.#end(reader);
        return { value: undefined, done: true };
      },
      [Symbol.asyncIterator]: () => iterator,
    };
    return iterator;
  }

  /** Whoever still waits in `next` is told that there is nothing more; an error is told once. */
  #end(reader: Reader<T>): void {
    this.#readers.delete(reader);
    reader.ended = true;
    reader.wake();
  }
}

/** A first-in, first-out list whose front moves instead of its items. */
class Reader<T> {
  ended = false;
  #front = 0;
  #waiting: (() => void)[] = [];

  constructor(private items: T[]) {}

  push(record: T): void {
    this.items.push(record);
    this.wake();
  }

  shift(): { value: T } | null {
    if (this.#front === this.items.length) return null;
    const value = this.items[this.#front++]!;
    if (this.#front === this.items.length || this.#front >= 1024)
      [this.items, this.#front] = [this.items.slice(this.#front), 0];
    return { value };
  }

  arrival(): Promise<void> {
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  wake(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resolve of waiting) resolve();
  }
}
