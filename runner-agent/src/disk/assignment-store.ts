/**
 * Stores the latest assignment, sealed, so that an agent that restarts while the control plane is away runs on. There is one
 * row per check, so that a change of one check rewrites one row. Failures are reported and otherwise ignored, since the
 * assignment comes again with the next session.
 */
import { createHash, randomBytes } from "node:crypto";
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
}

interface StoredCheck {
  check: CheckDefinition;
  assignments: Assignment[];
}

/** Rows sealed before other work gets a turn of the event loop; one takes 10 us. */
const ROWS_PER_TURN = 100;

/** Reads and writes the stored assignment in the agent's database. */
export class AssignmentStore {
  readonly #database: SpoolDatabase;
  readonly #onError: (error: Error) => void;
  readonly #seal: Seal;
  readonly #known = new Map<number, StoredCheck>();
  readonly #written = new Map<number, string>();
  readonly #dirty = new Set<number>();
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
    for (const { key, value } of this.#database.assignments.getRange()) {
      const text = this.#seal.open(`check ${key}`, value);
      if (text === undefined) return undefined;
      const stored = JSON.parse(text) as StoredCheck;
      this.#known.set(key, stored);
      this.#written.set(key, digestOf(text));
      snapshot.checks.push(stored.check);
      snapshot.assignments.push(...stored.assignments);
    }
    return snapshot.checks.length > 0 ? snapshot : undefined;
  }

  /** Stores a snapshot in place of everything stored before. Returns at once; see {@link flush}. */
  replace(snapshot: AssignmentSnapshot): void {
    for (const key of this.#database.assignments.getKeys()) this.#dirty.add(key);
    for (const key of this.#known.keys()) this.#dirty.add(key);
    this.#known.clear();
    this.change({ ...snapshot, unassignments: [] });
  }

  /** Stores a change. Returns at once; see {@link flush}. */
  change(delta: AssignmentDelta): void {
    for (const check of delta.checks) {
      this.#known.set(check.checkKey, {
        check,
        assignments: this.#known.get(check.checkKey)?.assignments ?? [],
      });
      this.#dirty.add(check.checkKey);
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
    const stored = this.#known.get(checkKey);
    if (stored === undefined) return;
    const others = stored.assignments.filter((one) => one.locationKey !== locationKey);
    if (assignment !== undefined) others.push(assignment);
    if (others.length === 0) this.#known.delete(checkKey);
    else this.#known.set(checkKey, { check: stored.check, assignments: others });
    this.#dirty.add(checkKey);
  }

  async #write(): Promise<void> {
    // In a later turn of the event loop than the change, so that slots are fired first.
    await nextTurn();
    try {
      while (this.#dirty.size > 0) {
        const shortage = findSpaceShortage(this.#database.folder, SMALL_RESERVE_BYTES);
        if (shortage !== undefined) throw new Error(shortage);
        const keys = [...this.#dirty].slice(0, ROWS_PER_TURN);
        await this.#database.assignments.batch(() => {
          for (const key of keys) this.#writeRow(key);
        });
        await nextTurn();
      }
    } catch (error) {
      this.#written.clear();
      this.#onError(error as Error);
    }
  }

  #writeRow(key: number): void {
    this.#dirty.delete(key);
    const stored = this.#known.get(key);
    if (stored === undefined) {
      this.#written.delete(key);
      void this.#database.assignments.remove(key);
      return;
    }
    const text = JSON.stringify(stored);
    const digest = digestOf(text);
    if (this.#written.get(key) === digest) return;
    this.#written.set(key, digest);
    void this.#database.assignments.put(key, this.#seal.seal(`check ${key}`, text));
  }
}

function digestOf(text: string): string {
  return createHash("sha256").update(text).digest("base64").slice(0, 16);
}

async function nextTurn(): Promise<void> {
  await new Promise<void>((resolve) => setImmediate(resolve));
}
