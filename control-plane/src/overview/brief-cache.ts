/** Answers that many ask for at once and that may be some seconds old: made once, and kept for a short time. */

/** Weight that is kept when the caller names none. */
const WEIGHT_MAX = 200;

interface Entry<Value> {
  untilMs: number;
  value: Promise<Value>;
  weight: number;
}

/** How much is kept: values whose weights add up to the most allowed. A value that is being made weighs 1. */
export interface BriefCacheSize<Value> {
  weightMax: number;
  /** Returns the weight of a value. Default: each weighs 1. */
  weightOf: (value: Value) => number;
}

/** Keeps values by key for a time. A value that could not be made is not kept; the one that was asked for longest ago goes first. */
export class BriefCache<Value> {
  readonly #entries = new Map<string, Entry<Value>>();
  readonly #lifetimeMs: number;
  readonly #size: BriefCacheSize<Value>;
  #weight = 0;

  /**
   * @param lifetimeMs time for which a value is kept
   * @param size default: 200 values
   */
  constructor(
    lifetimeMs: number,
    size: BriefCacheSize<Value> = { weightMax: WEIGHT_MAX, weightOf: () => 1 },
  ) {
    this.#lifetimeMs = lifetimeMs;
    this.#size = size;
  }

  /** Returns the value of the key, made anew when there is none that is young enough. */
  get(key: string, nowMs: number, make: () => Promise<Value>): Promise<Value> {
    const known = this.#entries.get(key);
    if (known && known.untilMs > nowMs) {
      // Entries stand in the order in which they were last asked for.
      this.#entries.delete(key);
      this.#entries.set(key, known);
      return known.value;
    }
    const entry = { untilMs: nowMs + this.#lifetimeMs, value: make(), weight: 1 };
    this.forget(key);
    this.#entries.set(key, entry);
    this.#weight += entry.weight;
    entry.value.then(
      (value) => this.#weigh(key, entry, value),
      () => {
        if (this.#entries.get(key) === entry) this.forget(key);
      },
    );
    this.#shrink();
    return entry.value;
  }

  /** True when a value of the key is kept, or on its way, that is young enough. */
  has(key: string, nowMs: number): boolean {
    return (this.#entries.get(key)?.untilMs ?? 0) > nowMs;
  }

  /** Has the value of the key made anew by whoever asks next. */
  forget(key: string): void {
    this.#weight -= this.#entries.get(key)?.weight ?? 0;
    this.#entries.delete(key);
  }

  #weigh(key: string, entry: Entry<Value>, value: Value): void {
    if (this.#entries.get(key) !== entry) return;
    this.#weight -= entry.weight;
    entry.weight = this.#size.weightOf(value);
    this.#weight += entry.weight;
    this.#shrink();
  }

  #shrink(): void {
    for (const oldest of this.#entries.keys()) {
      if (this.#weight <= this.#size.weightMax) break;
      this.forget(oldest);
    }
  }
}
