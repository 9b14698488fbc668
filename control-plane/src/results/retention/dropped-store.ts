/** SQL of how far results were dropped. */
import type { Knex } from "knex";
import { readDoneUntil } from "../rollups/store.ts";

const JOB = "results_dropped";

/**
 * Reads the instant before which results were dropped, Unix ms, also where the setting would keep them by now; undefined: retention has
 * not run yet. A day before it may have results again that came late, but never all.
 */
export function readDroppedUntil(db: Knex): Promise<number | undefined> {
  return readDoneUntil(db, JOB);
}

/** Stores that results before an instant are dropped. Never goes back. */
export async function saveDroppedUntil(db: Knex, ms: number): Promise<void> {
  await db.raw(
    `INSERT INTO job_progress AS p (job, done_until_ms) VALUES (?, ?)
     ON CONFLICT (job) DO UPDATE SET done_until_ms = greatest(p.done_until_ms, excluded.done_until_ms)`,
    [JOB, ms],
  );
}
