/** The tables of results as ingest writes them. */
import type { Knex } from "knex";
import type { CheckLocationSlot } from "../../platform/check-location.ts";
import { KnownPartitions } from "../retention/partitions.ts";
import { findManualRuns } from "./store.ts";
import { type ResultConsumer, type ResultGroup, type StoredRows, writeGroup } from "./write-group.ts";

/** Reads and writes of ingest. Every call rejects while the database is away. */
export interface IngestStore {
  /** Returns the indexes of the rows whose slot is a manual run of the check at the location. */
  findManualRuns(rows: readonly CheckLocationSlot[]): Promise<Set<number>>;
  /** Resolves when results of these hours can be stored; `hoursMs` are their first instants. */
  ensureHours(hoursMs: Iterable<number>): Promise<void>;
  /** Forgets which hours were ensured, after one was found missing. */
  forgetHours(): void;
  /**
   * Stores the group in one transaction, and resolves after its commit.
   * @param bucketsMs starts of the 5 minute buckets of the results
   * @returns which rows were new
   */
  writeGroup(group: ResultGroup, bucketsMs: readonly number[]): Promise<StoredRows>;
}

/**
 * Returns the store in PostgreSQL.
 * @param consume called in each transaction once its results are stored
 */
export function postgresIngestStore(knex: Knex, consume?: ResultConsumer): IngestStore {
  const partitions = new KnownPartitions(knex);
  return {
    findManualRuns: (rows) => findManualRuns(knex, rows),
    ensureHours: (hoursMs) => partitions.ensure(hoursMs),
    forgetHours: () => partitions.forget(),
    writeGroup: (group, bucketsMs) => writeGroup(knex, group, { bucketsMs, consume }),
  };
}
