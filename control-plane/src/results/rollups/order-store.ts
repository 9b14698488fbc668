/** SQL that puts the hours of a stretch of time in order. */
import { DAY_MS, HOUR_MS } from "@svc/contract";
import type { Knex } from "knex";
import { queryRows } from "../../platform/db/rows.ts";
import { dayOf } from "../retention/partitions.ts";
import { lockProgress, readDoneUntil } from "./store.ts";

const JOB = "rollup_order";

/** Returns the end of the last stretch that is in order, Unix ms; undefined: none is. */
export function readOrderedUntil(db: Knex): Promise<number | undefined> {
  return readDoneUntil(db, JOB);
}

/** Stores up to which instant (Unix ms) the hours are in order. */
export async function saveOrderedUntil(db: Knex, orderedUntilMs: number): Promise<void> {
  await db.raw(
    `INSERT INTO job_progress (job, done_until_ms) VALUES (?, ?)
     ON CONFLICT (job) DO UPDATE SET done_until_ms = excluded.done_until_ms`,
    [JOB, orderedUntilMs],
  );
}

/** Hours to move: those that begin from `fromMs` to before `toMs`, Unix ms, of the next checks after the one with a key. */
export interface HoursToMove {
  fromMs: number;
  toMs: number;
  nowMs: number;
  afterKey: number;
  checksAtOnce: number;
}

/**
 * Moves hours of the next checks, each row once, so that they lie together. It waits for a computation of these rows, and
 * a deletion of these checks waits for it, so that neither misses a row that moves.
 * @returns the key of the last of these checks; undefined: there are no more
 */
export async function moveHours(
  knex: Knex,
  { fromMs, toMs, nowMs, afterKey, checksAtOnce }: HoursToMove,
): Promise<number | undefined> {
  return knex.transaction(async (trx) => {
    const checks = await queryRows<{ key: number }>(
      trx,
      "SELECT key FROM checks WHERE key > ? ORDER BY key LIMIT ? FOR KEY SHARE",
      [afterKey, checksAtOnce],
    );
    await lockProgress(trx, dayOf(nowMs) - DAY_MS);
    // OFFSET 0 has each check and location looked up by the key of the rollups: all that is stored of others is never read.
    await trx.raw(
      `WITH moved AS (
         DELETE FROM rollups_1h WHERE ctid = ANY(ARRAY(
           SELECT r.ctid FROM (SELECT DISTINCT check_key, unnest(location_keys) AS location_key FROM check_revisions
             WHERE check_key = ANY(?)) p
           CROSS JOIN LATERAL (SELECT ctid FROM rollups_1h WHERE bucket_seconds = ${HOUR_MS / 1000} AND check_key = p.check_key
             AND location_key = p.location_key AND bucket_ms >= CAST(? AS bigint) AND bucket_ms < CAST(? AS bigint) OFFSET 0) r
         )) RETURNING *
       )
       INSERT INTO rollups_1h SELECT * FROM moved ORDER BY check_key, location_key, bucket_ms`,
      [checks.map(({ key }) => key), fromMs, toMs],
    );
    return checks.length < checksAtOnce ? undefined : checks.at(-1)?.key;
  });
}
