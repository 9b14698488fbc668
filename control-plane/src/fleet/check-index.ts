/**
 * All checks of the service in columns, about 80 bytes each: a replica judges the results of any check, and finds the owner of
 * any check when runners come and go. What checks have in common stands once in their group. Pure memory.
 */
import { type CheckId, phaseMs, type TeamId } from "@svc/contract";
import { CheckGroup } from "./check-group.ts";
import { CheckIdColumn } from "./check-id-column.ts";
import { Uint48Column, withSpaceFor } from "./columns.ts";
import { type CheckSchedule, type FleetCheck, fleetCheckOf, scheduleId } from "./fleet-check.ts";
import type { CheckRow } from "./fleet-store.ts";
import { Interned } from "./interned.ts";
import { mixed, RowTable } from "./row-table.ts";

/** Position of a check in its group. */
export interface GroupPosition {
  group: CheckGroup;
  position: number;
}

/** Callbacks when a group begins to have checks, and when its last one left. */
export interface GroupWatcher {
  onAdded: (group: CheckGroup) => void;
  onRemoved: (group: CheckGroup) => void;
}

/** Holds checks by key and by id. Rows are internal numbers; a removed check's row is used again. */
export class CheckIndex {
  readonly #watcher: GroupWatcher;
  readonly #keys = new Uint48Column();
  readonly #ids = new CheckIdColumn();
  readonly #revisions = new Uint48Column();
  readonly #effectiveFromMs = new Uint48Column();
  #phasesMs = new Uint32Array(0);
  #teams = new Uint32Array(0);
  #groups = new Uint32Array(0);
  #positions = new Uint32Array(0);
  readonly #rowsByKey = new RowTable((row) => hashOfKey(this.#keys.get(row)));
  readonly #rowsById = new RowTable((row) => this.#ids.hashOf(row));
  readonly #teamIds = new Interned<TeamId>();
  readonly #checkGroups = new Interned<CheckGroup>();
  readonly #freeRows: number[] = [];
  #rowCount = 0;

  constructor(watcher: GroupWatcher) {
    this.#watcher = watcher;
  }

  get size(): number {
    return this.#rowsByKey.size;
  }

  rowOf(checkKey: number): number | undefined {
    return this.#rowsByKey.find(hashOfKey(checkKey), (row) => this.#keys.get(row) === checkKey);
  }

  rowOfId(id: string): number | undefined {
    const { hash, isIt } = this.#ids.lookFor(id);
    return this.#rowsById.find(hash, isIt);
  }

  idAt(row: number): CheckId {
    return this.#ids.get(row) as CheckId;
  }

  keyAt(row: number): number {
    return this.#keys.get(row);
  }

  revisionAt(row: number): number {
    return this.#revisions.get(row);
  }

  effectiveFromMsAt(row: number): number {
    return this.#effectiveFromMs.get(row);
  }

  teamIdAt(row: number): TeamId {
    return this.#teamIds.get(this.#teams[row] as number);
  }

  /** Returns the group of the check and its position there, which holds until a check of the group is put or removed. */
  groupAt(row: number): GroupPosition {
    const group = this.#checkGroups.get(this.#groups[row] as number);
    return { group, position: this.#positions[row] as number };
  }

  /** Returns a copy of the check. */
  checkAt(row: number): FleetCheck {
    const { schedule } = this.groupAt(row).group;
    return fleetCheckOf(schedule, {
      key: this.keyAt(row),
      teamId: this.teamIdAt(row),
      revision: this.revisionAt(row),
      effectiveFromMs: this.effectiveFromMsAt(row),
      phaseMs: this.#phasesMs[row] as number,
      phaseMsOf: (frequencySeconds) => phaseMs(this.idAt(row), frequencySeconds),
    });
  }

  /** Adds the check, or replaces the one of its key; it is off everywhere then. @returns its row */
  put(check: CheckRow, schedule: CheckSchedule): number {
    const known = this.rowOf(check.key);
    if (known !== undefined) this.#leaveShared(known);
    const row = known ?? this.#newRow(check);
    this.#revisions.set(row, check.revision);
    this.#effectiveFromMs.set(row, check.revisions.at(-1)?.effectiveFromMs ?? 0);
    this.#phasesMs[row] = phaseMs(check.id, check.frequencySeconds);
    this.#teams[row] = this.#teamIds.use(check.teamId, () => check.teamId);
    this.#groups[row] = this.#checkGroups.use(scheduleId(schedule), () => new CheckGroup(schedule));
    const { group } = this.groupAt(row);
    if (group.size === 0) this.#watcher.onAdded(group);
    this.#positions[row] = group.add(row);
    return row;
  }

  remove(row: number): void {
    this.#rowsByKey.remove(row);
    this.#rowsById.remove(row);
    this.#leaveShared(row);
    this.#freeRows.push(row);
  }

  /** Returns the keys of all checks of the teams. Looks at every check. */
  keysOfTeams(teamIds: readonly TeamId[]): number[] {
    const teams = new Set(teamIds.flatMap((teamId) => this.#teamIds.find(teamId) ?? []));
    const free = new Set(this.#freeRows);
    const keys: number[] = [];
    for (let row = 0; row < this.#rowCount; row++)
      if (teams.has(this.#teams[row] as number) && !free.has(row)) keys.push(this.#keys.get(row));
    return keys;
  }

  #newRow({ key, id }: CheckRow): number {
    const row = this.#freeRows.pop() ?? this.#rowCount++;
    this.#phasesMs = withSpaceFor(this.#phasesMs, row + 1);
    this.#teams = withSpaceFor(this.#teams, row + 1);
    this.#groups = withSpaceFor(this.#groups, row + 1);
    this.#positions = withSpaceFor(this.#positions, row + 1);
    this.#keys.set(row, key);
    this.#ids.set(row, id);
    this.#rowsByKey.add(row);
    this.#rowsById.add(row);
    return row;
  }

  /** Takes the check out of its group, and counts its team and its group once less. */
  #leaveShared(row: number): void {
    const { group, position } = this.groupAt(row);
    const moved = group.remove(position);
    if (moved !== undefined) this.#positions[moved] = position;
    this.#teamIds.release(this.#teams[row] as number);
    if (this.#checkGroups.release(this.#groups[row] as number)) this.#watcher.onRemoved(group);
  }
}

function hashOfKey(checkKey: number): number {
  return mixed(mixed(0, checkKey | 0), Math.floor(checkKey / 2 ** 32));
}
