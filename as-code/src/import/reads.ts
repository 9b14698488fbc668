/**
 * Keeps which members of an export were looked at. All items of a file share one, so that what no source reads can be listed at the
 * end: a setting that the other tool added yesterday is named to whoever moves, not dropped in silence.
 */
export class Reads {
  readonly #names = new WeakMap<object, Set<string>>();
  readonly #settled = new WeakSet<object>();
  /** Values that were read out of another, such as JSON out of a text, by the path of that other. */
  readonly #derived = new Map<string, object>();

  /** Keeps that a member was looked at. */
  look(holder: unknown, name: string): void {
    if (typeof holder !== "object" || holder === null) return;
    const names = this.#names.get(holder);
    if (names) names.add(name);
    else this.#names.set(holder, new Set([name]));
  }

  /** Keeps that a value needs no further note, nor does anything in it. */
  settle(value: unknown): void {
    if (typeof value === "object" && value !== null) this.#settled.add(value);
  }

  /** Keeps that a value stands for the one at a path: its members are looked at in the place of that one's. */
  derive(path: string, value: unknown): void {
    if (typeof value === "object" && value !== null) this.#derived.set(path, value);
  }

  /** Returns the value that stands for the one at a path; the value itself without one. */
  standingFor(path: string, value: unknown): unknown {
    return this.#derived.get(path) ?? value;
  }

  hasLookedAt(holder: object, name: string): boolean {
    return this.#names.get(holder)?.has(name) ?? false;
  }

  hasLookedInto(holder: object): boolean {
    return this.#names.has(holder);
  }

  isSettled(value: object): boolean {
    return this.#settled.has(value);
  }
}
