/** SQL of the heartbeat: what shows whether the service does its work. */
import type { Knex } from "knex";
import { queryRows } from "../../platform/db/rows.ts";

const JOB = "heartbeat";

/** Stores the instant of a heartbeat (Unix ms): fails where the database answers but stores nothing, as with a full disk. */
export async function storeHeartbeat(db: Knex, atMs: number): Promise<void> {
  await db.raw(
    `INSERT INTO job_progress (job, done_until_ms) VALUES (?, ?)
     ON CONFLICT (job) DO UPDATE SET done_until_ms = EXCLUDED.done_until_ms`,
    [JOB, atMs],
  );
}

/** True when a notification has been due for so long (ms) and none was even tried meanwhile, to any channel. */
export async function areNotificationsStuck(db: Knex, forMs: number): Promise<boolean> {
  const [row] = await queryRows<{ isStuck: boolean }>(
    db,
    `SELECT EXISTS (SELECT FROM notifications WHERE status = 'pending' AND due_at < since)
       AND coalesce((SELECT created_at FROM notification_deliveries ORDER BY key DESC LIMIT 1) < since, true) AS is_stuck
     FROM (SELECT clock_timestamp() - make_interval(secs => ? / 1000.0) AS since) period`,
    [forMs],
  );
  return row?.isStuck ?? false;
}
