/** SQL of pausing and resuming checks: each begins a new schedule revision of the check. */
import { checkTypesBy } from "@svc/contract";
import type { Knex } from "knex";
import { queryRows } from "../../platform/db/rows.ts";

const HELD = `EXISTS (
  SELECT FROM maintenance_occurrences o JOIN maintenance_windows w ON w.key = o.window_key
  WHERE o.ends_at > :now AND o.starts_at <= :now AND w.team_id = c.team_id AND w.mode = 'pause' AND w.deleted_at IS NULL
    AND (w.is_for_all_checks
         OR EXISTS (SELECT FROM maintenance_window_checks m WHERE m.window_key = w.key AND m.check_key = c.key)))`;

/** Returns keys of checks that a window in pause mode holds and that are not paused yet. */
export async function findChecksToPause(db: Knex, nowMs: number, limit: number): Promise<number[]> {
  const rows = await queryRows<{ key: number }>(
    db,
    // Begins with the windows that hold: mostly there are none.
    `SELECT c.key FROM checks c
     WHERE NOT c.paused AND c.team_id IN (
       SELECT w.team_id FROM maintenance_occurrences o JOIN maintenance_windows w ON w.key = o.window_key
       WHERE o.ends_at > :now AND o.starts_at <= :now AND w.mode = 'pause' AND w.deleted_at IS NULL)
       AND ${HELD}
     ORDER BY c.key LIMIT :limit`,
    { now: new Date(nowMs), limit },
  );
  return rows.map((row) => row.key);
}

/** Returns keys of paused checks that no window holds any more. */
export async function findChecksToResume(db: Knex, nowMs: number, limit: number): Promise<number[]> {
  const rows = await queryRows<{ key: number }>(
    db,
    `SELECT c.key FROM checks c WHERE c.paused AND NOT ${HELD} ORDER BY c.key LIMIT :limit`,
    { now: new Date(nowMs), limit },
  );
  return rows.map((row) => row.key);
}

/**
 * Pauses or resumes checks from `nowMs` on, as new revisions of their schedules (those of pushed checks have no slots); checks that are so already stay. The caller
 * wakes the fleets.
 */
export async function setPaused(
  trx: Knex,
  { keys, paused, nowMs }: { keys: readonly number[]; paused: boolean; nowMs: number },
): Promise<void> {
  await trx.raw(
    `WITH locked AS (
       SELECT key FROM checks WHERE key = ANY(:keys) AND paused <> :paused ORDER BY key FOR UPDATE
     ), flipped AS (
       UPDATE checks c SET paused = :paused, revision = nextval('check_revisions_seq'),
         changed_xid = pg_current_xact_id()
       FROM locked WHERE c.key = locked.key
       RETURNING c.key, c.revision, c.frequency_seconds, c.enabled AND NOT c.type = ANY(:pushedTypes) AS has_slots
     ), ended AS (
       UPDATE check_revisions r SET effective_until_ms = greatest(r.effective_from_ms, :nowMs)
       FROM flipped f WHERE r.check_key = f.key AND r.effective_until_ms IS NULL
       RETURNING r.check_key, r.location_keys, r.effective_until_ms
     )
     INSERT INTO check_revisions (check_key, revision, frequency_seconds, location_keys, enabled, effective_from_ms)
     SELECT f.key, f.revision, f.frequency_seconds, e.location_keys, f.has_slots AND NOT :paused, e.effective_until_ms
     FROM flipped f JOIN ended e ON e.check_key = f.key`,
    { keys: [...keys], paused, nowMs, pushedTypes: checkTypesBy("pushed") },
  );
}
