/** The spool's rows in LMDB: bytes by sequence. Knows how LMDB reports failure; decides nothing. */
import type { SpoolDatabase } from "./database.ts";

export interface ResultTable {
  /** One synced commit of both. @throws when nothing of it was written */
  write(puts: readonly [number, Buffer][], deletes: readonly number[]): Promise<void>;
  /** Rows after `sequence`, oldest first. */
  rowsAfter(sequence: number, limit: number): Iterable<{ sequence: number; bytes: Uint8Array }>;
  /** Rows, newest first. */
  newestRows(limit: number): Iterable<{ sequence: number; bytes: Uint8Array }>;
  /** Rows held, and what they take on disk in whole pages. */
  size(): { rows: number; bytes: number };
}

export function lmdbResultTable(results: SpoolDatabase["results"]): ResultTable {
  return {
    async write(puts, deletes) {
      // Both promises are of the same commit, and each that fails must have somebody who looks.
      let lastOperation: Promise<boolean> | undefined;
      const commit = results.batch(() => {
        for (const [sequence, bytes] of puts) lastOperation = results.put(sequence, bytes);
        for (const sequence of deletes) lastOperation = results.remove(sequence);
      });
      const [outcome] = await Promise.allSettled([commit, lastOperation]);
      if (outcome.status === "rejected") throw await reasonOf(outcome.reason);
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
