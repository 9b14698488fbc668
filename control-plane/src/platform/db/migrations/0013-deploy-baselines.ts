import type { Knex } from "knex";

/** The resources that the command line deployed last, per project of a team. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE deploy_baselines (
      team_id text NOT NULL REFERENCES teams (id) ON DELETE CASCADE,
      project text NOT NULL,
      resources jsonb NOT NULL,
      updated_at timestamptz(3) NOT NULL,
      PRIMARY KEY (team_id, project)
    );
    COMMENT ON COLUMN deploy_baselines.resources IS 'per resource its id, a hash without secrets of what was applied, and when it last changed';
  `);
}
