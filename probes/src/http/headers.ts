/** Lists of headers that keep order and spelling, with names compared case-insensitively. */

/** The headers of a response. */
export class ResponseHeaders {
  /** The headers as received: name, value, name, value, and so on. */
  readonly raw: readonly string[];
  /** Values by lower-case name. Made when first needed. */
  #byName: Map<string, string[]> | undefined;

  constructor(raw: readonly string[]) {
    this.raw = raw;
  }

  /** Returns all values of a name, in order. */
  all(name: string): string[] {
    return [...(this.#index().get(name.toLowerCase()) ?? [])];
  }

  /** Returns the value of a name. Several values are joined by ", " as RFC 9110 says. */
  get(name: string): string | undefined {
    const values = this.#index().get(name.toLowerCase());
    return values === undefined || values.length === 1 ? values?.[0] : values.join(", ");
  }

  /** Returns the values by lower-case name. */
  toRecord(): Record<string, string> {
    // fromEntries defines own properties, so a header named __proto__ is one like any other.
    return Object.fromEntries(
      Array.from(this.#index(), ([name, values]) => [name, values.join(", ")] as const),
    );
  }

  #index(): Map<string, string[]> {
    if (this.#byName) return this.#byName;
    const byName = new Map<string, string[]>();
    for (let at = 0; at < this.raw.length; at += 2) {
      const name = (this.raw[at] as string).toLowerCase();
      const value = this.raw[at + 1] as string;
      const values = byName.get(name);
      if (values) values.push(value);
      else byName.set(name, [value]);
    }
    this.#byName = byName;
    return byName;
  }
}
