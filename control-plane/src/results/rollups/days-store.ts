/**
 * The rollups of five minutes by the day. They count the parts of hours at the edges of what is asked. Of days that are over these edges
 * are few, and are counted from the results, which lie together once they are merged; so the table of a day is dropped soon after it.
 * On Citus, which distributes no tables of two levels, all days lie in one table, and rows are deleted.
 */
import { DAY_MS } from "@svc/contract";
import type { Knex } from "knex";
import { ADVISORY_LOCKS } from "../../platform/db/advisory-locks.ts";
import { engineOf } from "../../platform/db/engine.ts";
import {
  BUCKET_INDEX,
  FIVE_MINUTE_ROLLUPS,
  FIVE_MINUTE_ROLLUPS_BY_DAY,
  ROLLUP_KEY,
} from "../../platform/db/rollup-tables.ts";
import { queryRows } from "../../platform/db/rows.ts";
import { deleteInSteps } from "../retention/delete-in-steps.ts";
import { dayOf } from "../retention/partitions.ts";
import { BUCKET_MS } from "./buckets.ts";
import { STATEMENT_TIMEOUT } from "./timing.ts";

/** Progress of a job: before this instant, five minutes are no longer counted from rollups. */
const FORGOTTEN_JOB = "rollups_5m";
/** A table that can't be locked within this time is left for the next run, since readers would queue behind. */
const LOCK_TIMEOUT = "2s";

/** Days, by any instant of the first and of the last, Unix ms; both belong to it. */
interface DaysRange {
  fromMs: number;
  toMs: number;
}

/** Returns the name of a day's table, such as `rollups_5m_20261121`. */
export function rollupDayName(dayMs: number): string {
  return `${FIVE_MINUTE_ROLLUPS}_${new Date(dayMs).toISOString().slice(0, 10).replaceAll("-", "")}`;
}

/** Returns the day of such a table, Unix ms; undefined for any other. */
function dayOfName(name: string): number | undefined {
  const match = /_(\d{4})(\d{2})(\d{2})$/.exec(name);
  return match ? Date.UTC(Number(match[1]), Number(match[2]) - 1, Number(match[3])) : undefined;
}

/** Returns the names of the tables that hold rollups, of five minutes and of hours. None of them is locked. */
export async function listRollupTables(db: Knex): Promise<string[]> {
  const rows = await queryRows<{ name: string }>(
    db,
    `WITH RECURSIVE tree AS (
       SELECT inhrelid AS oid FROM pg_inherits WHERE inhparent = 'rollups'::regclass
       UNION ALL SELECT i.inhrelid FROM tree t JOIN pg_inherits i ON i.inhparent = t.oid
     )
     SELECT relname AS name FROM tree JOIN pg_class c USING (oid) WHERE c.relkind <> 'p' ORDER BY 1`,
  );
  return rows.map(({ name }) => name);
}

/** Reads from when on the five minutes that are computed are there, Unix ms; 0: all are. */
export async function readBucketsFrom(db: Knex): Promise<number> {
  const [row] = await queryRows<{ doneUntilMs: number }>(
    db,
    "SELECT done_until_ms FROM job_progress WHERE job = ?",
    [FORGOTTEN_JOB],
  );
  return row?.doneUntilMs ?? 0;
}

/**
 * Stores that five minutes before the begin of a day are no longer counted from rollups: nobody computes or reads them any more.
 * Never goes back. Those of the newest day that is computed, and of the one before, stay.
 */
export async function forgetBucketsBefore(db: Knex, dayMs: number): Promise<void> {
  await db.transaction(async (trx) => {
    // A bucket that is being computed is stored before this is, and what is computed later goes by it.
    const doneUntilMs = await lockComputed(trx);
    if (doneUntilMs === undefined) return;
    await trx.raw(
      `INSERT INTO job_progress AS p (job, done_until_ms) VALUES (?, ?)
       ON CONFLICT (job) DO UPDATE SET done_until_ms = greatest(p.done_until_ms, excluded.done_until_ms)`,
      [FORGOTTEN_JOB, Math.min(dayMs, dayOf(doneUntilMs) - DAY_MS)],
    );
  });
}

/** Returns whether a five-minute bucket in this span (Unix ms, the end excluded) is stored. */
export async function hasBucketsIn(db: Knex, fromMs: number, toMs: number): Promise<boolean> {
  if (fromMs >= toMs) return false;
  const rows = await queryRows(
    db,
    `SELECT 1 AS one FROM rollups WHERE bucket_seconds = ${BUCKET_MS / 1000} AND bucket_ms >= ? AND bucket_ms < ? LIMIT 1`,
    [fromMs, toMs],
  );
  return rows.length > 0;
}

/** Removes the five minutes before the begin of a day, with the tables of these days. Call it a while after {@link forgetBucketsBefore}. */
export async function removeBuckets(db: Knex, dayMs: number): Promise<void> {
  for (const name of await listRollupTables(db)) {
    const ofMs = dayOfName(name);
    if (ofMs === undefined || ofMs >= dayMs) continue;
    await db.transaction(async (trx) => {
      await trx.raw(`SET LOCAL lock_timeout = '${LOCK_TIMEOUT}'`);
      await trx.raw(`DROP TABLE IF EXISTS ${name}`);
    });
  }
  for (;;) {
    const [row] = await queryRows<{ bucketMs: number }>(
      db,
      `SELECT bucket_ms FROM ${FIVE_MINUTE_ROLLUPS} WHERE bucket_ms < ? LIMIT 1`,
      [dayMs],
    );
    if (!row) return;
    // A day at a time: on Citus all rows go at once.
    await deleteInSteps(db, {
      table: FIVE_MINUTE_ROLLUPS,
      condition: "bucket_ms >= ? AND bucket_ms < ?",
      binding: [dayOf(row.bucketMs), dayOf(row.bucketMs) + DAY_MS],
    });
  }
}

/**
 * Makes tables by the day of the one that holds all five minutes, keeping those since the begin of the day `fromMs`, up to `toMs`. Does
 * nothing where that is done already, and on Citus. Rows are copied while the rollups wait; readers wait for a moment.
 */
export async function divideByDay(db: Knex, { fromMs, toMs }: DaysRange): Promise<void> {
  if (engineOf(db) === "citus" || (await isDivided(db))) return;
  await db.transaction(async (trx) => {
    await trx.raw(`SET LOCAL statement_timeout = '${STATEMENT_TIMEOUT}'`);
    await trx.raw("SELECT pg_advisory_xact_lock(?)", [ADVISORY_LOCKS.partitions]);
    if (await isDivided(trx)) return;
    await lockComputed(trx);
    await trx.raw(`LOCK TABLE ${FIVE_MINUTE_ROLLUPS} IN SHARE MODE`);
    await createByDay(trx);
    for (let dayMs = fromMs; dayMs <= toMs; dayMs += DAY_MS)
      await createDay(trx, dayMs, (range) => `SELECT * FROM ${FIVE_MINUTE_ROLLUPS} WHERE ${range}`);
    await trx.raw(`SET LOCAL lock_timeout = '${LOCK_TIMEOUT}'`);
    await trx.raw(`ALTER TABLE rollups DETACH PARTITION ${FIVE_MINUTE_ROLLUPS}`);
    await trx.raw(`DROP TABLE ${FIVE_MINUTE_ROLLUPS}`);
    await trx.raw(`CREATE TABLE ${FIVE_MINUTE_ROLLUPS} PARTITION OF ${FIVE_MINUTE_ROLLUPS_BY_DAY} DEFAULT`);
    await trx.raw(
      `ALTER TABLE rollups ATTACH PARTITION ${FIVE_MINUTE_ROLLUPS_BY_DAY} FOR VALUES IN (${BUCKET_MS / 1000})`,
    );
  });
}

/** Creates the missing tables of days, once {@link divideByDay} was done. Harmless to repeat. */
export async function ensureRollupDays(db: Knex, { fromMs, toMs }: DaysRange): Promise<void> {
  await db.transaction(async (trx) => {
    await trx.raw("SELECT pg_advisory_xact_lock(?)", [ADVISORY_LOCKS.partitions]);
    if (!(await isDivided(trx))) return;
    const existing = new Set(await listRollupTables(trx));
    await trx.raw(`SET LOCAL lock_timeout = '${LOCK_TIMEOUT}'`);
    for (let dayMs = dayOf(fromMs); dayMs <= toMs; dayMs += DAY_MS)
      if (!existing.has(rollupDayName(dayMs)))
        await createDay(
          trx,
          dayMs,
          (range) => `DELETE FROM ${FIVE_MINUTE_ROLLUPS} WHERE ${range} RETURNING *`,
        );
  });
}

/** Waits for rollups that are being computed, and holds up those that follow. Returns up to when they are computed, Unix ms. */
async function lockComputed(trx: Knex): Promise<number | undefined> {
  const [row] = await queryRows<{ doneUntilMs: number }>(
    trx,
    "SELECT done_until_ms FROM job_progress WHERE job = 'rollups' FOR UPDATE",
  );
  return row?.doneUntilMs;
}

/** Asks the catalog as a table: what a session knows of a name may be older than a lock that it has just got. */
async function isDivided(db: Knex): Promise<boolean> {
  const [row] = await queryRows<{ isDivided: boolean }>(
    db,
    `SELECT EXISTS (SELECT FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
       WHERE i.inhparent = 'rollups'::regclass AND c.relname = ?) AS is_divided`,
    [FIVE_MINUTE_ROLLUPS_BY_DAY],
  );
  return row?.isDivided ?? false;
}

/** Creates the table that has the days as partitions. It fits into rollups without being read, by its constraint and key. */
async function createByDay(trx: Knex): Promise<void> {
  await trx.raw(`
    CREATE TABLE ${FIVE_MINUTE_ROLLUPS_BY_DAY} (LIKE rollups INCLUDING DEFAULTS INCLUDING CONSTRAINTS,
      CHECK (bucket_seconds = ${BUCKET_MS / 1000}), PRIMARY KEY (${ROLLUP_KEY})) PARTITION BY RANGE (bucket_ms);
    CREATE INDEX ON ${FIVE_MINUTE_ROLLUPS_BY_DAY} ${BUCKET_INDEX};`);
}

/**
 * Creates the table of a day with rows that are elsewhere.
 * @param rowsIn returns the statement that reads the rows, or deletes and returns them, for an SQL condition of their buckets
 */
async function createDay(trx: Knex, dayMs: number, rowsIn: (range: string) => string): Promise<void> {
  const name = rollupDayName(dayMs);
  const [fromMs, toMs] = [dayMs, dayMs + DAY_MS];
  await trx.raw(
    `CREATE TABLE ${name} (LIKE ${FIVE_MINUTE_ROLLUPS_BY_DAY} INCLUDING DEFAULTS INCLUDING CONSTRAINTS)`,
  );
  await trx.raw(
    `WITH moved AS (${rowsIn(`bucket_ms >= ${fromMs} AND bucket_ms < ${toMs}`)})
     INSERT INTO ${name} SELECT * FROM moved`,
  );
  await trx.raw(
    `ALTER TABLE ${FIVE_MINUTE_ROLLUPS_BY_DAY} ATTACH PARTITION ${name} FOR VALUES FROM (${fromMs}) TO (${toMs})`,
  );
}
