/** SQL of the heartbeat. */
import type { Knex } from "knex";

const JOB = "heartbeat";

/** Stores the instant of a heartbeat (Unix ms): fails where the database answers but stores nothing, as with a full disk. */
export async function storeHeartbeat(db: Knex, atMs: number): Promise<void> {
  await db.raw(
    `INSERT INTO job_progress (job, done_until_ms) VALUES (?, ?)
     ON CONFLICT (job) DO UPDATE SET done_until_ms = EXCLUDED.done_until_ms`,
    [JOB, atMs],
  );
}
