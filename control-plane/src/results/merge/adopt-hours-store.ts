/**
 * SQL that takes over hours of results which a release before made: there they were partitions of results themselves, next to
 * partitions of whole days. Once its day is a partition that holds them, that release finds the day, and leaves its hours alone.
 */
import { groupBy, HOUR_MS } from "@svc/contract";
import type { Knex } from "knex";
import {
  createDay,
  dayOf,
  hourOfPartition,
  hourPartitionName,
  partitionName,
  readPartitions,
} from "../retention/partitions.ts";
import { lockResults, unlessInUse } from "./store.ts";

/** Makes hours that are partitions of results into those of their days, unless results are in use all the time. Harmless to repeat. */
export async function adoptHours(db: Knex): Promise<void> {
  for (const [dayMs, hours] of groupBy(await listUngroupedHours(db), dayOf))
    await unlessInUse(async () => {
      for (const hourMs of hours) await validateSlots(db, hourMs);
      return moveHours(db, dayMs);
    });
}

async function listUngroupedHours(db: Knex): Promise<number[]> {
  const hours = (await readPartitions(db))
    .filter(({ parent }) => parent === "results")
    .map(({ name }) => hourOfPartition(name));
  return hours.filter((hour) => hour !== undefined);
}

/** Gives an hour a constraint that says which slots it has, so that it is not read once more while readers and writers wait. */
async function validateSlots(db: Knex, hourMs: number): Promise<void> {
  const name = hourPartitionName(hourMs);
  const [low, high] = [hourMs, hourMs + HOUR_MS];
  await db.transaction(async (trx) => {
    await trx.raw("SET LOCAL lock_timeout = '300ms'");
    await trx.raw(`ALTER TABLE ${name} DROP CONSTRAINT IF EXISTS ${name}_slots`);
    await trx.raw(
      `ALTER TABLE ${name} ADD CONSTRAINT ${name}_slots CHECK (slot_ms >= ${low} AND slot_ms < ${high}) NOT VALID`,
    );
  });
  await db.transaction(async (trx) => {
    await trx.raw("SET LOCAL statement_timeout = '10min'");
    await trx.raw(`ALTER TABLE ${name} VALIDATE CONSTRAINT ${name}_slots`);
  });
}

/** Moves the hours of a day, and gives up what the release before copied of them. @returns false: one appeared meanwhile */
async function moveHours(db: Knex, dayMs: number): Promise<boolean> {
  return db.transaction(async (trx) => {
    await lockResults(trx);
    const hours = (await listUngroupedHours(trx)).filter((hour) => dayOf(hour) === dayMs);
    for (const hour of hours)
      await trx.raw(`ALTER TABLE results DETACH PARTITION ${hourPartitionName(hour)}`);
    await createDay(trx, dayMs, { isByHour: true });
    for (const hour of hours) {
      const name = hourPartitionName(hour);
      await trx.raw(
        `ALTER TABLE ${partitionName("results", dayMs)} ATTACH PARTITION ${name} FOR VALUES FROM (${hour}) TO (${hour + HOUR_MS})`,
      );
      await trx.raw(`ALTER TABLE ${name} DROP CONSTRAINT IF EXISTS ${name}_slots`);
    }
    await trx.raw(`DROP TABLE IF EXISTS merged_${partitionName("results", dayMs)}`);
    return true;
  });
}
