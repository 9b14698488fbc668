/** SQL of first runs: those that were dispatched for a team within the last minute, and what waits. */
import { type CheckId, type TeamId, wholeMs } from "@svc/contract";
import type { Knex } from "knex";
import { ADVISORY_LOCK_CLASSES } from "../../platform/db/advisory-locks.ts";
import { queryRows } from "../../platform/db/rows.ts";

/** A check whose first run waits. */
export interface QueuedFirstRun {
  key: number;
  check: { key: number; id: CheckId; frequencySeconds: number };
  enabled: boolean;
  /** Locations of the schedule in force. */
  locationKeys: number[];
}

/**
 * Returns the number of first runs of the team with a slot after an instant, one per check and location; null while some of
 * the team's wait, as those come first.
 */
export async function countFirstRuns(trx: Knex, teamId: TeamId, afterMs: number): Promise<number | null> {
  const [row] = await queryRows<{ count: number | null }>(
    trx,
    `SELECT CASE WHEN EXISTS (SELECT FROM queued_first_runs WHERE team_id = :teamId) THEN NULL ELSE (
       SELECT coalesce(sum(cardinality(m.location_keys)), 0) FROM manual_runs m JOIN checks c ON c.key = m.check_key
       WHERE m.slot_ms > :afterMs AND m.reason = 'first_run' AND c.team_id = :teamId) END AS count`,
    { teamId, afterMs: wholeMs(afterMs) },
  );
  return row?.count ?? null;
}

/**
 * Makes this transaction the only one that counts the team's first runs until it ends. @returns false when another one
 * does
 */
export async function tryCountingAlone(trx: Knex, teamId: TeamId): Promise<boolean> {
  const [row] = await queryRows<{ isAlone: boolean }>(
    trx,
    "SELECT pg_try_advisory_xact_lock(?, hashtext(?)) AS is_alone",
    [ADVISORY_LOCK_CLASSES.teamFirstRuns, teamId],
  );
  return row?.isAlone ?? false;
}

/** Stores that a check's first run waits. */
export async function queueFirstRun(
  trx: Knex,
  { checkKey, teamId, runCount }: { checkKey: number; teamId: TeamId; runCount: number },
): Promise<void> {
  await trx("queuedFirstRuns").insert({ checkKey, teamId, runCount });
}

/** Returns the teams of which first runs wait, each with the number of first runs since an instant. */
export function teamsWithQueuedFirstRuns(
  db: Knex,
  afterMs: number,
): Promise<{ teamId: TeamId; recentCount: number }[]> {
  return queryRows(
    db,
    `WITH recent AS (
       SELECT c.team_id, sum(cardinality(m.location_keys)) AS count
       FROM manual_runs m JOIN checks c ON c.key = m.check_key
       WHERE m.slot_ms > ? AND m.reason = 'first_run' GROUP BY c.team_id)
     SELECT q.team_id, coalesce(r.count, 0) AS recent_count
     FROM (SELECT DISTINCT team_id FROM queued_first_runs) q LEFT JOIN recent r ON r.team_id = q.team_id`,
    [afterMs],
  );
}

/**
 * Removes the oldest first runs of a team from the queue, as many as fit. Those of checks that somebody changes or
 * deletes at this moment stay: waiting for them would stop the others, and their transaction may want these rows.
 * @param runsMax most runs, one per check and location
 */
export async function claimQueuedFirstRuns(
  trx: Knex,
  teamId: TeamId,
  runsMax: number,
): Promise<QueuedFirstRun[]> {
  const rows = await queryRows<
    Omit<QueuedFirstRun, "check"> & { checkKey: number } & QueuedFirstRun["check"]
  >(
    trx,
    `WITH fitting AS (
       SELECT key FROM (
         SELECT key, sum(run_count) OVER (ORDER BY key) AS total FROM (
           SELECT key, run_count FROM queued_first_runs WHERE team_id = :teamId ORDER BY key LIMIT :runsMax) oldest) summed
       WHERE total <= :runsMax)
     SELECT q.key, c.key AS check_key, c.id, c.frequency_seconds, c.enabled,
       coalesce((SELECT r.location_keys FROM check_revisions r
                 WHERE r.check_key = c.key AND r.effective_until_ms IS NULL), '{}') AS location_keys
     FROM queued_first_runs q JOIN checks c ON c.key = q.check_key
     WHERE q.key IN (SELECT key FROM fitting) ORDER BY q.key FOR UPDATE OF q SKIP LOCKED FOR KEY SHARE OF c SKIP LOCKED`,
    { teamId, runsMax },
  );
  await trx("queuedFirstRuns")
    .whereIn(
      "key",
      rows.map(({ key }) => key),
    )
    .delete();
  return rows.map(({ checkKey, id, frequencySeconds, ...row }) => ({
    ...row,
    check: { key: checkKey, id, frequencySeconds },
  }));
}
