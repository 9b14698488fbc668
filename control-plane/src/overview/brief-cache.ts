/** Answers that many ask for at once and that may be some seconds old: made once, and kept for a short time. */

/** Teams whose answers are kept; the one that was made longest ago goes first. */
const ENTRIES_MAX = 200;

interface Entry<Value> {
  untilMs: number;
  value: Promise<Value>;
}

/** Keeps values by key for a time. A value that could not be made is not kept. */
export class BriefCache<Value> {
  readonly #entries = new Map<string, Entry<Value>>();
  readonly #lifetimeMs: number;

  /** @param lifetimeMs time for which a value is kept */
  constructor(lifetimeMs: number) {
    this.#lifetimeMs = lifetimeMs;
  }

  /** Returns the value of the key, made anew when there is none that is young enough. */
  get(key: string, nowMs: number, make: () => Promise<Value>): Promise<Value> {
    const known = this.#entries.get(key);
    if (known && known.untilMs > nowMs) return known.value;
    const entry = { untilMs: nowMs + this.#lifetimeMs, value: make() };
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    entry.value.catch(() => {
      if (this.#entries.get(key) === entry) this.#entries.delete(key);
    });
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size <= ENTRIES_MAX) break;
      this.#entries.delete(oldest);
    }
    return entry.value;
  }

  /** True when a value of the key is kept, or on its way, that is young enough. */
  has(key: string, nowMs: number): boolean {
    return (this.#entries.get(key)?.untilMs ?? 0) > nowMs;
  }

  /** Has the value of the key made anew by whoever asks next. */
  forget(key: string): void {
    this.#entries.delete(key);
  }
}
