/** A set of check locations, without a text for each. Pure memory. */
import type { CheckLocation } from "../platform/check-location.ts";

/** Check locations, each once. */
export class CheckLocationSet {
  /** Keys of the checks by location key. */
  readonly #checkKeys = new Map<number, Set<number>>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  has({ checkKey, locationKey }: CheckLocation): boolean {
    return this.#checkKeys.get(locationKey)?.has(checkKey) ?? false;
  }

  /** Returns the keys of the checks at a location; undefined when there never was one. */
  at(locationKey: number): ReadonlySet<number> | undefined {
    return this.#checkKeys.get(locationKey);
  }

  add({ checkKey, locationKey }: CheckLocation): void {
    const keys = this.#checkKeys.get(locationKey) ?? new Set();
    this.#checkKeys.set(locationKey, keys);
    if (keys.has(checkKey)) return;
    keys.add(checkKey);
    this.#size++;
  }

  delete({ checkKey, locationKey }: CheckLocation): void {
    if (this.#checkKeys.get(locationKey)?.delete(checkKey)) this.#size--;
  }
}
