/**
 * What is assigned, and what of it is due: the leased copy of this agent's part of the schedule. One heap over all
 * (check, location) pairs. A new pair starts at the first slot of its grace, so that what is overdue comes out first and
 * oldest first; a pair that is told again keeps its place. Pure but for its own state: time comes in as an argument.
 */
import { slotAtOrAfter } from "@svc/contract";
import type {
  Assignment,
  AssignmentDelta,
  AssignmentSnapshot,
  CheckDefinition,
} from "../model/assignment.ts";
import { AssignedCheck, SlotCursor } from "./assigned-check.ts";
import { DueHeap } from "./due-heap.ts";

interface CheckEntry {
  check: AssignedCheck;
  cursors: SlotCursor[];
}

export interface DueSlot {
  check: AssignedCheck;
  locationKey: number;
  slotMs: number;
  dueMs: number;
}

/** Of the slots that were overslept, how many a pair reports as given back; older ones show as missing all the same. */
const MISSED_SLOTS_REPORTED_MAX = 10;

export class SlotSchedule {
  readonly #checks = new Map<number, CheckEntry>();
  readonly #heap = new DueHeap<SlotCursor>();

  /** Checks assigned, each counted once however many locations it has here. */
  get checkCount(): number {
    return this.#checks.size;
  }

  /** (check, location) pairs. */
  get pairCount(): number {
    return this.#heap.size;
  }

  /** When the next slot is due, or undefined when nothing is assigned. */
  get nextDueMs(): number | undefined {
    return this.#heap.peek()?.dueMs;
  }

  /** The check as it is assigned now, when it is. */
  findCheck(checkKey: number): AssignedCheck | undefined {
    return this.#checks.get(checkKey)?.check;
  }

  /** Replaces all that was assigned. Pairs that stay keep their place on the grid. */
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

  applyDelta(delta: AssignmentDelta, nowMs: number, graceMs: number): void {
    const definitions = new Map(delta.checks.map((check) => [check.checkKey, check]));
    // A change without a new assignment concerns slots from now on only.
    for (const definition of definitions.values()) this.#changeCheck(definition, nowMs);
    for (const assignment of delta.assignments) {
      this.#assign(assignment, definitions.get(assignment.checkKey), nowMs, graceMs);
    }
    for (const { checkKey, locationKey } of delta.unassignments) this.#unassign(checkKey, locationKey);
  }

  /**
   * Takes out all slots due at or before `nowMs`, oldest first, and moves their pairs on.
   * @param onDue called for each slot still within the grace   @param onMissed called for (the newest of) those beyond it
   */
  takeDue(
    nowMs: number,
    graceMs: number,
    onDue: (slot: DueSlot) => void,
    onMissed: (slot: DueSlot) => void,
  ): void {
    for (let cursor = this.#heap.peek(); cursor !== undefined; cursor = this.#heap.peek()) {
      if (cursor.dueMs > nowMs) return;
      if (cursor.dueMs < nowMs - graceMs) this.#skipMissed(cursor, nowMs - graceMs, onMissed);
      else {
        const { check, locationKey, slotMs, dueMs } = cursor;
        cursor.moveTo(slotMs + check.periodMs);
        this.#heap.put(cursor);
        onDue({ check, locationKey, slotMs, dueMs });
      }
    }
  }

  #skipMissed(cursor: SlotCursor, fromDueMs: number, onMissed: (slot: DueSlot) => void): void {
    const { check, locationKey, staggerMs } = cursor;
    const nextSlotMs = slotAtOrAfter(fromDueMs - staggerMs, check.periodMs, check.phaseMs);
    const reportedFromMs = nextSlotMs - MISSED_SLOTS_REPORTED_MAX * check.periodMs;
    for (
      let slotMs = Math.max(cursor.slotMs, reportedFromMs);
      slotMs < nextSlotMs;
      slotMs += check.periodMs
    ) {
      onMissed({ check, locationKey, slotMs, dueMs: slotMs + staggerMs });
    }
    cursor.moveTo(nextSlotMs);
    this.#heap.put(cursor);
  }

  #changeCheck(definition: CheckDefinition, nowMs: number): void {
    const entry = this.#checks.get(definition.checkKey);
    if (entry === undefined || definition.revision === entry.check.revision) return;
    const before = entry.check;
    entry.check = new AssignedCheck(definition);
    const { periodMs, phaseMs } = entry.check;
    for (const cursor of entry.cursors) {
      cursor.check = entry.check;
      if (periodMs === before.periodMs && phaseMs === before.phaseMs) continue;
      cursor.moveTo(slotAtOrAfter(nowMs - cursor.staggerMs, periodMs, phaseMs));
      this.#heap.put(cursor);
    }
  }

  #assign(
    { checkKey, locationKey, staggerMs, effectiveFromMs }: Assignment,
    definition: CheckDefinition | undefined,
    nowMs: number,
    graceMs: number,
  ): void {
    let entry = this.#checks.get(checkKey);
    if (entry === undefined) {
      if (definition === undefined) return; // a pair of a check we were never told of can't be run
      entry = { check: new AssignedCheck(definition), cursors: [] };
      this.#checks.set(checkKey, entry);
    }
    const { check, cursors } = entry;
    const fromDueMs = Math.max(effectiveFromMs, nowMs - graceMs);
    const firstSlotMs = slotAtOrAfter(fromDueMs - staggerMs, check.periodMs, check.phaseMs);
    const cursor = cursors.find((one) => one.locationKey === locationKey);
    if (cursor === undefined) {
      const added = new SlotCursor(check, locationKey, staggerMs, firstSlotMs);
      cursors.push(added);
      this.#heap.put(added);
      return;
    }
    cursor.staggerMs = staggerMs;
    cursor.moveTo(Math.max(firstSlotMs, cursor.slotMs));
    this.#heap.put(cursor);
  }

  #unassign(checkKey: number, locationKey: number): void {
    const entry = this.#checks.get(checkKey);
    const index = entry?.cursors.findIndex((cursor) => cursor.locationKey === locationKey) ?? -1;
    if (entry === undefined || index < 0) return;
    for (const cursor of entry.cursors.splice(index, 1)) this.#heap.remove(cursor);
    if (entry.cursors.length === 0) this.#checks.delete(checkKey);
  }
}
