import type { Knex } from "knex";

/** How retention finds old entries of the change log, deployment markers and maintenance events without reading the others. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE INDEX changes_by_age ON changes USING brin (created_at);
    CREATE INDEX deployments_by_age ON deployments USING brin (created_at);
    CREATE INDEX maintenance_events_by_age ON maintenance_events USING brin (created_at);
  `);
}
