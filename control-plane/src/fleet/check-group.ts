/**
 * Checks that share their type, their schedule and their locations, and who owns them where. A fleet has few such groups, so
 * a check costs its row number and one owner per location. Pure memory.
 */
import { withSpaceFor } from "./columns.ts";
import type { CheckSchedule } from "./fleet-check.ts";

/** Owner code of a location that the check does not run at. */
export const OFF = 0;
/** Owner code of a check location that no runner can run now. */
export const UNOWNED = 1;
/** Added to a runner's key to make its owner code. */
const FIRST_OWNER_CODE = 2;

/** Returns the owner code of a check location that a runner owns; without a runner, of one that nobody owns. */
export function codeOfOwner(runnerKey: number | undefined): number {
  return runnerKey === undefined ? UNOWNED : runnerKey + FIRST_OWNER_CODE;
}

/** Returns the key of the owning runner; undefined: there is none. */
export function ownerOfCode(code: number): number | undefined {
  return code < FIRST_OWNER_CODE ? undefined : code - FIRST_OWNER_CODE;
}

/** The checks of one schedule by their position in the group, with an owner code for each of the schedule's locations. */
export class CheckGroup {
  readonly schedule: CheckSchedule;
  #rows = new Uint32Array(0);
  #codes = new Uint32Array(0);
  #size = 0;
  /** Codes of each check: one per location. */
  readonly #stride: number;

  constructor(schedule: CheckSchedule) {
    this.schedule = schedule;
    this.#stride = schedule.locationKeys.length;
  }

  get size(): number {
    return this.#size;
  }

  rowAt(position: number): number {
    return this.#rows[position] as number;
  }

  /** @param index of the location in the schedule's list */
  codeAt(position: number, index: number): number {
    return this.#codes[position * this.#stride + index] as number;
  }

  setCodeAt(position: number, index: number, code: number): void {
    this.#codes[position * this.#stride + index] = code;
  }

  /** Adds a check that is off everywhere. @returns its position */
  add(row: number): number {
    const position = this.#size++;
    this.#rows = withSpaceFor(this.#rows, this.#size);
    this.#codes = withSpaceFor(this.#codes, this.#size * this.#stride);
    this.#rows[position] = row;
    this.#codes.fill(OFF, position * this.#stride, this.#size * this.#stride);
    return position;
  }

  /** Removes the check at the position, which the last one then takes. @returns the row of that one; undefined: it was the last */
  remove(position: number): number | undefined {
    const last = --this.#size;
    if (position === last) return undefined;
    const moved = this.#rows[last] as number;
    this.#rows[position] = moved;
    this.#codes.copyWithin(position * this.#stride, last * this.#stride, (last + 1) * this.#stride);
    return moved;
  }
}
