import type { Knex } from "knex";

/** The event feed finds alert events of a rare kind without reading the others. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE INDEX alert_events_by_kind ON alert_events (team_id, type, severity, created_at DESC, id DESC);
  `);
}
