/**
 * The data folder's database (LMDB). A commit counts only once it is synced, so committed records survive kill -9 and
 * the loss of power. A database that can't be opened is moved aside with its content and a new one is begun: an agent
 * that watches targets is worth more than one that refuses to start.
 */
import { existsSync, renameSync } from "node:fs";
import { dirname, join } from "node:path";
import { type Database, open, type RootDatabase } from "lmdb";

/** The open database with its tables. */
export interface SpoolDatabase {
  folder: string;
  root: RootDatabase<Buffer, number>;
  /** Results by increasing sequence. */
  results: Database<Buffer, number>;
  /** The latest assignment, sealed, by check key. */
  assignments: Database<Buffer, number>;
  /** Single records by name: `salt`, `session`. */
  meta: Database<Buffer, string>;
}

/**
 * Opens the database in `folder`, which exists and belongs to this process alone.
 * @param wallMs the machine's clock, Unix ms; names the new path of a database that could not be read
 * @param onMovedAside called with that path
 */
export function openDatabase(
  folder: string,
  wallMs: () => number,
  onMovedAside: (path: string, error: Error) => void,
): SpoolDatabase {
  const path = join(folder, "spool.mdb");
  try {
    return openAt(path);
  } catch (error) {
    if (!existsSync(path)) throw error;
    const aside = `${path}.unreadable-${wallMs()}`;
    renameSync(path, aside);
    onMovedAside(aside, error as Error);
    return openAt(path);
  }
}

function openAt(path: string): SpoolDatabase {
  const root: RootDatabase<Buffer, number> = open({
    path,
    encoding: "binary",
    // With overlapping syncs LMDB reports a write before it is on the disk.
    overlappingSync: false,
    maxDbs: 4,
  });
  return {
    folder: dirname(path),
    root,
    results: root.openDB<Buffer, number>({ name: "results", encoding: "binary" }),
    assignments: root.openDB<Buffer, number>({ name: "assignments", encoding: "binary" }),
    meta: root.openDB<Buffer, string>({ name: "meta", encoding: "binary" }),
  };
}

/**
 * True when an unhandled rejection is LMDB's report of a failed commit. LMDB rejects an internal promise besides those
 * that it returns; nobody can handle that one, and the writer has learnt of the failure from its own promise.
 */
export function isFailedCommit(reason: unknown): boolean {
  return reason instanceof Error && "commitError" in reason;
}
