/**
 * Remembers the slots that began lately or are known to have a result, so that a (check, location, slot) runs once.
 * There are two generations of entries: each entry is remembered for at least `keepMs` and at most twice that, without
 * a timer or timestamp of its own.
 */

/** Slots that must not be run again. */
export class RecentSlots {
  /** Shortest time that a slot is remembered, ms. */
  keepMs: number;
  readonly #nowMs: () => number;
  #young = new Set<string>();
  #old = new Set<string>();
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
  add(checkKey: number, locationKey: number, slotMs: number): boolean {
    const nowMs = this.#nowMs();
    if (nowMs >= this.#turnsAtMs) {
      this.#old = this.#young;
      this.#young = new Set();
      this.#turnsAtMs = nowMs + this.keepMs;
    }
    const key = keyOf(checkKey, locationKey, slotMs);
    if (this.#young.has(key) || this.#old.has(key)) return false;
    this.#young.add(key);
    return true;
  }

  /** Forgets the slot, which was given back and may come again. */
  delete(checkKey: number, locationKey: number, slotMs: number): void {
    const key = keyOf(checkKey, locationKey, slotMs);
    this.#young.delete(key);
    this.#old.delete(key);
  }
}

function keyOf(checkKey: number, locationKey: number, slotMs: number): string {
  return `${checkKey}/${locationKey}/${slotMs}`;
}
