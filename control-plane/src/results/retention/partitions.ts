/**
 * The partitions of results and their details. Details have one per UTC day of the slot. A day of results that has not ended has a
 * partition that is partitioned itself, by the hour, so that the index that they are written to stays small; six hours at a time are
 * merged into one part of the day afterwards. A partition is created as a separate table and then attached, which blocks neither
 * readers nor writers of the others. On Citus, which merges nothing, every day has one table from its begin on.
 */
import { DAY_MS, HOUR_MS } from "@svc/contract";
import type { Knex } from "knex";
import { ADVISORY_LOCKS } from "../../platform/db/advisory-locks.ts";
import { engineOf } from "../../platform/db/engine.ts";
import { queryRows } from "../../platform/db/rows.ts";
import { hourOf } from "../rollups/buckets.ts";
import { readDatabaseNow } from "../rollups/store.ts";

/** Name of a table that is partitioned by the slot. */
export type PartitionedTable = "results" | "result_details";

/** Days after today whose results are stored by the hour. */
const HOURLY_DAYS_AHEAD = 2;

/**
 * Length of a part of a day. A shorter one leaves fewer results in the order in which they came, and makes more tables of the days
 * that are kept.
 */
export const PART_MS = 6 * HOUR_MS;

/** Returns the first instant of the UTC day of `ms`. */
export function dayOf(ms: number): number {
  return Math.floor(ms / DAY_MS) * DAY_MS;
}

/** Returns the first instant of the part of a day that `ms` lies in. */
export function partOf(ms: number): number {
  return Math.floor(ms / PART_MS) * PART_MS;
}

/** Returns the name of a day's partition, such as `results_20261121`. */
export function partitionName(table: PartitionedTable, dayMs: number): string {
  return `${table}_${digitsOf(dayMs).slice(0, 8)}`;
}

/** Returns the name of the results of an hour, such as `results_2026112114`. */
export function hourPartitionName(hourMs: number): string {
  return `results_${digitsOf(hourMs)}`;
}

/** Returns the name of the results of a part of a day, such as `results_20261121_06_12`: from 06:00 to before 12:00. */
export function partPartitionName(partMs: number): string {
  const from = digitsOf(partMs).slice(8);
  const to = String(Number(from) + PART_MS / HOUR_MS).padStart(2, "0");
  return `${partitionName("results", partMs)}_${from}_${to}`;
}

/** Returns year, month, day and hour of an instant in UTC, such as "2026112114". */
function digitsOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 13).replaceAll(/[-T]/g, "");
}

/** Returns the day of a partition, or of its hour or part, by its name, Unix ms; undefined for any other table. */
export function dayOfPartition(name: string): number | undefined {
  const match = /^(?:results|result_details)_(\d{4})(\d{2})(\d{2})(?:\d{2}|_\d{2}_\d{2})?$/.exec(name);
  return match ? Date.UTC(Number(match[1]), Number(match[2]) - 1, Number(match[3])) : undefined;
}

/** Returns the hour of a table that holds the results of one hour, Unix ms; undefined for any other table. */
export function hourOfPartition(name: string): number | undefined {
  const match = /^results_\d{8}(\d{2})$/.exec(name);
  return match ? (dayOfPartition(name) as number) + Number(match[1]) * HOUR_MS : undefined;
}

/** Returns the slots of a table that holds the results of an hour or a part of a day, Unix ms, the end excluded; undefined for any other. */
export function slotsOfPartition(name: string): { fromMs: number; toMs: number } | undefined {
  const hourMs = hourOfPartition(name);
  if (hourMs !== undefined) return { fromMs: hourMs, toMs: hourMs + HOUR_MS };
  const match = /^results_\d{8}_(\d{2})_(\d{2})$/.exec(name);
  if (!match) return undefined;
  const dayMs = dayOfPartition(name) as number;
  return { fromMs: dayMs + Number(match[1]) * HOUR_MS, toMs: dayMs + Number(match[2]) * HOUR_MS };
}

/** A table within results or their details. */
export interface Partition {
  name: string;
  /** Name of the table that it is a partition of. */
  parent: string;
  /** False for a day that is partitioned itself. */
  isLeaf: boolean;
}

/**
 * Returns all partitions, of results and of details, and those within them, by name. Only the catalog is read: no partition is locked, so that
 * whoever holds one for long holds nobody up here.
 */
export function readPartitions(db: Knex): Promise<Partition[]> {
  return queryRows<Partition>(
    db,
    `WITH RECURSIVE tree AS (
       SELECT inhrelid AS oid, inhparent AS parent FROM pg_inherits
       WHERE inhparent IN ('results'::regclass, 'result_details'::regclass)
       UNION ALL
       SELECT i.inhrelid, i.inhparent FROM tree t JOIN pg_class c ON c.oid = t.oid AND c.relkind = 'p'
       JOIN pg_inherits i ON i.inhparent = t.oid
     )
     SELECT c.relname AS name, p.relname AS parent, c.relkind <> 'p' AS is_leaf
     FROM tree t JOIN pg_class c ON c.oid = t.oid JOIN pg_class p ON p.oid = t.parent ORDER BY 1`,
  );
}

/** Returns the names of the tables that hold rows. */
export async function listLeaves(db: Knex): Promise<string[]> {
  return (await readPartitions(db)).filter(({ isLeaf }) => isLeaf).map(({ name }) => name);
}

/** Returns the names of the partitions of results and details themselves: one of each day, and hours that a release before made. */
export async function listPartitions(db: Knex): Promise<string[]> {
  const partitions = await readPartitions(db);
  return partitions
    .filter(({ parent }) => parent === "results" || parent === "result_details")
    .map(({ name }) => name);
}

/** Returns the first instant of the oldest day whose results are kept, Unix ms; Infinity when there is none. */
export async function readOldestDay(db: Knex): Promise<number> {
  const days = (await listPartitions(db))
    .map((name) => dayOfPartition(name))
    .filter((day) => day !== undefined);
  return Math.min(...days);
}

/**
 * Creates the missing partitions for all slots from `fromMs` to `toMs`: of today and the next days, by the database's clock, by
 * the hour, of others by the day. A day whose results are in one table gets no hours, and one that has hours or parts gets only
 * more hours. Calls that repeat or overlap are harmless.
 */
export function ensurePartitions(db: Knex, fromMs: number, toMs: number): Promise<void> {
  return createPartitions(db, { fromMs, toMs });
}

/** Slots that get partitions. */
interface PartitionRange {
  /** Unix ms. */
  fromMs: number;
  /** Unix ms, inclusive. */
  toMs: number;
  /** First instant of the first day that is stored by the hour; absent: today. */
  hourlyFromMs?: number;
}

/** Creates partitions as {@link ensurePartitions} does, with a choice of the days that are stored by the hour. */
export async function createPartitions(
  db: Knex,
  { fromMs, toMs, hourlyFromMs }: PartitionRange,
): Promise<void> {
  await db.transaction(async (trx) => {
    await trx.raw("SELECT pg_advisory_xact_lock(?)", [ADVISORY_LOCKS.partitions]);
    const existing = new Map((await readPartitions(trx)).map((partition) => [partition.name, partition]));
    const todayMs = dayOf(await readDatabaseNow(trx));
    const firstMs = hourlyFromMs ?? todayMs;
    const lastMs = todayMs + HOURLY_DAYS_AHEAD * DAY_MS;
    // Hours that the release before made, or that were moved to Citus, are no partitions of their day.
    const ungrouped = new Set(
      [...existing.values()]
        .filter(({ name, parent }) => parent === "results" && name !== dayName(name))
        .map(({ name }) => dayOfPartition(name)),
    );
    for (let day = dayOf(fromMs); day <= toMs; day += DAY_MS) {
      const details = partitionName("result_details", day);
      if (!existing.has(details))
        await createPartition(trx, { name: details, parent: "result_details", range: [day, day + DAY_MS] });
      const whole = partitionName("results", day);
      const known = existing.get(whole);
      if (known?.isLeaf) continue;
      const isByHour =
        known !== undefined ||
        ungrouped.has(day) ||
        (engineOf(trx) !== "citus" && day >= firstMs && day <= lastMs);
      if (!known && !ungrouped.has(day)) await createDay(trx, day, { isByHour });
      if (!isByHour) continue;
      await createHours(trx, {
        parent: ungrouped.has(day) ? "results" : whole,
        fromMs: Math.max(day, hourOf(fromMs)),
        toMs: Math.min(day + DAY_MS - 1, toMs),
      });
    }
  });
}

/** Creates the partition of a day of results: one table, or by the hour without an hour yet. */
export async function createDay(
  trx: Knex,
  dayMs: number,
  { isByHour }: { isByHour: boolean },
): Promise<void> {
  const name = partitionName("results", dayMs);
  await createPartition(trx, {
    name,
    parent: "results",
    range: [dayMs, dayMs + DAY_MS],
    isPartitioned: isByHour,
  });
  // A release before deletes from each partition by the places of rows, which are unique within an hour only.
  if (isByHour)
    await trx.raw(
      `CREATE TRIGGER refuse_deletion BEFORE DELETE ON ${name} FOR EACH STATEMENT EXECUTE FUNCTION refuse_deletion_from_day()`,
    );
}

/**
 * Creates the hours from `fromMs`, which is the begin of one, to `toMs`, as far as they are neither there nor merged into a part. They
 * become partitions of the table `parent`.
 */
export async function createHours(
  trx: Knex,
  { parent, fromMs, toMs }: { parent: string; fromMs: number; toMs: number },
): Promise<void> {
  const existing = new Set((await readPartitions(trx)).map(({ name }) => name));
  for (let hour = fromMs; hour <= toMs; hour += HOUR_MS)
    if (!existing.has(hourPartitionName(hour)) && !existing.has(partPartitionName(partOf(hour))))
      await createPartition(trx, { name: hourPartitionName(hour), parent, range: [hour, hour + HOUR_MS] });
}

/** Returns the name of the day's partition that a table of results belongs to. */
function dayName(name: string): string {
  return partitionName("results", dayOfPartition(name) ?? 0);
}

interface NewPartition {
  name: string;
  parent: string;
  /** First slot and the one behind the last, Unix ms. */
  range: [number, number];
  isPartitioned?: boolean;
}

async function createPartition(
  trx: Knex,
  { name, parent, range: [fromMs, toMs], isPartitioned = false }: NewPartition,
): Promise<void> {
  await trx.raw(
    `CREATE TABLE ${name} (LIKE ${parent} INCLUDING DEFAULTS INCLUDING CONSTRAINTS)${isPartitioned ? " PARTITION BY RANGE (slot_ms)" : ""}`,
  );
  await trx.raw(`ALTER TABLE ${parent} ATTACH PARTITION ${name} FOR VALUES FROM (${fromMs}) TO (${toMs})`);
  if (!isPartitioned && name.startsWith("results_")) await createSlotIndex(trx, name);
}

/** Creates the small index that finds a rollup's five minutes in a partition: rows arrive nearly in the order of their slots. */
export async function createSlotIndex(trx: Knex, name: string): Promise<void> {
  await trx.raw(`CREATE INDEX ON ${name} USING brin (slot_ms) WITH (pages_per_range = 32)`);
}

/** Remembers which hours have their partitions, so that ingest queries the database only for a new hour. */
export class KnownPartitions {
  readonly #hours = new Set<number>();
  readonly #db: Knex;

  constructor(db: Knex) {
    this.#db = db;
  }

  /** Resolves when the partitions of all these hours exist; `hoursMs` are their first instants. */
  async ensure(hoursMs: Iterable<number>): Promise<void> {
    for (const hour of hoursMs) {
      if (this.#hours.has(hour)) continue;
      await ensurePartitions(this.#db, hour, hour);
      this.#hours.add(hour);
    }
  }

  /** Forgets all hours, after a partition was dropped. */
  forget(): void {
    this.#hours.clear();
  }
}
