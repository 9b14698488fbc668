/** The spool's rows in LMDB: bytes by sequence. Knows how LMDB reports failure; decides nothing. */
import type { SpoolDatabase } from "../disk/database.ts";
import { lackOfRoom, RESULTS_RESERVE_BYTES, SMALL_RESERVE_BYTES } from "../disk/disk-space.ts";

export interface ResultTable {
  /** One synced commit of both. @throws when nothing of it was written */
  write(puts: readonly [number, Buffer][], deletes: readonly number[]): Promise<void>;
  /** After a write that failed: why the next one would be refused, or undefined when it is worth trying again. */
  refusal(): string | undefined;
  /** Rows after `sequence`, oldest first. */
  rowsAfter(sequence: number, limit: number): Iterable<{ sequence: number; bytes: Uint8Array }>;
  /** Rows, newest first. */
  newestRows(limit: number): Iterable<{ sequence: number; bytes: Uint8Array }>;
  /** Rows held, and what they take on disk in whole pages. */
  size(): { rows: number; bytes: number };
}

/** After a commit that failed, so many looks pass before the next: it may fail as well, and none is free of risk. */
const LOOKS_AFTER_FAILURE = 10;
/** Room that must be there again before results are written again, so that the state does not flap. */
const RESERVE_AGAIN_BYTES = 1.25 * RESULTS_RESERVE_BYTES;

export function lmdbResultTable({ folder, results }: SpoolDatabase): ResultTable {
  let looksToWait = 0;
  let lastFailure = "";
  return {
    async write(puts, deletes) {
      if (looksToWait > 0) throw new Error(lastFailure);
      const bytes = puts.reduce((sum, [, { length }]) => sum + length, 0);
      // Twice: a page is written anew beside the old one.
      const lack = lackOfRoom(folder, bytes > 0 ? RESULTS_RESERVE_BYTES + 2 * bytes : SMALL_RESERVE_BYTES);
      if (lack !== undefined) throw new Error(lack);
      // Both promises are of the same commit, and each that fails must have somebody who looks.
      let lastOperation: Promise<boolean> | undefined;
      const commit = results.batch(() => {
        for (const [sequence, bytes] of puts) lastOperation = results.put(sequence, bytes);
        for (const sequence of deletes) lastOperation = results.remove(sequence);
      });
      const [outcome] = await Promise.allSettled([commit, lastOperation]);
      if (outcome.status === "fulfilled") return;
      looksToWait = LOOKS_AFTER_FAILURE;
      const reason = await reasonOf(outcome.reason);
      lastFailure = reason instanceof Error ? reason.message : String(reason);
      throw new Error(lastFailure, { cause: reason });
    },
    refusal() {
      if (looksToWait === 0) return lackOfRoom(folder, RESERVE_AGAIN_BYTES);
      looksToWait--;
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

/** LMDB's promises fail with an error whose `commitError` is a promise that fails with the real one. */
async function reasonOf(cause: unknown): Promise<unknown> {
  const { commitError } = cause as { commitError?: Promise<never> };
  return commitError === undefined ? cause : await commitError.catch((reason: unknown) => reason);
}
