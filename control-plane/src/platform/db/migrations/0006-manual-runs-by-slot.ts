import type { Knex } from "knex";

/** Finds the orders of the last minute, whatever their check: what limits how many are given, and what removes old ones. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw("CREATE INDEX manual_runs_by_slot ON manual_runs (slot_ms)");
}
