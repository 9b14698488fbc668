/**
 * Decides which successful runs keep the results of their assertions: dispatched runs, the first run after one that did not
 * succeed, and one in an hour for each check location. All others would fill the store with what nobody looks at.
 */
import { HOUR_MS } from "@svc/contract";
import type { DueSlot } from "./slot-schedule.ts";

/** Check locations that are remembered. Beyond them the memory begins anew, and each keeps one success more. */
const REMEMBERED_MAX = 200_000;
/** Spreads the hours of checks, so that an agent's checks don't all keep theirs at one moment. */
const SPREAD_MS = 7_919;

/** Remembers, in memory only, when each check location last kept the results of its assertions. */
export class KeptAssertions {
  /** The hour in which a check location kept its last, -1 after a run that did not succeed. */
  readonly #keptHours = new Map<string, number>();

  /** True when the slot's run, should it succeed, keeps the results of its assertions. */
  isKept(slot: DueSlot): boolean {
    return slot.isDispatched === true || this.#keptHours.get(slot.checkLocationId) !== hourOf(slot);
  }

  /** Notes how a run ended. */
  note(slot: DueSlot, { isSuccess }: { isSuccess: boolean }): void {
    if (this.#keptHours.size >= REMEMBERED_MAX) this.#keptHours.clear();
    this.#keptHours.set(slot.checkLocationId, isSuccess ? hourOf(slot) : -1);
  }
}

function hourOf({ check, slotMs }: DueSlot): number {
  return Math.floor((slotMs + ((check.checkKey * SPREAD_MS) % HOUR_MS)) / HOUR_MS);
}
