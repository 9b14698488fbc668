/** Header lists as they travel: order and spelling kept, names compared case-insensitively. */

/** Headers of a response. */
export class ResponseHeaders {
  /** Name, value, name, value ... as received. */
  readonly raw: readonly string[];
  /** Values by lower-case name, made when first asked. */
  private byName: Map<string, string[]> | undefined;

  constructor(raw: readonly string[]) {
    this.raw = raw;
  }

  /** All values of a name, in order. */
  all(name: string): string[] {
    return [...(this.index().get(name.toLowerCase()) ?? [])];
  }

  /** The value of a name; several are joined by ", " as RFC 9110 says. */
  get(name: string): string | undefined {
    const values = this.index().get(name.toLowerCase());
    return values === undefined || values.length === 1 ? values?.[0] : values.join(", ");
  }

  /** Lower-case name to value. */
  toRecord(): Record<string, string> {
    // fromEntries defines own properties, so that a header named __proto__ is one like any other.
    return Object.fromEntries(
      Array.from(this.index(), ([name, values]) => [name, values.join(", ")] as const),
    );
  }

  private index(): Map<string, string[]> {
    if (this.byName) return this.byName;
    const byName = new Map<string, string[]>();
    for (let at = 0; at < this.raw.length; at += 2) {
      const name = (this.raw[at] as string).toLowerCase();
      const value = this.raw[at + 1] as string;
      const values = byName.get(name);
      if (values) values.push(value);
      else byName.set(name, [value]);
    }
    this.byName = byName;
    return byName;
  }
}
