/**
 * Stores the latest assignment, sealed, so that an agent that restarts while the control plane is away runs on. There is one
 * row per check, so that a change of one check rewrites one row. Failures are reported and otherwise ignored, since the
 * assignment comes again with the next session.
 */
import { randomBytes } from "node:crypto";
import type { LocationId } from "@svc/contract";
import type {
  Assignment,
  AssignmentDelta,
  AssignmentSnapshot,
  CheckDefinition,
} from "../model/assignment.ts";
import type { SpoolDatabase } from "./database.ts";
import { findSpaceShortage, SMALL_RESERVE_BYTES } from "./disk-space.ts";
import { type Seal, sealFor } from "./seal.ts";

/** Properties of the last session that the agent needs before it has another one. */
export interface SessionMemory {
  /** The control plane's clock minus this machine's, ms. */
  clockOffsetMs: number;
  isHosted: boolean;
  graceMs: number;
  /** Public ids of the locations that were served, by key; absent in what an earlier version stored. */
  locationIds?: Readonly<Record<number, LocationId>>;
}

interface StoredCheck {
  check: CheckDefinition;
  assignments: Assignment[];
}

/** Rows sealed before other work gets a turn of the event loop; one takes 20 us with the look at what is there. */
const ROWS_PER_TURN = 100;

/**
 * Reads and writes the stored assignment in the agent's database. Keeps nothing of what is on disk in memory, where the
 * scheduler has it already: a change reads the row that it changes.
 */
export class AssignmentStore {
  readonly #database: SpoolDatabase;
  readonly #onError: (error: Error) => void;
  readonly #seal: Seal;
  /** Rows that are not on disk yet, by check key; undefined for one to be removed. */
  readonly #unwritten = new Map<number, StoredCheck | undefined>();
  #writing: Promise<void> | undefined;

  constructor(database: SpoolDatabase, runnerKey: string, onError: (error: Error) => void) {
    this.#database = database;
    this.#onError = onError;
    let salt = database.meta.get("salt");
    if (salt === undefined) {
      salt = randomBytes(32);
      database.meta.put("salt", salt).catch(onError);
    }
    this.#seal = sealFor(runnerKey, salt);
  }

  /** Returns the stored assignment, or undefined when there is none that this runner key opens. */
  load(): AssignmentSnapshot | undefined {
    const snapshot: AssignmentSnapshot = { checks: [], assignments: [] };
    for (const key of this.#database.assignments.getKeys()) {
      const text = this.#textOnDisk(key);
      if (text === undefined) return undefined;
      const stored = JSON.parse(text) as StoredCheck;
      snapshot.checks.push(stored.check);
      snapshot.assignments.push(...stored.assignments);
    }
    return snapshot.checks.length > 0 ? snapshot : undefined;
  }

  /** Stores a snapshot in place of everything stored before. Returns at once; see {@link flush}. */
  replace(snapshot: AssignmentSnapshot): void {
    for (const key of [...this.#unwritten.keys(), ...this.#database.assignments.getKeys()])
      this.#unwritten.set(key, undefined);
    this.change({ ...snapshot, unassignments: [] });
  }

  /** Stores a change. Returns at once; see {@link flush}. */
  change(delta: AssignmentDelta): void {
    for (const check of delta.checks) {
      const assignments = this.#stored(check.checkKey)?.assignments ?? [];
      this.#unwritten.set(check.checkKey, { check, assignments });
    }
    for (const assignment of delta.assignments) {
      // Done slots are of use during the grace only, which a restart may well outlast.
      this.#setAssignment(assignment, { ...assignment, doneSlotsMs: [] });
    }
    for (const unassignment of delta.unassignments) this.#setAssignment(unassignment, undefined);
    this.#writing ??= this.#write().finally(() => {
      this.#writing = undefined;
    });
  }

  /** Stores the session's properties, unless the disk is nearly full. */
  rememberSession(memory: SessionMemory): void {
    // The next session brings it again.
    if (findSpaceShortage(this.#database.folder, SMALL_RESERVE_BYTES) !== undefined) return;
    const sealed = this.#seal.seal("session", JSON.stringify(memory));
    this.#database.meta.put("session", sealed).catch(this.#onError);
  }

  /** Returns the properties of the last session, or undefined when there are none that this runner key opens. */
  recallSession(): SessionMemory | undefined {
    const sealed = this.#database.meta.get("session");
    const text = sealed === undefined ? undefined : this.#seal.open("session", sealed);
    return text === undefined ? undefined : (JSON.parse(text) as SessionMemory);
  }

  /** Resolves when every change is on disk, or could not be written. */
  async flush(): Promise<void> {
    while (this.#writing !== undefined) await this.#writing;
  }

  #setAssignment(
    { checkKey, locationKey }: { checkKey: number; locationKey: number },
    assignment: Assignment | undefined,
  ): void {
    const stored = this.#stored(checkKey);
    if (stored === undefined) return;
    const others = stored.assignments.filter((one) => one.locationKey !== locationKey);
    if (assignment !== undefined) others.push(assignment);
    const changed = others.length === 0 ? undefined : { check: stored.check, assignments: others };
    this.#unwritten.set(checkKey, changed);
  }

  /** Returns the newest row of a check, written or not. */
  #stored(key: number): StoredCheck | undefined {
    if (this.#unwritten.has(key)) return this.#unwritten.get(key);
    const text = this.#textOnDisk(key);
    return text === undefined ? undefined : (JSON.parse(text) as StoredCheck);
  }

  #textOnDisk(key: number): string | undefined {
    const sealed = this.#database.assignments.get(key);
    return sealed === undefined ? undefined : this.#seal.open(`check ${key}`, sealed);
  }

  async #write(): Promise<void> {
    // In a later turn of the event loop than the change, so that slots are fired first.
    await nextTurn();
    try {
      while (this.#unwritten.size > 0) {
        const shortage = findSpaceShortage(this.#database.folder, SMALL_RESERVE_BYTES);
        if (shortage !== undefined) throw new Error(shortage);
        const rows = [...this.#unwritten].slice(0, ROWS_PER_TURN);
        await this.#database.assignments.batch(() => {
          for (const [key, stored] of rows) this.#writeRow(key, stored);
        });
        for (const [key, stored] of rows)
          if (this.#unwritten.get(key) === stored) this.#unwritten.delete(key);
        await nextTurn();
      }
    } catch (error) {
      this.#onError(error as Error);
    }
  }

  #writeRow(key: number, stored: StoredCheck | undefined): void {
    if (stored === undefined) {
      void this.#database.assignments.remove(key);
      return;
    }
    const text = JSON.stringify(stored);
    if (this.#textOnDisk(key) !== text)
      void this.#database.assignments.put(key, this.#seal.seal(`check ${key}`, text));
  }
}

async function nextTurn(): Promise<void> {
  await new Promise<void>((resolve) => setImmediate(resolve));
}
