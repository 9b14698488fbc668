/** The tables by which windows take effect as time passes, and how PostgreSQL has them. */
import type { Knex } from "knex";
import { wakeFleets } from "../../platform/db/wake-ups.ts";
import { type MaintenanceEvent, recordEnds, recordStarts } from "./event-store.ts";
import { findChecksToPause, findChecksToResume, setPaused } from "./pause-store.ts";

/** Reads and writes of the job that switches windows. Every call rejects while the database is away. */
export interface WindowSwitchStore {
  /** See {@link findChecksToPause}. */
  findChecksToPause(nowMs: number, limit: number): Promise<number[]>;
  /** See {@link findChecksToResume}. */
  findChecksToResume(nowMs: number, limit: number): Promise<number[]>;
  /** Does the work of {@link setPaused} in one transaction that wakes the fleets. */
  setPaused(change: { keys: readonly number[]; paused: boolean; nowMs: number }): Promise<void>;
  /** Records in one transaction what started and ended until the instant, and returns the events that were not there yet. */
  recordStartsAndEnds(nowMs: number): Promise<MaintenanceEvent[]>;
}

/** Returns the store in PostgreSQL. */
export function postgresWindowSwitchStore(knex: Knex): WindowSwitchStore {
  return {
    findChecksToPause: (nowMs, limit) => findChecksToPause(knex, nowMs, limit),
    findChecksToResume: (nowMs, limit) => findChecksToResume(knex, nowMs, limit),
    setPaused: (change) =>
      knex.transaction(async (trx) => {
        await setPaused(trx, change);
        await wakeFleets(trx, "checks");
      }),
    recordStartsAndEnds: (nowMs) =>
      knex.transaction(async (trx) => [
        ...(await recordStarts(trx, nowMs)),
        ...(await recordEnds(trx, nowMs)),
      ]),
  };
}
