/** SQL of how far results were dropped. */
import { DAY_MS, HOUR_MS } from "@svc/contract";
import type { Knex } from "knex";
import { queryRows } from "../../platform/db/rows.ts";
import { advanceDoneUntil, readDoneUntil } from "../rollups/store.ts";

const JOB = "results_dropped";

/**
 * Reads the instant before which results were dropped, Unix ms, also where the setting would keep them by now; undefined: retention has
 * not run yet. A day before it may have results again that came late, but never all.
 */
export function readDroppedUntil(db: Knex): Promise<number | undefined> {
  return readDoneUntil(db, JOB);
}

/**
 * Returns whether hours before an instant are in the rollups, of a month at most: results of these are gone that a release before dropped.
 */
export async function hasHoursBefore(db: Knex, ms: number): Promise<boolean> {
  return db.transaction(async (trx) => {
    // The oldest rows come first in the table.
    await trx.raw("SET LOCAL enable_seqscan = off");
    const rows = await queryRows(
      trx,
      `SELECT 1 AS one FROM rollups WHERE bucket_seconds = ${HOUR_MS / 1000} AND bucket_ms >= ? AND bucket_ms < ? LIMIT 1`,
      [ms - 31 * DAY_MS, ms],
    );
    return rows.length > 0;
  });
}

/** Stores that results before an instant are dropped. Never goes back. */
export function saveDroppedUntil(db: Knex, ms: number): Promise<void> {
  return advanceDoneUntil(db, JOB, ms);
}
