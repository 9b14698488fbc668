/**
 * SQL that takes over hours of results which a release before made: there they were partitions of results themselves, next to
 * partitions of whole days. Once its day is a partition that holds them, that release finds the day, and leaves its hours alone.
 */
import { DAY_MS, groupBy } from "@svc/contract";
import type { Knex } from "knex";
import { queryRows } from "../../platform/db/rows.ts";
import {
  createDay,
  createHours,
  dayOf,
  PART_MS,
  partitionName,
  readPartitions,
  slotsOfPartition,
} from "../retention/partitions.ts";
import { mergedName } from "./store.ts";
import { lockResults, SWITCH_LOCK_TIMEOUT, unlessInUse } from "./switch-store.ts";

/** An hour or part of a day that is a partition of results itself. */
interface UngroupedTable {
  name: string;
  /** Its slots, Unix ms, the end excluded. */
  fromMs: number;
  toMs: number;
}

/**
 * Makes hours and parts that are partitions of results into those of their days, unless results are in use all the time. Harmless to
 * repeat.
 */
export async function adoptHours(db: Knex): Promise<void> {
  for (const [dayMs, tables] of groupBy(await listUngrouped(db), ({ fromMs }) => dayOf(fromMs)))
    await unlessInUse(async () => {
      for (const table of tables) await validateSlots(db, table);
      await moveTables(db, dayMs);
      return true;
    });
}

async function listUngrouped(db: Knex): Promise<UngroupedTable[]> {
  return (await readPartitions(db)).flatMap(({ name, parent }) => {
    const slots = parent === "results" ? slotsOfPartition(name) : undefined;
    return slots ? [{ name, ...slots }] : [];
  });
}

/** Gives a table a constraint that says which slots it has, so that it is not read once more while readers and writers wait. */
async function validateSlots(db: Knex, { name, fromMs, toMs }: UngroupedTable): Promise<void> {
  const [known] = await queryRows<{ isValid: boolean }>(
    db,
    "SELECT convalidated AS is_valid FROM pg_constraint WHERE conrelid = CAST(? AS regclass) AND conname = ?",
    [name, `${name}_slots`],
  );
  if (known?.isValid) return;
  if (!known)
    await db.transaction(async (trx) => {
      await trx.raw(`SET LOCAL lock_timeout = '${SWITCH_LOCK_TIMEOUT}'`);
      await trx.raw(
        `ALTER TABLE ${name} ADD CONSTRAINT ${name}_slots CHECK (slot_ms >= ${fromMs} AND slot_ms < ${toMs}) NOT VALID`,
      );
    });
  await db.transaction(async (trx) => {
    await trx.raw("SET LOCAL statement_timeout = '10min'");
    await trx.raw(`ALTER TABLE ${name} VALIDATE CONSTRAINT ${name}_slots`);
  });
}

/**
 * Moves the tables of a day, gives up what the release before copied of them, and makes the day's other hours, since that release
 * makes none in a day that it finds.
 */
async function moveTables(db: Knex, dayMs: number): Promise<void> {
  await db.transaction(async (trx) => {
    await lockResults(trx);
    const tables = (await listUngrouped(trx)).filter(({ fromMs }) => dayOf(fromMs) === dayMs);
    for (const { name } of tables) await trx.raw(`ALTER TABLE results DETACH PARTITION ${name}`);
    const day = partitionName("results", dayMs);
    await createDay(trx, dayMs, { isByHour: true });
    for (const { name, fromMs, toMs } of tables) {
      await trx.raw(`ALTER TABLE ${day} ATTACH PARTITION ${name} FOR VALUES FROM (${fromMs}) TO (${toMs})`);
      await trx.raw(`ALTER TABLE ${name} DROP CONSTRAINT IF EXISTS ${name}_slots`);
    }
    // Results may have been stored without a mark since these hours were copied, so that they are copied anew.
    for (let partMs = dayMs; partMs < dayMs + DAY_MS; partMs += PART_MS)
      await trx.raw(`DROP TABLE IF EXISTS ${mergedName(partMs)}`);
    await trx.raw("DELETE FROM copied_hours WHERE hour_ms >= ? AND hour_ms < ?", [dayMs, dayMs + DAY_MS]);
    await trx.raw(`DROP TABLE IF EXISTS merged_${day}`);
    await createHours(trx, { parent: day, fromMs: dayMs, toMs: dayMs + DAY_MS - 1 });
  });
}
