/** SQL that merges the hours of a part of a day into one table, which is no partition meanwhile, so that no reader sees it. */
import { DAY_MS } from "@svc/contract";
import type { Knex } from "knex";
import { onOwnConnection } from "../../platform/db/own-connection.ts";
import { queryRows } from "../../platform/db/rows.ts";
import {
  createSlotIndex,
  dayOf,
  hourOfPartition,
  hourPartitionName,
  PART_MS,
  partOf,
  partPartitionName,
  readPartitions,
} from "../retention/partitions.ts";
import { BUCKET_MS } from "../rollups/buckets.ts";
import { copyRows } from "./copy-rows-store.ts";

/** Time limit of a statement: the index of six hours of a large fleet takes minutes. */
const STATEMENT_TIMEOUT = "60min";
/** Rows copied by one transaction, about: a fraction of a second, since exports wait for the oldest transaction that writes. */
const ROWS_AT_ONCE = 100_000;
/** Marks of late results that one transaction copies. */
const LATE_AT_ONCE = 200;

/** Returns the name of the table that becomes the part of a day that begins at `partMs`. */
export function mergedName(partMs: number): string {
  return `merged_${partPartitionName(partMs)}`;
}

/** Returns the hours that have a table of their own within their day, oldest first. */
export async function listHours(db: Knex): Promise<number[]> {
  const hours = (await readPartitions(db))
    .filter(({ parent }) => parent !== "results")
    .map(({ name }) => hourOfPartition(name));
  return hours.filter((hour) => hour !== undefined).sort((a, b) => a - b);
}

/** Creates the table of a part of a day with the indexes of results, except for its key's, which is built at the end. Harmless to repeat. */
export async function createMergedTable(db: Knex, partMs: number): Promise<void> {
  const name = mergedName(partMs);
  await db.transaction(async (trx) => {
    if (await tableExists(trx, name)) return;
    await trx.raw(`CREATE TABLE ${name} (LIKE results INCLUDING DEFAULTS INCLUDING CONSTRAINTS INCLUDING INDEXES,
      CONSTRAINT ${name}_slots CHECK (slot_ms >= ${partMs} AND slot_ms < ${partMs + PART_MS}))`);
    await trx.raw(`ALTER TABLE ${name} DROP CONSTRAINT ${name}_pkey`);
    await createSlotIndex(trx, name);
  });
}

/** Progress of an hour's copy. */
export interface HourProgress {
  /** True once every transaction that might store results of the hour without marking their bucket has ended. */
  isSettled: boolean;
  isCopied: boolean;
}

/**
 * Returns how far the copy of an hour is; the first call begins it. Call it once the hour's last bucket is late: transactions
 * that begin to write afterwards mark what they store.
 */
export async function readHourProgress(db: Knex, hourMs: number): Promise<HourProgress> {
  const read = () =>
    queryRows<HourProgress>(
      db,
      `SELECT horizon_xid < pg_snapshot_xmin(pg_current_snapshot()) AS is_settled, is_copied
       FROM copied_hours WHERE hour_ms = ?`,
      [hourMs],
    );
  const [known] = await read();
  if (known) return known;
  await db.raw("INSERT INTO copied_hours (hour_ms) VALUES (?) ON CONFLICT DO NOTHING", [hourMs]);
  const [begun] = await read();
  return begun ?? { isSettled: false, isCopied: false };
}

/**
 * Copies results of the next checks of an hour in the order of check, slot and location, so that a page of a check's results lies
 * together.
 * @returns false: the hour is copied
 */
export async function copyChecks(
  db: Knex,
  { hourMs, rowsAtOnce = ROWS_AT_ONCE }: { hourMs: number; rowsAtOnce?: number | undefined },
): Promise<boolean> {
  const hour = hourPartitionName(hourMs);
  return db.transaction(async (trx) => {
    await trx.raw(`SET LOCAL statement_timeout = '${STATEMENT_TIMEOUT}'`);
    // A partition that autovacuum has not seen has no statistics; the whole of it is never wanted.
    await trx.raw("SET LOCAL enable_seqscan = off");
    const [progress] = await queryRows<{ afterKey: number }>(
      trx,
      "SELECT copied_until_key AS after_key FROM copied_hours WHERE hour_ms = ? AND NOT is_copied FOR UPDATE",
      [hourMs],
    );
    if (!progress) return false;
    const { afterKey } = progress;
    const [last] = await queryRows<{ checkKey: number }>(
      trx,
      `SELECT check_key FROM ${hour} WHERE check_key > ? ORDER BY check_key, location_key, slot_ms OFFSET ? LIMIT 1`,
      [afterKey, rowsAtOnce - 1],
    );
    await copyRows(trx, {
      into: mergedName(partOf(hourMs)),
      from: hour,
      where: `r.check_key > ? ${last ? "AND r.check_key <= ?" : ""}`,
      bindings: last ? [afterKey, last.checkKey] : [afterKey],
      orderBy: "r.check_key, r.slot_ms, r.location_key",
    });
    await trx.raw("UPDATE copied_hours SET copied_until_key = ?, is_copied = ? WHERE hour_ms = ?", [
      last?.checkKey ?? afterKey,
      last === undefined,
      hourMs,
    ]);
    return last !== undefined;
  });
}

/** Makes the copied rows all-visible and frozen while their pages are in memory, so that no later vacuum rewrites them. */
export async function vacuumMerged(db: Knex, partMs: number): Promise<void> {
  await onOwnConnection(db, [`VACUUM (FREEZE, INDEX_CLEANUP OFF) ${mergedName(partMs)}`]);
}

/** Summarizes all pages of an hour in its index of slots, so that five minutes of it are found without reading the whole hour. */
export async function summarizeSlots(db: Knex, hourMs: number): Promise<void> {
  await onOwnConnection(db, [
    `SELECT brin_summarize_new_values(indexrelid) FROM pg_index JOIN pg_class c ON c.oid = indexrelid
     WHERE indrelid = '${hourPartitionName(hourMs)}'::regclass AND c.relam = (SELECT oid FROM pg_am WHERE amname = 'brin')`,
  ]);
}

/**
 * Builds the key of a merged table, and its statistics. An index that was left half built is built again. Nothing is held open
 * meanwhile that exports would wait for.
 */
export async function buildKey(db: Knex, partMs: number): Promise<void> {
  const name = mergedName(partMs);
  const [key] = await queryRows<{ isBuilt: boolean }>(
    db,
    `SELECT EXISTS (SELECT FROM pg_constraint WHERE conrelid = CAST(? AS regclass) AND contype = 'p') AS is_built`,
    [name],
  );
  if (key?.isBuilt) return;
  await onOwnConnection(db, [
    "SET max_parallel_maintenance_workers = 0",
    `DROP INDEX IF EXISTS ${name}_key`,
    `CREATE UNIQUE INDEX CONCURRENTLY ${name}_key ON ${name} (check_key, location_key, slot_ms) WITH (fillfactor = 100)`,
    `ANALYZE ${name}`,
    `ALTER TABLE ${name} ADD CONSTRAINT ${name}_pkey PRIMARY KEY USING INDEX ${name}_key`,
  ]);
}

/**
 * Copies results that were stored after their hour was copied, as their marks say, and takes the marks away.
 * @returns how many marks there were
 */
export async function copyLate(trx: Knex, partMs: number): Promise<number> {
  const marks = await queryRows<{ bucketMs: number; xids: string[] }>(
    trx,
    `SELECT bucket_ms, array_agg(marked_xid::text) AS xids FROM (SELECT * FROM late_result_buckets
       WHERE bucket_ms >= ? AND bucket_ms < ? ORDER BY bucket_ms, marked_xid LIMIT ${LATE_AT_ONCE}) m GROUP BY bucket_ms`,
    [partMs, partMs + PART_MS],
  );
  for (const { bucketMs, xids } of marks) {
    await copyRows(trx, {
      into: mergedName(partMs),
      from: "results",
      where: "r.slot_ms >= ? AND r.slot_ms < ? AND r.xid = ANY(CAST(? AS xid8[]))",
      bindings: [bucketMs, bucketMs + BUCKET_MS, xids],
    });
    await trx.raw(
      "DELETE FROM late_result_buckets WHERE bucket_ms = ? AND marked_xid = ANY(CAST(? AS xid8[]))",
      [bucketMs, xids],
    );
  }
  return marks.reduce((sum, { xids }) => sum + xids.length, 0);
}

/** Deletes the results of checks that were purged from an hour while it was copied. Call it once all hours are copied. */
export async function deletePurged(db: Knex, partMs: number): Promise<void> {
  await db.transaction(async (trx) => {
    await trx.raw(`SET LOCAL statement_timeout = '${STATEMENT_TIMEOUT}'`);
    await trx.raw("SET LOCAL enable_seqscan = off");
    await trx.raw(
      `DELETE FROM ${mergedName(partMs)} WHERE check_key IN (SELECT check_key FROM check_deletions WHERE purged_at IS NOT NULL)`,
    );
  });
}

/** Copies late results in short transactions, until few are left. */
export async function copyMostLate(db: Knex, partMs: number): Promise<void> {
  while ((await db.transaction((trx) => copyLate(trx, partMs))) === LATE_AT_ONCE);
}

/**
 * Removes the marks of parts that have no hours of their own: their results are where they belong. Also removes the marks for a release
 * before, of days that it can't merge any more, since their hours are no partitions of results.
 */
export async function forgetSettledMarks(db: Knex): Promise<void> {
  const [before] = await queryRows<{ xid: string }>(
    db,
    "SELECT pg_snapshot_xmin(pg_current_snapshot())::text AS xid",
  );
  // Read after the horizon: the hour of each mark before it is among them.
  const parts = [...new Set((await listHours(db)).map(partOf))];
  await db.raw(
    `DELETE FROM late_result_buckets
     WHERE marked_xid < CAST(? AS xid8) AND bucket_ms - bucket_ms % ${PART_MS} <> ALL(CAST(? AS bigint[]))`,
    [before?.xid ?? "0", parts],
  );
  const daysOfBefore = (await readPartitions(db)).flatMap(({ name, parent }) => {
    const hour = parent === "results" ? hourOfPartition(name) : undefined;
    return hour === undefined ? [] : [dayOf(hour)];
  });
  await db.raw(
    `DELETE FROM unmerged_late_buckets
     WHERE marked_xid < CAST(? AS xid8) AND bucket_ms - bucket_ms % ${DAY_MS} <> ALL(CAST(? AS bigint[]))`,
    [before?.xid ?? "0", daysOfBefore],
  );
}

/** Returns whether there is a table of this name. */
async function tableExists(db: Knex, name: string): Promise<boolean> {
  const [row] = await queryRows<{ exists: boolean }>(db, "SELECT to_regclass(?) IS NOT NULL AS exists", [
    name,
  ]);
  return row?.exists === true;
}
