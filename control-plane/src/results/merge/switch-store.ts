/** SQL that puts a merged table in the place of its hours, while readers and writers wait for the few statements of it. */
import type { Knex } from "knex";
import { ADVISORY_LOCKS } from "../../platform/db/advisory-locks.ts";
import { isLockTimeout, isStatementTimeout } from "../../platform/db/errors.ts";
import { queryRows } from "../../platform/db/rows.ts";
import {
  dayOf,
  hourPartitionName,
  PART_MS,
  partitionName,
  partOf,
  partPartitionName,
} from "../retention/partitions.ts";
import { copyLate, listHours, mergedName } from "./store.ts";

/** A switch that can't get its lock within this time is tried again later, since readers and writers queue behind it. */
export const SWITCH_LOCK_TIMEOUT = "300ms";
/** Buckets with late results that the switch itself may still copy, while readers wait: each is a few hundred pages of an hour. */
const LATE_BUCKETS_AT_SWITCH_MAX = 2;
/** Time limit of each statement of the switch, for which readers and writers wait. */
const SWITCH_STATEMENT_TIMEOUT = "1s";

/**
 * Puts the merged table in the place of its part's hours, unless one of them is not copied, too much came late, results are
 * in use all the time, or a statement takes long. Readers and writers wait for the few statements of it.
 * @returns whether it did
 */
export async function switchPart(db: Knex, partMs: number): Promise<boolean> {
  try {
    return await unlessInUse(() => switchUnlessInUse(db, partMs));
  } catch (error) {
    if (isStatementTimeout(error)) return false;
    throw error;
  }
}

/** @returns false when a lock was not to be had in time */
export async function unlessInUse(work: () => Promise<boolean>): Promise<boolean> {
  try {
    return await work();
  } catch (error) {
    if (isLockTimeout(error)) return false;
    throw error;
  }
}

/** Locks all results for this transaction; it fails with a lock timeout rather than hold others up for long. */
export async function lockResults(trx: Knex): Promise<void> {
  await trx.raw(`SET LOCAL lock_timeout = '${SWITCH_LOCK_TIMEOUT}'`);
  await trx.raw("SELECT pg_advisory_xact_lock(?)", [ADVISORY_LOCKS.partitions]);
  // The parent's lock first: whoever has it waits for none of its partitions.
  await trx.raw("LOCK TABLE ONLY results IN ACCESS EXCLUSIVE MODE");
}

async function switchUnlessInUse(db: Knex, partMs: number): Promise<boolean> {
  const [name, partition] = [mergedName(partMs), partPartitionName(partMs)];
  const slots = [partMs, partMs + PART_MS];
  return db.transaction(async (trx) => {
    await lockResults(trx);
    await trx.raw(`SET LOCAL statement_timeout = '${SWITCH_STATEMENT_TIMEOUT}'`);
    const hours = (await listHours(trx)).filter((hour) => partOf(hour) === partMs);
    // Readers and writers hold none of them without the parent; a vacuum may, and nobody is to wait for it.
    if (hours.length > 0)
      await trx.raw(`LOCK TABLE ${hours.map(hourPartitionName).join(", ")} IN ACCESS EXCLUSIVE MODE NOWAIT`);
    const copied = await queryRows<{ hourMs: number }>(
      trx,
      "SELECT hour_ms FROM copied_hours WHERE is_copied AND hour_ms >= ? AND hour_ms < ?",
      slots,
    );
    const isComplete = hours.every((hour) => copied.some(({ hourMs }) => hourMs === hour));
    const [late] = await queryRows<{ count: number }>(
      trx,
      `SELECT count(DISTINCT bucket_ms)::integer AS count FROM late_result_buckets WHERE bucket_ms >= ? AND bucket_ms < ?`,
      slots,
    );
    if (!isComplete || (late?.count ?? 0) > LATE_BUCKETS_AT_SWITCH_MAX) return false;
    await copyLate(trx, partMs);
    for (const hour of hours) await trx.raw(`DROP TABLE ${hourPartitionName(hour)}`);
    await trx.raw(`ALTER TABLE ${name} RENAME TO ${partition}`);
    await trx.raw(`ALTER INDEX ${name}_pkey RENAME TO ${partition}_pkey`);
    await trx.raw(
      `ALTER TABLE ${partitionName("results", dayOf(partMs))} ATTACH PARTITION ${partition} FOR VALUES FROM (${partMs}) TO (${partMs + PART_MS})`,
    );
    await trx.raw(`ALTER TABLE ${partition} DROP CONSTRAINT ${name}_slots`);
    await trx.raw("DELETE FROM copied_hours WHERE hour_ms >= ? AND hour_ms < ?", slots);
    return true;
  });
}
