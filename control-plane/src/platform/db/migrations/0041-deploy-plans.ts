import type { Knex } from "knex";

/** Deploy plans that were published to be looked at. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE deploy_plans (
      id text PRIMARY KEY,
      team_id text NOT NULL REFERENCES teams (id) ON DELETE CASCADE,
      created_by text,
      plan jsonb NOT NULL,
      created_at timestamptz NOT NULL,
      expires_at timestamptz NOT NULL
    );
    COMMENT ON COLUMN deploy_plans.plan IS 'as it was published: the values of secrets are not in it';
    CREATE INDEX deploy_plans_by_team ON deploy_plans (team_id, created_at);
    CREATE INDEX deploy_plans_by_expiry ON deploy_plans (expires_at);
  `);
}
