/**
 * Creates the partitions of results: one of `results` and of `result_details` per UTC day of the slot, ahead of time. A
 * partition is created as a separate table and then attached, which blocks neither readers nor writers of the others.
 */
import { DAY_MS } from "@svc/contract";
import type { Knex } from "knex";
import { ADVISORY_LOCKS } from "../../platform/db/advisory-locks.ts";
import { queryRows } from "../../platform/db/rows.ts";

const PARTITIONED_TABLES = ["results", "result_details"] as const;
/** Name of a table that has a partition per day. */
export type PartitionedTable = (typeof PARTITIONED_TABLES)[number];

/** Returns the first instant of the UTC day of `ms`. */
export function dayOf(ms: number): number {
  return Math.floor(ms / DAY_MS) * DAY_MS;
}

/** Returns the name of a day's partition, such as `results_20261121`. */
export function partitionName(table: PartitionedTable, dayMs: number): string {
  return `${table}_${new Date(dayMs).toISOString().slice(0, 10).replaceAll("-", "")}`;
}

/** Returns the day of a partition by its name, Unix ms; undefined for any other table. */
export function dayOfPartition(name: string): number | undefined {
  const match = /^(?:results|result_details)_(\d{4})(\d{2})(\d{2})$/.exec(name);
  return match ? Date.UTC(Number(match[1]), Number(match[2]) - 1, Number(match[3])) : undefined;
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

/** Creates the missing partitions of all UTC days from `fromMs` to `toMs`. Calls that repeat or overlap are harmless. */
export async function ensurePartitions(db: Knex, fromMs: number, toMs: number): Promise<void> {
  const days: number[] = [];
  for (let day = dayOf(fromMs); day <= toMs; day += DAY_MS) days.push(day);
  await db.transaction(async (trx) => {
    await trx.raw("SELECT pg_advisory_xact_lock(?)", [ADVISORY_LOCKS.partitions]);
    const existing = new Set(await listPartitions(trx));
    for (const day of days)
      for (const table of PARTITIONED_TABLES)
        if (!existing.has(partitionName(table, day))) await createPartition(trx, table, day);
  });
}

async function createPartition(trx: Knex, table: PartitionedTable, dayMs: number): Promise<void> {
  const name = partitionName(table, dayMs);
  await trx.raw(`CREATE TABLE ${name} (LIKE ${table} INCLUDING DEFAULTS INCLUDING CONSTRAINTS)`);
  await trx.raw(
    `ALTER TABLE ${table} ATTACH PARTITION ${name} FOR VALUES FROM (${dayMs}) TO (${dayMs + DAY_MS})`,
  );
  // Rows arrive nearly in the order of their slots, so this small index finds a rollup's five minutes within a day.
  if (table === "results")
    await trx.raw(`CREATE INDEX ON ${name} USING brin (slot_ms) WITH (pages_per_range = 32)`);
}

/** Remembers which days have their partitions, so that ingest queries the database only for a new day. */
export class KnownPartitions {
  readonly #days = new Set<number>();
  readonly #db: Knex;

  constructor(db: Knex) {
    this.#db = db;
  }

  /** Resolves when the partitions of all these days exist. */
  async ensure(days: Iterable<number>): Promise<void> {
    for (const day of days) {
      if (this.#days.has(day)) continue;
      await ensurePartitions(this.#db, day, day);
      this.#days.add(day);
    }
  }

  /** Forgets all days, after a partition was dropped. */
  forget(): void {
    this.#days.clear();
  }
}
