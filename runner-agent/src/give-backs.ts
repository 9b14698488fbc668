import type { GivenBackSlot } from "./assignment.ts";

/** Kept while there is nobody to give them to; of more, the oldest are forgotten (their slots show as missing all the same). */
const KEPT_MAX = 20_000;

/** Slots to give back, until a session takes them. */
export class GiveBacks {
  #slots: GivenBackSlot[] = [];

  add(slot: GivenBackSlot): void {
    this.#slots.push(slot);
    if (this.#slots.length > 2 * KEPT_MAX) this.#slots = this.#slots.slice(-KEPT_MAX);
  }

  /** Removes and returns up to `max`, oldest first. */
  take(max: number): GivenBackSlot[] {
    return this.#slots.splice(0, max);
  }
}
