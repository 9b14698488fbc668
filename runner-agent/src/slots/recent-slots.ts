/**
 * Remembers the slots that began lately or are known to have a result, so that a (check, location, slot) runs once.
 * There are two generations of entries: each entry is remembered for at least `keepMs` and at most twice that, without
 * a timer or timestamp of its own.
 */

/** Instants of slots, Unix ms, by check location. A text for each slot would take twice the memory and time. */
type Slots = Map<string, number[]>;

/** Length from which a list has space to grow. Most check locations have two or three slots in a generation. */
const LONG = 32;

/** Slots that must not be run again. */
export class RecentSlots {
  /** Shortest time that a slot is remembered, ms. */
  keepMs: number;
  readonly #nowMs: () => number;
  #young: Slots = new Map();
  #old: Slots = new Map();
  #turnsAtMs = Number.NEGATIVE_INFINITY;

  /** @param nowMs the agent's corrected clock, Unix ms */
  constructor(keepMs: number, nowMs: () => number) {
    this.keepMs = keepMs;
    this.#nowMs = nowMs;
  }

  /**
   * Remembers the slot.
   * @returns false when it was remembered already
   */
  add(checkLocationId: string, slotMs: number): boolean {
    const nowMs = this.#nowMs();
    if (nowMs >= this.#turnsAtMs) {
      this.#old = this.#young;
      this.#young = new Map();
      this.#turnsAtMs = nowMs + this.keepMs;
    }
    const known = this.#young.get(checkLocationId);
    if (known?.includes(slotMs) || this.#old.get(checkLocationId)?.includes(slotMs)) return false;
    if (known !== undefined && known.length >= LONG) known.push(slotMs);
    else this.#young.set(checkLocationId, known === undefined ? [slotMs] : [...known, slotMs]);
    return true;
  }

  /** Forgets the slot, which was given back and may come again. */
  delete(checkLocationId: string, slotMs: number): void {
    for (const slots of [this.#young, this.#old]) {
      const known = slots.get(checkLocationId);
      if (known?.includes(slotMs))
        slots.set(
          checkLocationId,
          known.filter((one) => one !== slotMs),
        );
    }
  }
}
