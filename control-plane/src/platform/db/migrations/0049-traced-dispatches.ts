/** The trace that a dispatch belongs to: the replica that hears of it goes on with the trace of the request that asked for the run. */
import type { Knex } from "knex";

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE manual_runs ADD COLUMN traceparent text;
    COMMENT ON COLUMN manual_runs.traceparent IS 'W3C: trace and span of the request that asked for it; null: it is not traced'`);
}
