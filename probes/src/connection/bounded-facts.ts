/** Keeps facts that are dear to make again, bounded by their number and by their bytes; the oldest ones go first. */

/** Bounds of the kept facts. */
export interface BoundedFactsLimits {
  entriesMax: number;
  /** Most bytes of keys and facts together, as JSON. Facts that alone take more than an eighth are not kept. */
  bytesMax: number;
}

/** A map that stays within its limits by forgetting its oldest entries. */
export class BoundedFacts<T> {
  readonly #limits: BoundedFactsLimits;
  readonly #entries = new Map<string, { facts: T; bytes: number }>();
  #bytes = 0;

  constructor(limits: BoundedFactsLimits) {
    this.#limits = limits;
  }

  /** Bytes of what is kept. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Returns the facts that were kept under the key, or undefined. */
  find(key: string): T | undefined {
    return this.#entries.get(key)?.facts;
  }

  /** Keeps facts under a key that has none, and drops the oldest ones that no longer fit beside them. */
  keep(key: string, facts: T): void {
    const { entriesMax, bytesMax } = this.#limits;
    const bytes = 2 * (key.length + JSON.stringify(facts).length);
    if (bytes > bytesMax / 8) return;
    this.#entries.set(key, { facts, bytes });
    this.#bytes += bytes;
    for (const [oldest, entry] of this.#entries) {
      if (this.#entries.size <= entriesMax && this.#bytes <= bytesMax) break;
      this.#entries.delete(oldest);
      this.#bytes -= entry.bytes;
    }
  }
}
