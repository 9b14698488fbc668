/**
 * The agent's leased part of the schedule: the assigned check locations, and which of their slots are due. One heap
 * holds all check locations. A new one starts at the first slot within the grace, so that overdue slots come out first,
 * oldest first; one that is assigned again keeps its position. Time comes in as an argument.
 */
import { slotAtOrAfter } from "@svc/contract";
import type {
  Assignment,
  AssignmentDelta,
  AssignmentSnapshot,
  CheckDefinition,
} from "../model/assignment.ts";
import { AssignedCheck } from "./assigned-check.ts";
import { DueHeap } from "./due-heap.ts";
import { SlotCursor } from "./slot-cursor.ts";

interface CheckEntry {
  check: AssignedCheck;
  cursors: SlotCursor[];
}

/** A slot that is to be run now. Instants are Unix ms. */
export interface DueSlot {
  check: AssignedCheck;
  locationKey: number;
  /** Stands for the check location in maps of this process. */
  checkLocationId: string;
  slotMs: number;
  dueMs: number;
  /** The run begins no later. */
  beginByMs: number;
  /** True for a dispatched slot; false for one of the grid. */
  isDispatched: boolean;
}

/** Receives the slots that the schedule moves past. */
export interface DueSlotReceiver {
  /** Called for each slot still within the grace. */
  onDue(slot: DueSlot): void;
  /** Called for slots beyond the grace, the newest of each check location only. */
  onMissed(slot: DueSlot): void;
}

/**
 * Most missed slots that a check location reports at a time, the newest. Coverage lists older ones as missing
 * nevertheless.
 */
const MISSED_SLOTS_REPORTED_MAX = 10;

/** All check locations assigned to this agent. */
export class SlotSchedule {
  readonly #checks = new Map<number, CheckEntry>();
  readonly #heap = new DueHeap<SlotCursor>();
  /** Numbers of assigned checks by the number of their team. */
  readonly #checksByTeam = new Map<number, number>();

  /** Number of assigned checks, however many locations each has here. */
  get checkCount(): number {
    return this.#checks.size;
  }

  /** Number of teams that have checks here. */
  get teamCount(): number {
    return this.#checksByTeam.size;
  }

  /** Number of assigned check locations. */
  get checkLocationCount(): number {
    return this.#heap.size;
  }

  /** Instant when the next slot is due, Unix ms; undefined when nothing is assigned. */
  get nextDueMs(): number | undefined {
    return this.#heap.peek()?.dueMs;
  }

  /** Finds a check as it is assigned now. */
  findCheck(checkKey: number): AssignedCheck | undefined {
    return this.#checks.get(checkKey)?.check;
  }

  /** Replaces the assignment. Check locations that stay keep their position on the grid. */
  applySnapshot(snapshot: AssignmentSnapshot, nowMs: number, graceMs: number): void {
    const kept = new Map<number, Set<number>>();
    for (const { checkKey, locationKey } of snapshot.assignments) {
      const locations = kept.get(checkKey);
      if (locations === undefined) kept.set(checkKey, new Set([locationKey]));
      else locations.add(locationKey);
    }
    for (const [checkKey, { cursors }] of this.#checks) {
      for (const { locationKey } of [...cursors]) {
        if (!kept.get(checkKey)?.has(locationKey)) this.#unassign(checkKey, locationKey);
      }
    }
    this.applyDelta({ ...snapshot, unassignments: [] }, nowMs, graceMs);
  }

  /** Changes the assignment. Applying a change again is harmless. */
  applyDelta(delta: AssignmentDelta, nowMs: number, graceMs: number): void {
    const definitions = new Map(delta.checks.map((check) => [check.checkKey, check]));
    // A changed check that is not assigned anew goes by its new definition from now on, not from the grace on.
    const onNewGrid = new Set<number>();
    for (const definition of definitions.values())
      if (this.#changeCheck(definition, nowMs)) onNewGrid.add(definition.checkKey);
    for (const assignment of delta.assignments) {
      const { checkKey } = assignment;
      const definition = definitions.get(checkKey);
      this.#assign(assignment, {
        definition,
        oldestDueMs: nowMs - graceMs,
        isOnNewGrid: onNewGrid.has(checkKey),
      });
    }
    for (const { checkKey, locationKey } of delta.unassignments) this.#unassign(checkKey, locationKey);
  }

  /** Moves every check location past `nowMs`, and reports the slots on its way, oldest first. */
  advance(nowMs: number, graceMs: number, receiver: DueSlotReceiver): void {
    for (let cursor = this.#heap.peek(); cursor !== undefined; cursor = this.#heap.peek()) {
      if (cursor.dueMs > nowMs) return;
      if (cursor.dueMs < nowMs - graceMs) this.#skipMissed(cursor, nowMs - graceMs, receiver);
      else {
        const { check, locationKey, checkLocationId, slotMs, dueMs } = cursor;
        cursor.moveTo(slotMs + check.periodMs);
        this.#heap.put(cursor);
        receiver.onDue({
          check,
          locationKey,
          checkLocationId,
          slotMs,
          dueMs,
          beginByMs: dueMs + graceMs,
          isDispatched: false,
        });
      }
    }
  }

  #skipMissed(cursor: SlotCursor, fromDueMs: number, receiver: DueSlotReceiver): void {
    const { check, locationKey, checkLocationId, staggerMs } = cursor;
    const nextSlotMs = slotAtOrAfter(fromDueMs - staggerMs, check.periodMs, check.phaseMs);
    const reportedFromMs = nextSlotMs - MISSED_SLOTS_REPORTED_MAX * check.periodMs;
    for (
      let slotMs = Math.max(cursor.slotMs, reportedFromMs);
      slotMs < nextSlotMs;
      slotMs += check.periodMs
    ) {
      const dueMs = slotMs + staggerMs;
      receiver.onMissed({
        check,
        locationKey,
        checkLocationId,
        slotMs,
        dueMs,
        beginByMs: dueMs,
        isDispatched: false,
      });
    }
    cursor.moveTo(nextSlotMs);
    this.#heap.put(cursor);
  }

  /** @returns true when the check's slots are others from now on */
  #changeCheck(definition: CheckDefinition, nowMs: number): boolean {
    const entry = this.#checks.get(definition.checkKey);
    if (entry === undefined || definition.revision === entry.check.revision) return false;
    const before = entry.check;
    entry.check = new AssignedCheck(definition);
    if (entry.check.teamNumber !== before.teamNumber) {
      this.#countTeam(before.teamNumber, -1);
      this.#countTeam(entry.check.teamNumber, 1);
    }
    const { periodMs, phaseMs } = entry.check;
    const isOnNewGrid = periodMs !== before.periodMs || phaseMs !== before.phaseMs;
    for (const cursor of entry.cursors) {
      cursor.check = entry.check;
      if (!isOnNewGrid) continue;
      cursor.moveTo(slotAtOrAfter(nowMs - cursor.staggerMs, periodMs, phaseMs));
      this.#heap.put(cursor);
    }
    return isOnNewGrid;
  }

  /**
   * @param oldestDueMs instant before which no slot is caught up on, Unix ms
   * @param isOnNewGrid true: slots of the new grid that fell due before the change was heard of are caught up on
   */
  #assign(
    assignment: Assignment,
    {
      definition,
      oldestDueMs,
      isOnNewGrid,
    }: { definition: CheckDefinition | undefined; oldestDueMs: number; isOnNewGrid: boolean },
  ): void {
    const { checkKey, locationKey, staggerMs, effectiveFromMs } = assignment;
    let entry = this.#checks.get(checkKey);
    if (entry === undefined) {
      if (definition === undefined) return; // a check without definition can't be run
      entry = { check: new AssignedCheck(definition), cursors: [] };
      this.#checks.set(checkKey, entry);
      this.#countTeam(entry.check.teamNumber, 1);
    }
    const { check, cursors } = entry;
    const fromDueMs = Math.max(effectiveFromMs, oldestDueMs);
    const firstSlotMs = slotAtOrAfter(fromDueMs - staggerMs, check.periodMs, check.phaseMs);
    const cursor = cursors.find((one) => one.locationKey === locationKey);
    if (cursor === undefined) {
      const added = new SlotCursor(check, assignment, firstSlotMs);
      cursors.push(added);
      this.#heap.put(added);
      return;
    }
    cursor.staggerMs = staggerMs;
    cursor.moveTo(isOnNewGrid ? firstSlotMs : Math.max(firstSlotMs, cursor.slotMs));
    this.#heap.put(cursor);
  }

  #unassign(checkKey: number, locationKey: number): void {
    const entry = this.#checks.get(checkKey);
    const index = entry?.cursors.findIndex((cursor) => cursor.locationKey === locationKey) ?? -1;
    if (entry === undefined || index < 0) return;
    for (const cursor of entry.cursors.splice(index, 1)) this.#heap.remove(cursor);
    if (entry.cursors.length > 0) return;
    this.#checks.delete(checkKey);
    this.#countTeam(entry.check.teamNumber, -1);
  }

  #countTeam(teamNumber: number, change: number): void {
    const count = (this.#checksByTeam.get(teamNumber) ?? 0) + change;
    if (count > 0) this.#checksByTeam.set(teamNumber, count);
    else this.#checksByTeam.delete(teamNumber);
  }
}
