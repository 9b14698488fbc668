/**
 * The partitions of results and their details. Details have one per UTC day of the slot. Results of a day that has not ended
 * have one per hour, so that the index that they are written to stays small; once the day has ended its hours are merged into one
 * partition of the day. A partition is created as a separate table and then attached, which blocks neither readers nor writers of
 * the others. On Citus, which merges no days, every day has one partition from its begin on.
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

/** Returns the first instant of the UTC day of `ms`. */
export function dayOf(ms: number): number {
  return Math.floor(ms / DAY_MS) * DAY_MS;
}

/** Returns the name of a day's partition, such as `results_20261121`. */
export function partitionName(table: PartitionedTable, dayMs: number): string {
  return `${table}_${digitsOf(dayMs).slice(0, 8)}`;
}

/** Returns the name of an hour's partition of results, such as `results_2026112114`. */
export function hourPartitionName(hourMs: number): string {
  return `results_${digitsOf(hourMs)}`;
}

/** Returns year, month, day and hour of an instant in UTC, such as "2026112114". */
function digitsOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 13).replaceAll(/[-T]/g, "");
}

/** Returns the day of a partition, or of its hour, by its name, Unix ms; undefined for any other table. */
export function dayOfPartition(name: string): number | undefined {
  const match = /^(?:results|result_details)_(\d{4})(\d{2})(\d{2})(?:\d{2})?$/.exec(name);
  return match ? Date.UTC(Number(match[1]), Number(match[2]) - 1, Number(match[3])) : undefined;
}

/** Returns the hour of a partition that holds one hour, Unix ms; undefined for any other table. */
export function hourOfPartition(name: string): number | undefined {
  const match = /^results_\d{8}(\d{2})$/.exec(name);
  return match ? (dayOfPartition(name) as number) + Number(match[1]) * HOUR_MS : undefined;
}

/** Returns the names of the existing partitions. */
export async function listPartitions(db: Knex): Promise<string[]> {
  const rows = await queryRows<{ name: string }>(
    db,
    `SELECT c.relname AS name FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
     WHERE i.inhparent IN ('results'::regclass, 'result_details'::regclass) ORDER BY c.relname`,
  );
  return rows.map((row) => row.name);
}

/**
 * Creates the missing partitions for all slots from `fromMs` to `toMs`: of today and the next days, by the database's clock, by
 * the hour, of others by the day. A day that has a partition for the whole of it gets no hours, and one that has hours gets only
 * more of them. Calls that repeat or overlap are harmless.
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
    const existing = new Set(await listPartitions(trx));
    const todayMs = dayOf(await readDatabaseNow(trx));
    const firstMs = hourlyFromMs ?? todayMs;
    const lastMs = todayMs + HOURLY_DAYS_AHEAD * DAY_MS;
    const hourly = new Set(
      [...existing].filter((name) => hourOfPartition(name) !== undefined).map(dayOfPartition),
    );
    const create = async (table: PartitionedTable, name: string, range: [number, number]) => {
      if (!existing.has(name)) await createPartition(trx, table, { name, range });
    };
    for (let day = dayOf(fromMs); day <= toMs; day += DAY_MS) {
      await create("result_details", partitionName("result_details", day), [day, day + DAY_MS]);
      const whole = partitionName("results", day);
      if (existing.has(whole)) continue;
      const isWhole = engineOf(trx) === "citus" || day < firstMs || day > lastMs;
      if (!hourly.has(day) && isWhole) await create("results", whole, [day, day + DAY_MS]);
      else
        for (let hour = Math.max(day, hourOf(fromMs)); hour < day + DAY_MS && hour <= toMs; hour += HOUR_MS)
          await create("results", hourPartitionName(hour), [hour, hour + HOUR_MS]);
    }
  });
}

async function createPartition(
  trx: Knex,
  table: PartitionedTable,
  { name, range: [fromMs, toMs] }: { name: string; range: [number, number] },
): Promise<void> {
  await trx.raw(`CREATE TABLE ${name} (LIKE ${table} INCLUDING DEFAULTS INCLUDING CONSTRAINTS)`);
  await trx.raw(`ALTER TABLE ${table} ATTACH PARTITION ${name} FOR VALUES FROM (${fromMs}) TO (${toMs})`);
  if (table === "results") await createSlotIndex(trx, name);
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
