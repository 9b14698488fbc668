import type { Knex } from "knex";

/** Changes are read by their record and by time: a team's log may hold years of them. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE INDEX changes_by_record ON changes (team_id, resource_id, key DESC);
    CREATE INDEX changes_by_time ON changes (team_id, created_at DESC);`);
}
