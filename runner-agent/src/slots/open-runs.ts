/**
 * The open runs of check locations: at most one of the grid's and one that was dispatched, so that a target that hangs
 * holds one place of the agent, however short the check's period is. A slot of the grid that falls due while the run
 * before it is open is not run. One that was late already when that run began, as after a pause, waits for its turn; so
 * does a further dispatch.
 */
import { checkLocationId } from "../model/assignment.ts";
import type { DueSlot } from "./slot-schedule.ts";

/** Most slots that wait for one open run. */
const PARKED_MAX = 10;

interface OpenRun {
  beganAtMs: number;
  parked: DueSlot[];
}

/** Holds the open runs of this agent by check location. */
export class OpenRuns {
  readonly #ofGrid = new Map<string, OpenRun>();
  readonly #dispatched = new Map<string, OpenRun>();

  /** True when the slot is not to be run, since the run before it was open as it fell due. */
  isOverrun(slot: DueSlot): boolean {
    const open = this.#find(slot);
    return open !== undefined && !slot.isDispatched && slot.dueMs >= open.beganAtMs;
  }

  /**
   * Makes the slot wait for the open run of its check location, if there is one.
   * @returns `free` when there is none and the slot may begin; `full` when too many wait already
   */
  park(slot: DueSlot): "free" | "parked" | "full" {
    const open = this.#find(slot);
    if (open === undefined) return "free";
    if (open.parked.length >= PARKED_MAX) return "full";
    open.parked.push(slot);
    return "parked";
  }

  /** Notes that the slot's run begins. */
  begin(slot: DueSlot, nowMs: number): void {
    this.#mapOf(slot).set(checkLocationId(keyOf(slot)), { beganAtMs: nowMs, parked: [] });
  }

  /** Notes that the slot's run has ended. Returns the slots that waited for that, oldest first. */
  end(slot: DueSlot): DueSlot[] {
    const id = checkLocationId(keyOf(slot));
    const parked = this.#mapOf(slot).get(id)?.parked ?? [];
    this.#mapOf(slot).delete(id);
    return parked;
  }

  /** Removes and returns all slots that wait. */
  removeParked(): DueSlot[] {
    return [...this.#ofGrid.values(), ...this.#dispatched.values()].flatMap((open) => open.parked.splice(0));
  }

  #find(slot: DueSlot): OpenRun | undefined {
    return this.#mapOf(slot).get(checkLocationId(keyOf(slot)));
  }

  #mapOf({ isDispatched }: DueSlot): Map<string, OpenRun> {
    return isDispatched ? this.#dispatched : this.#ofGrid;
  }
}

function keyOf({ check, locationKey }: DueSlot) {
  return { checkKey: check.checkKey, locationKey };
}
