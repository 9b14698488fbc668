/**
 * The data folder's database (LMDB). Commits are synced before they count, so what is in it survives kill -9 and the loss
 * of power. A database that can't be opened is moved aside with all it holds and a new one begun: an agent that watches
 * targets is worth more than one that refuses to start.
 */
import { existsSync, renameSync } from "node:fs";
import { dirname, join } from "node:path";
import { type Database, open, type RootDatabase } from "lmdb";

export interface SpoolDatabase {
  folder: string;
  root: RootDatabase<Buffer, number>;
  /** Results by increasing sequence. */
  results: Database<Buffer, number>;
  /** The latest assignment, sealed, by check key. */
  assignments: Database<Buffer, number>;
  /** Small things by name. */
  meta: Database<Buffer, string>;
}

/**
 * Opens the database in `folder`, which exists and belongs to this process alone.
 * @param onMovedAside told where an unreadable database was put
 */
export function openDatabase(
  folder: string,
  onMovedAside: (path: string, error: Error) => void,
): SpoolDatabase {
  const path = join(folder, "spool.mdb");
  try {
    return openAt(path);
  } catch (cause) {
    if (!existsSync(path)) throw cause;
    const aside = `${path}.unreadable-${Date.now()}`;
    renameSync(path, aside);
    onMovedAside(aside, cause as Error);
    return openAt(path);
  }
}

function openAt(path: string): SpoolDatabase {
  const root: RootDatabase<Buffer, number> = open({
    path,
    encoding: "binary",
    // With overlapping syncs a write is reported before it is on the disk.
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
 * Whether a rejection is LMDB's word about a failed commit. It rejects a promise of its own besides those it hands out, so
 * nobody can look at that one; the writer has been told by its own promise.
 */
export function isFailedCommit(reason: unknown): boolean {
  return reason instanceof Error && "commitError" in reason;
}
