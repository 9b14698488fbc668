/** Header lists as they travel: order and spelling kept, names compared case-insensitively. */

/** Headers of a response. */
export class ResponseHeaders {
  /** Name, value, name, value ... as received. */
  readonly raw: readonly string[];

  constructor(raw: readonly string[]) {
    this.raw = raw;
  }

  /** All values of a name, in order. */
  all(name: string): string[] {
    const wanted = name.toLowerCase();
    const values: string[] = [];
    for (let index = 0; index < this.raw.length; index += 2)
      if ((this.raw[index] as string).toLowerCase() === wanted) values.push(this.raw[index + 1] as string);
    return values;
  }

  /** The value of a name; several are joined by ", " as RFC 9110 says. */
  get(name: string): string | undefined {
    const values = this.all(name);
    return values.length === 0 ? undefined : values.join(", ");
  }

  /** Lower-case name to value. */
  toRecord(): Record<string, string> {
    const record: Record<string, string> = Object.create(null);
    for (let index = 0; index < this.raw.length; index += 2) {
      const name = (this.raw[index] as string).toLowerCase();
      const value = this.raw[index + 1] as string;
      record[name] = record[name] === undefined ? value : `${record[name]}, ${value}`;
    }
    return { ...record };
  }
}
