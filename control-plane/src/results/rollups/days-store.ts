/**
 * The rollups of five minutes by the day. They count the parts of hours at the edges of what is asked. Of days that are over these edges
 * are few, and are counted from the results, which lie together once they are merged; so the table of a day is dropped soon after it.
 * On Citus, which distributes no tables of two levels, all days lie in one table, and rows are deleted.
 *
 * A database of before has one table. It becomes the table of all days that have none of their own. A constraint that its rows are before a
 * day to come, which holds for that moment only, spares looking for rows of the days that get tables: so many that there are enough until the
 * rows of before are counted from results, and the table is emptied.
 */
import { DAY_MS, HOUR_MS } from "@svc/contract";
import type { Knex } from "knex";
import { engineOf } from "../../platform/db/engine.ts";
import { onOwnConnection } from "../../platform/db/own-connection.ts";
import {
  BUCKET_INDEX,
  FIVE_MINUTE_ROLLUPS,
  FIVE_MINUTE_ROLLUPS_BY_DAY,
  ROLLUP_KEY,
} from "../../platform/db/rollup-tables.ts";
import { queryRows } from "../../platform/db/rows.ts";
import { deleteInSteps } from "../retention/delete-in-steps.ts";
import { BUCKET_MS } from "./buckets.ts";
import { advanceDoneUntil, readDoneUntil } from "./store.ts";

/** Progress: before this instant, five minutes are no longer counted from rollups. */
const FORGOTTEN = "rollups_5m";
/** Progress: begin of the first day that has a table of its own, or whose rows are deleted on Citus. */
const CUT = "rollups_5m_cut";
/** Progress: up to this instant there are tables of days beside a table that still has the rows of before; absent: it has none. */
const UNTIL_EMPTIED = "rollups_5m_until_emptied";
/** Progress: rows without a table of their own are deleted up to this instant. */
const REMOVED = "rollups_5m_removed";
/** Longest time for which rows of five minutes may have been kept by a release before, where nothing else is known. */
const KEPT_BEFORE_MS = 400 * DAY_MS;
/** Constraint of the rows of before: they are before the cut. */
const BEFORE_CUT = "rollups_5m_before_cut";
/** A table that can't be locked within this time is left for the next run, since readers would queue behind. */
const LOCK_TIMEOUT = "2s";

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
  return (await readDoneUntil(db, FORGOTTEN)) ?? 0;
}

/** Reads the begin of the first day that has a table of its own, or whose rows are deleted on Citus, Unix ms; undefined: none is yet. */
export function readCut(db: Knex): Promise<number | undefined> {
  return readDoneUntil(db, CUT);
}

/**
 * Stores that five minutes before the begin of a day are no longer counted from rollups: nobody computes or reads them any more.
 * Never goes back.
 */
export async function forgetBucketsBefore(db: Knex, dayMs: number): Promise<void> {
  await db.transaction(async (trx) => {
    // A bucket that is being computed is stored before this is, and what is computed later goes by it.
    await trx.raw("SELECT FROM job_progress WHERE job = 'rollups' FOR UPDATE");
    await advanceDoneUntil(trx, FORGOTTEN, dayMs);
  });
}

/** Returns whether any rollup of five minutes is in the table of days without one. */
export async function hasOtherBuckets(db: Knex): Promise<boolean> {
  return (await queryRows(db, `SELECT 1 AS one FROM ${FIVE_MINUTE_ROLLUPS} LIMIT 1`)).length > 0;
}

/** Days that get tables: begins of the first and of the last one. Unix ms. */
interface Days {
  cutMs: number;
  untilMs: number;
}

/**
 * Gives days from `cutMs` on tables of their own, where that is not done yet; on Citus it only says from when on rows are deleted. Rows
 * stay where they are. They are read once, while exports and merges rest; readers and rollups wait for a moment after that.
 * @throws Error with a lock timeout when somebody reads for long; the next call need not read the rows again then
 */
export async function divideByDay(db: Knex, { cutMs, untilMs }: Days): Promise<void> {
  if ((await readCut(db)) !== undefined) return;
  if (engineOf(db) === "citus") return advanceDoneUntil(db, CUT, cutMs);
  const hasRows = await hasOtherBuckets(db);
  const aheadMs = untilMs - cutMs;
  const validMs = (await readValidCut(db)) ?? 0;
  // A cut that is near could pass before the tables are there, and then nothing could be stored.
  const cut = validMs > cutMs - aheadMs / 2 ? validMs : cutMs;
  if (cut !== validMs) await validateCut(db, cut);
  await db.transaction((trx) => attachDays(trx, { cutMs: cut, untilMs: cut + aheadMs, hasRows }));
}

/** Returns the instant of the constraint where it holds for all rows, Unix ms. */
async function readValidCut(db: Knex): Promise<number | undefined> {
  const [row] = await queryRows<{ definition: string }>(
    db,
    `SELECT pg_get_constraintdef(oid) AS definition FROM pg_constraint
     WHERE conname = ? AND conrelid = CAST(? AS regclass) AND convalidated`,
    [BEFORE_CUT, FIVE_MINUTE_ROLLUPS],
  );
  const cutMs = /bucket_ms < '?(\d+)/.exec(row?.definition ?? "")?.[1];
  return cutMs === undefined ? undefined : Number(cutMs);
}

async function validateCut(db: Knex, cutMs: number): Promise<void> {
  await dropCut(db);
  await db.transaction(async (trx) => {
    await trx.raw(`SET LOCAL lock_timeout = '${LOCK_TIMEOUT}'`);
    await trx.raw(
      `ALTER TABLE ${FIVE_MINUTE_ROLLUPS} ADD CONSTRAINT ${BEFORE_CUT}
       CHECK (bucket_seconds = ${BUCKET_MS / 1000} AND bucket_ms < ${cutMs}) NOT VALID`,
    );
  });
  try {
    await onOwnConnection(db, [`ALTER TABLE ${FIVE_MINUTE_ROLLUPS} VALIDATE CONSTRAINT ${BEFORE_CUT}`]);
  } catch (error) {
    await dropCut(db).catch(() => undefined);
    throw error;
  }
}

/** Removes the constraint, without which rows of any day can be stored. */
async function dropCut(db: Knex): Promise<void> {
  await db.transaction(async (trx) => {
    await trx.raw(`SET LOCAL lock_timeout = '${LOCK_TIMEOUT}'`);
    await trx.raw(`ALTER TABLE ${FIVE_MINUTE_ROLLUPS} DROP CONSTRAINT IF EXISTS ${BEFORE_CUT}`);
  });
}

/** Makes the table of five minutes a partition of a new one, beside tables of days. By its constraint, none of its rows is read for that. */
async function attachDays(
  trx: Knex,
  { cutMs, untilMs, hasRows }: Days & { hasRows: boolean },
): Promise<void> {
  await trx.raw(`SET LOCAL lock_timeout = '${LOCK_TIMEOUT}'`);
  await trx.raw(`ALTER TABLE rollups DETACH PARTITION ${FIVE_MINUTE_ROLLUPS}`);
  await trx.raw(
    `CREATE TABLE ${FIVE_MINUTE_ROLLUPS_BY_DAY} (LIKE rollups INCLUDING DEFAULTS INCLUDING CONSTRAINTS, PRIMARY KEY (${ROLLUP_KEY}))
     PARTITION BY RANGE (bucket_ms)`,
  );
  await trx.raw(`CREATE INDEX ON ${FIVE_MINUTE_ROLLUPS_BY_DAY} ${BUCKET_INDEX}`);
  await trx.raw(`ALTER TABLE ${FIVE_MINUTE_ROLLUPS_BY_DAY} ATTACH PARTITION ${FIVE_MINUTE_ROLLUPS} DEFAULT`);
  for (let dayMs = cutMs; dayMs <= untilMs; dayMs += DAY_MS) await createDay(trx, dayMs);
  await trx.raw(
    `ALTER TABLE rollups ATTACH PARTITION ${FIVE_MINUTE_ROLLUPS_BY_DAY} FOR VALUES IN (${BUCKET_MS / 1000})`,
  );
  await trx.raw(`ALTER TABLE ${FIVE_MINUTE_ROLLUPS} DROP CONSTRAINT ${BEFORE_CUT}`);
  await advanceDoneUntil(trx, CUT, cutMs);
  if (hasRows) await advanceDoneUntil(trx, UNTIL_EMPTIED, untilMs);
}

/**
 * Creates the missing tables of days from one to another, begins of days, once {@link divideByDay} was done and the rows of before are gone.
 * Harmless to repeat.
 * @param fromMs after today: of a day that has begun, rows may be with those of days that have no table
 */
export async function ensureRollupDays(db: Knex, fromMs: number, untilMs: number): Promise<void> {
  const cutMs = await readCut(db);
  if (
    cutMs === undefined ||
    engineOf(db) === "citus" ||
    (await readDoneUntil(db, UNTIL_EMPTIED)) !== undefined
  )
    return;
  const existing = new Set(await listRollupTables(db));
  for (let dayMs = Math.max(fromMs, cutMs); dayMs <= untilMs; dayMs += DAY_MS)
    if (!existing.has(rollupDayName(dayMs)))
      await db.transaction(async (trx) => {
        await trx.raw(`SET LOCAL lock_timeout = '${LOCK_TIMEOUT}'`);
        await createDay(trx, dayMs);
      });
}

/** A separate table is attached, which holds up only those who read days that have no table. */
async function createDay(trx: Knex, dayMs: number): Promise<void> {
  const name = rollupDayName(dayMs);
  await trx.raw(
    `CREATE TABLE ${name} (LIKE ${FIVE_MINUTE_ROLLUPS_BY_DAY} INCLUDING DEFAULTS INCLUDING CONSTRAINTS)`,
  );
  await trx.raw(
    `ALTER TABLE ${FIVE_MINUTE_ROLLUPS_BY_DAY} ATTACH PARTITION ${name} FOR VALUES FROM (${dayMs}) TO (${dayMs + DAY_MS})`,
  );
}

/**
 * Removes the five minutes before the begin of a day, which is well before {@link readBucketsFrom}: whoever counts may have read that a while
 * ago.
 */
export async function removeBuckets(db: Knex, dayMs: number): Promise<void> {
  for (const name of await listRollupTables(db)) {
    const ofMs = dayOfName(name);
    if (ofMs === undefined || ofMs >= dayMs) continue;
    await db.transaction(async (trx) => {
      await trx.raw(`SET LOCAL lock_timeout = '${LOCK_TIMEOUT}'`);
      await trx.raw(`DROP TABLE IF EXISTS ${name}`);
    });
  }
  const cutMs = await readCut(db);
  if (cutMs === undefined || cutMs > dayMs) return;
  await emptyTableOfBefore(db);
  await deleteOtherBuckets(db, dayMs);
}

/** Empties the table of the rows of before at once, unless it has rows of a day after all tables: a release before went on for so long. */
async function emptyTableOfBefore(db: Knex): Promise<void> {
  const untilMs = await readDoneUntil(db, UNTIL_EMPTIED);
  if (untilMs === undefined) return;
  await db.transaction(async (trx) => {
    await trx.raw(`SET LOCAL lock_timeout = '${LOCK_TIMEOUT}'`);
    // Rows that are being stored are there before progress is read.
    await trx.raw(`LOCK TABLE ${FIVE_MINUTE_ROLLUPS} IN ACCESS EXCLUSIVE MODE`);
    if (((await readDoneUntil(trx)) ?? 0) <= untilMs + DAY_MS)
      await trx.raw(`TRUNCATE ${FIVE_MINUTE_ROLLUPS}`);
    await trx.raw("DELETE FROM job_progress WHERE job = ?", [UNTIL_EMPTIED]);
  });
}

/** Deletes rows of days that have no table, an hour at a time: on Citus those of an hour go by one statement. */
async function deleteOtherBuckets(db: Knex, beforeMs: number): Promise<void> {
  if (!(await hasOtherBuckets(db))) return;
  let hourMs = (await readDoneUntil(db, REMOVED)) ?? beforeMs - KEPT_BEFORE_MS;
  for (; hourMs < beforeMs; hourMs += HOUR_MS) {
    await deleteInSteps(db, {
      table: FIVE_MINUTE_ROLLUPS,
      condition: "bucket_ms >= ? AND bucket_ms < ?",
      binding: [hourMs, hourMs + HOUR_MS],
    });
    if (hourMs % DAY_MS === 0) await advanceDoneUntil(db, REMOVED, hourMs);
  }
  await advanceDoneUntil(db, REMOVED, beforeMs);
}
