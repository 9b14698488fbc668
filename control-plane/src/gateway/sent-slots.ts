/** Remembers which slots were dispatched by a stream, for as long as they may still be run. */

import { GRACE_MS } from "../fleet/timing.ts";
import { type CheckLocationSlot, checkLocationSlotId } from "../platform/check-location.ts";

const REMEMBERED_MS = 2 * GRACE_MS;

/** Remembers the slots that one stream dispatched. */
export class SentSlots {
  readonly #monotonicMs: () => number;
  /** Instants at which slots were sent (monotonic ms), by slot id, oldest first. */
  readonly #sentAtMs = new Map<string, number>();

  /** @param monotonicMs monotonic clock, ms */
  constructor(monotonicMs: () => number) {
    this.#monotonicMs = monotonicMs;
  }

  has(slot: CheckLocationSlot): boolean {
    return this.#sentAtMs.has(checkLocationSlotId(slot));
  }

  /** Adds the slot, and forgets those that are too old to be run. */
  add(slot: CheckLocationSlot): void {
    const nowMs = this.#monotonicMs();
    for (const [id, sentAtMs] of this.#sentAtMs) {
      if (nowMs - sentAtMs < REMEMBERED_MS) break;
      this.#sentAtMs.delete(id);
    }
    this.#sentAtMs.set(checkLocationSlotId(slot), nowMs);
  }
}
