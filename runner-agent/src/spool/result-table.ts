/**
 * The spool's rows in LMDB: bytes by sequence number. Knows how LMDB reports failures; the spool decides what follows
 * from one.
 */
import type { SpoolDatabase } from "../disk/database.ts";
import { findSpaceShortage, RESULTS_RESERVE_BYTES, SMALL_RESERVE_BYTES } from "../disk/disk-space.ts";

/** The spool's storage. */
export interface ResultTable {
  /**
   * Makes all changes in one synced commit.
   * @throws Error when nothing of it was written
   */
  write(puts: readonly [number, Buffer][], deletes: readonly number[]): Promise<void>;
  /** Returns, after a write that failed, why the next one would be refused; undefined when it is worth trying. */
  refusal(): string | undefined;
  /** Returns the rows after `sequence`, oldest first. */
  rowsAfter(sequence: number, limit: number): Iterable<{ sequence: number; bytes: Uint8Array }>;
  /** Returns rows, newest first. */
  newestRows(limit: number): Iterable<{ sequence: number; bytes: Uint8Array }>;
  /** Returns the number of rows, and the whole pages that they take on disk, in bytes. */
  size(): { rows: number; bytes: number };
}

/** Number of attempts that are refused after a commit that failed: the next may fail too, and every failure is a risk. */
const REFUSALS_AFTER_FAILURE = 10;
/** Free space that ends a shortage; more than begins one, so that the state does not flap. */
const RESERVE_AGAIN_BYTES = 1.25 * RESULTS_RESERVE_BYTES;

/** Returns the spool's storage in this database. */
export function lmdbResultTable({ folder, results }: SpoolDatabase): ResultTable {
  let refusalsLeft = 0;
  let lastFailure = "";
  return {
    async write(puts, deletes) {
      if (refusalsLeft > 0) throw new Error(lastFailure);
      const bytes = puts.reduce((sum, [, { length }]) => sum + length, 0);
      // Twice the size: LMDB writes a changed page anew beside the old one.
      const shortage = findSpaceShortage(
        folder,
        bytes > 0 ? RESULTS_RESERVE_BYTES + 2 * bytes : SMALL_RESERVE_BYTES,
      );
      if (shortage !== undefined) throw new Error(shortage);
      // Both promises belong to one commit, and a rejection that nobody handles would end the process.
      let lastOperation: Promise<boolean> | undefined;
      const commit = results.batch(() => {
        for (const [sequence, bytes] of puts) lastOperation = results.put(sequence, bytes);
        for (const sequence of deletes) lastOperation = results.remove(sequence);
      });
      const [outcome] = await Promise.allSettled([commit, lastOperation]);
      if (outcome.status === "fulfilled") return;
      refusalsLeft = REFUSALS_AFTER_FAILURE;
      const reason = await reasonOf(outcome.reason);
      lastFailure = reason instanceof Error ? reason.message : String(reason);
      throw new Error(lastFailure, { cause: reason });
    },
    refusal() {
      if (refusalsLeft === 0) return findSpaceShortage(folder, RESERVE_AGAIN_BYTES);
      refusalsLeft--;
      return lastFailure;
    },
    rowsAfter: (sequence, limit) =>
      results
        .getRange({ start: sequence + 1, limit })
        .map(({ key, value }) => ({ sequence: key, bytes: value })),
    newestRows: (limit) =>
      results.getRange({ reverse: true, limit }).map(({ key, value }) => ({ sequence: key, bytes: value })),
    size() {
      const stats = results.getStats() as {
        pageSize: number;
        entryCount: number;
        treeBranchPageCount: number;
        treeLeafPageCount: number;
        overflowPages: number;
      };
      const pages = stats.treeBranchPageCount + stats.treeLeafPageCount + stats.overflowPages;
      return { rows: stats.entryCount, bytes: pages * stats.pageSize };
    },
  };
}

/** Returns the real reason: LMDB rejects with an error whose `commitError` is a promise that rejects with that. */
async function reasonOf(cause: unknown): Promise<unknown> {
  const { commitError } = cause as { commitError?: Promise<never> };
  return commitError === undefined ? cause : await commitError.catch((reason: unknown) => reason);
}
