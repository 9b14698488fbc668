/**
 * Puts the hours of each day in the order of check, location and hour. They are computed hour by hour for all checks, so that the
 * 720 hours of a check's month would lie on as many pages; in order they lie on as many as they fill.
 */
import { DAY_MS, HOUR_MS } from "@svc/contract";
import type { Knex } from "knex";
import { monotonicMs } from "../../platform/clock.ts";
import { queryRows } from "../../platform/db/rows.ts";
import { dayOf } from "../retention/partitions.ts";
import { lockProgress } from "./store.ts";

const JOB = "rollup_order";
/** Time from a day's end until its hours are put in order: most late results have come, and the merge of results is over. */
const ORDER_AFTER_MS = 3 * HOUR_MS;
/** Days before today with which the first run begins: the longest window of an SLO, and one day more. */
const FIRST_DAYS = 31;
/** Checks whose rows one transaction moves: a fraction of a second, since a rollup and a deletion of these checks wait for it. */
const CHECKS_AT_ONCE = 200;

/** How the work is gone about. */
export interface OrderOptions {
  signal?: AbortSignal | undefined;
  /** Rests for as long as the work before took, ms, so that it takes half of a core at most; absent: no rest. */
  rest?: ((ms: number) => Promise<void>) | undefined;
  checksAtOnce?: number;
}

/**
 * Puts the hours of all days in order that ended a while ago and are not in order yet. A day that was interrupted is begun again.
 * @param nowMs Unix ms, by the database's clock
 */
export async function orderHours(knex: Knex, nowMs: number, options: OrderOptions = {}): Promise<void> {
  const doneUntilMs = await readDoneUntil(knex);
  for (
    let dayMs = doneUntilMs ?? dayOf(nowMs) - FIRST_DAYS * DAY_MS;
    dayMs + DAY_MS + ORDER_AFTER_MS <= nowMs;
    dayMs += DAY_MS
  ) {
    if (!(await orderDay(knex, dayMs, options))) return;
    await knex.raw(
      `INSERT INTO job_progress (job, done_until_ms) VALUES (?, ?)
       ON CONFLICT (job) DO UPDATE SET done_until_ms = excluded.done_until_ms`,
      [JOB, dayMs + DAY_MS],
    );
  }
}

/** Returns the end of the last day that is in order, Unix ms; undefined: none is. */
async function readDoneUntil(db: Knex): Promise<number | undefined> {
  const [row] = await queryRows<{ doneUntilMs: number }>(
    db,
    "SELECT done_until_ms FROM job_progress WHERE job = ?",
    [JOB],
  );
  return row?.doneUntilMs;
}

/** @returns false: it was cut short */
async function orderDay(
  knex: Knex,
  dayMs: number,
  { signal, rest, checksAtOnce = CHECKS_AT_ONCE }: OrderOptions,
): Promise<boolean> {
  for (let afterKey: number | undefined = 0; afterKey !== undefined; ) {
    if (signal?.aborted) return false;
    const startedAtMs = monotonicMs();
    afterKey = await moveChecks(knex, { dayMs, afterKey, checksAtOnce });
    await rest?.(monotonicMs() - startedAtMs);
  }
  return true;
}

/**
 * Moves the day's hours of the next checks, each row once, so that they lie together. It waits for a computation of these rows, and
 * a deletion of these checks waits for it, so that neither misses a row that moves.
 * @returns the key of the last of these checks; undefined: there are no more
 */
async function moveChecks(
  knex: Knex,
  { dayMs, afterKey, checksAtOnce }: { dayMs: number; afterKey: number; checksAtOnce: number },
): Promise<number | undefined> {
  return knex.transaction(async (trx) => {
    const checks = await queryRows<{ key: number }>(
      trx,
      "SELECT key FROM checks WHERE key > ? ORDER BY key LIMIT ? FOR KEY SHARE",
      [afterKey, checksAtOnce],
    );
    await lockProgress(trx, dayMs + DAY_MS);
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
      [checks.map(({ key }) => key), dayMs, dayMs + DAY_MS],
    );
    return checks.length < checksAtOnce ? undefined : checks.at(-1)?.key;
  });
}
