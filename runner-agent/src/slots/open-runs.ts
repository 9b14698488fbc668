/**
 * The open runs of check locations: at most one of the grid's and one that was dispatched, so that a target that hangs
 * holds one place of the agent, however short the check's period is. A slot of the grid falls due while the run before
 * it is open: when that run takes longer than the time between the two slots, the slot is overrun and not run. When it
 * only began late, as after a lost runner or a pause, the slot waits for its turn; so does a further dispatch.
 */
import type { DueSlot } from "./slot-schedule.ts";

/** Most slots that wait for one open run. */
const PARKED_MAX = 10;

interface OpenRun {
  slot: DueSlot;
  beganAtMs: number;
  parked: DueSlot[];
}

/** Slots that waited for a run, oldest first. */
interface ParkedSlots {
  /** They may be run now. */
  free: DueSlot[];
  /** They are not to be run. */
  overrun: DueSlot[];
}

/** Holds the open runs of this agent by check location. */
export class OpenRuns {
  readonly #ofGrid = new Map<string, OpenRun>();
  readonly #dispatched = new Map<string, OpenRun>();
  /** Open runs that slots of the grid wait for. */
  readonly #awaited = new Set<OpenRun>();

  /** True when the slot is not to be run, since the run before it takes longer than the time between their slots. */
  isOverrun(slot: DueSlot, nowMs: number): boolean {
    const open = this.#find(slot);
    return open !== undefined && overruns(open, slot, nowMs);
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
    if (!slot.isDispatched) this.#awaited.add(open);
    return "parked";
  }

  /** Notes that the slot's run begins. */
  begin(slot: DueSlot, nowMs: number): void {
    this.#mapOf(slot).set(slot.checkLocationId, { slot, beganAtMs: nowMs, parked: [] });
  }

  /** Notes that the slot's run has ended. Returns the slots that waited for that. */
  end(slot: DueSlot, nowMs: number): ParkedSlots {
    const open = this.#find(slot);
    if (open === undefined) return { free: [], overrun: [] };
    this.#mapOf(slot).delete(slot.checkLocationId);
    const overrun = this.#removeOverrunOf(open, nowMs);
    this.#awaited.delete(open);
    return { free: open.parked, overrun };
  }

  /** Removes and returns the slots that wait for a run which has become too long for them. */
  removeOverrun(nowMs: number): DueSlot[] {
    return [...this.#awaited].flatMap((open) => this.#removeOverrunOf(open, nowMs));
  }

  /** Removes and returns all slots that wait. */
  removeParked(): DueSlot[] {
    this.#awaited.clear();
    return [...this.#ofGrid.values(), ...this.#dispatched.values()].flatMap((open) => open.parked.splice(0));
  }

  #removeOverrunOf(open: OpenRun, nowMs: number): DueSlot[] {
    const overrun = open.parked.filter((slot) => overruns(open, slot, nowMs));
    if (overrun.length > 0) open.parked = open.parked.filter((slot) => !overrun.includes(slot));
    if (open.parked.length === 0) this.#awaited.delete(open);
    return overrun;
  }

  #find(slot: DueSlot): OpenRun | undefined {
    return this.#mapOf(slot).get(slot.checkLocationId);
  }

  #mapOf({ isDispatched }: DueSlot): Map<string, OpenRun> {
    return isDispatched ? this.#dispatched : this.#ofGrid;
  }
}

/**
 * True when the open run, had it begun as its slot fell due, would still have been open as the later slot fell due. A slot that
 * fell due before that of the open run, as may be after a change of the check's frequency, only waits for its turn.
 */
function overruns({ slot: before, beganAtMs }: OpenRun, slot: DueSlot, nowMs: number): boolean {
  const betweenMs = slot.dueMs - before.dueMs;
  return !slot.isDispatched && betweenMs > 0 && nowMs - beganAtMs >= betweenMs;
}
