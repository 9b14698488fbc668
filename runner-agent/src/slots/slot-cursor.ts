/** Position of a check location on its grid, as an entry of the heap of due slots. */
import { type Assignment, checkLocationId } from "../model/assignment.ts";
import type { AssignedCheck } from "./assigned-check.ts";
import type { Due } from "./due-heap.ts";

/** The next slot of one check location. */
export class SlotCursor implements Due {
  check: AssignedCheck;
  readonly locationKey: number;
  /** Stands for the check location in maps of this process. Made once, since each run uses it several times. */
  readonly checkLocationId: string;
  staggerMs: number;
  /** The next slot to run, Unix ms. */
  slotMs: number;
  /** Instant when the slot is due here: slot + stagger, Unix ms. */
  dueMs: number;
  heapIndex = -1;

  constructor(
    check: AssignedCheck,
    { locationKey, staggerMs }: Pick<Assignment, "locationKey" | "staggerMs">,
    slotMs: number,
  ) {
    this.check = check;
    this.locationKey = locationKey;
    this.checkLocationId = checkLocationId({ checkKey: check.checkKey, locationKey });
    this.staggerMs = staggerMs;
    this.slotMs = slotMs;
    this.dueMs = slotMs + staggerMs;
  }

  /** Makes another slot the next one. A cursor in a heap must be put there again. */
  moveTo(slotMs: number): void {
    this.slotMs = slotMs;
    this.dueMs = slotMs + this.staggerMs;
  }
}
