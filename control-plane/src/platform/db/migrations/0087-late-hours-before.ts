import type { Knex } from "knex";

/** The hours of which results were stored late, for those that are there already. PostgreSQL reads the index of late results for it, and these alone. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw("SET LOCAL enable_seqscan = off");
  await knex.raw(`
    INSERT INTO late_hours (hour_ms, stored_hour_ms)
    SELECT DISTINCT slot_ms / 3600000 * 3600000, (extract(epoch FROM created_at) * 1000)::bigint / 3600000 * 3600000
    FROM results WHERE created_at - to_timestamp((slot_ms + start_delay_ms) / 1000.0) > interval '10 minutes'
    ON CONFLICT DO NOTHING
  `);
}
