/** Keeps one copy of each of a few values that many rows share, such as teams, and counts their uses. Pure memory. */

/** Values by small numbers, which rows hold instead. A value without a use is forgotten and its number used again. */
export class Interned<Value> {
  readonly #numbers = new Map<string, number>();
  readonly #entries: ({ key: string; value: Value; uses: number } | undefined)[] = [];
  readonly #free: number[] = [];

  /**
   * Counts a use.
   * @param key text that is equal for equal values
   * @param create makes the value when none is known by the key
   * @returns the number of the value
   */
  use(key: string, create: () => Value): number {
    const known = this.#numbers.get(key);
    const entry = known === undefined ? undefined : this.#entries[known];
    if (known !== undefined && entry) {
      entry.uses++;
      return known;
    }
    const number = this.#free.pop() ?? this.#entries.length;
    this.#entries[number] = { key, value: create(), uses: 1 };
    this.#numbers.set(key, number);
    return number;
  }

  /** Counts a use less. @returns the value when that was its last use */
  release(number: number): Value | undefined {
    const entry = this.#entries[number];
    if (!entry) return undefined;
    entry.uses--;
    if (entry.uses > 0) return undefined;
    this.#entries[number] = undefined;
    this.#numbers.delete(entry.key);
    this.#free.push(number);
    return entry.value;
  }

  /** Returns the value of a number that has a use. */
  get(number: number): Value {
    const entry = this.#entries[number];
    if (!entry) throw new Error(`number ${number} stands for no value`);
    return entry.value;
  }

  /** Returns the number of the value; undefined when it has no use. */
  find(key: string): number | undefined {
    return this.#numbers.get(key);
  }
}
