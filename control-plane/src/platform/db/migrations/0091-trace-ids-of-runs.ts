import type { Knex } from "knex";
import { listMergedTables } from "../merged-tables.ts";

/**
 * Lets merged results leave out trace ids that follow from their runs. Tables of merges under way are no partitions yet, and take part in
 * what becomes of results. They are locked first, since their locks may take long to get, and nobody reads them; those that a release
 * before makes until results are locked come last.
 */
export async function up(knex: Knex): Promise<void> {
  await addToMergedTables(knex);
  await knex.raw(`
    ALTER TABLE results ADD COLUMN IF NOT EXISTS has_own_trace_id boolean DEFAULT true;
    COMMENT ON COLUMN results.trace_id IS 'W3C trace id that was sent to the target; null: see has_own_trace_id';
    COMMENT ON COLUMN results.has_own_trace_id IS 'null: the trace id is that of the run, the first 16 bytes of the SHA-256 of "check id/location id/slot_ms"; true: it is trace_id, and null there says that none was sent';
  `);
  await addToMergedTables(knex);
}

async function addToMergedTables(knex: Knex): Promise<void> {
  for (const name of await listMergedTables(knex))
    await knex.raw(
      `ALTER TABLE IF EXISTS ${name} ADD COLUMN IF NOT EXISTS has_own_trace_id boolean DEFAULT true`,
    );
}
