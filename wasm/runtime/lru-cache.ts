/**
 * Keeps the most recently used values up to a number of entries and a total weight. An entry is taken out while in use,
 * so that no two users share it.
 */
export class LruCache<T> {
  readonly #entries = new Map<string, { value: T; weight: number }>();
  #weight = 0;

  constructor(
    private readonly limit: { entries: number; weight: number },
    private readonly drop: (value: T) => void,
  ) {}

  take(key: string): T | undefined {
    const entry = this.#entries.get(key);
    if (!entry) return undefined;
    this.#entries.delete(key);
    this.#weight -= entry.weight;
    return entry.value;
  }

  put(key: string, value: T, weight: number): void {
    if (weight > this.limit.weight) return this.drop(value);
    const twin = this.take(key);
    if (twin !== undefined) this.drop(twin);
    this.#entries.set(key, { value, weight });
    this.#weight += weight;
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size <= this.limit.entries && this.#weight <= this.limit.weight) break;
      this.drop(this.take(oldest)!);
    }
  }
}
