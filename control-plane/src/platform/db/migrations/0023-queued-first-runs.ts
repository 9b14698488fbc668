import type { Knex } from "knex";

/** First runs beyond a team's budget: they wait here until a job dispatches them. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE queued_first_runs (
      key bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      check_key bigint NOT NULL UNIQUE REFERENCES checks (key) ON DELETE CASCADE,
      team_id text NOT NULL,
      run_count integer NOT NULL
    );
    COMMENT ON TABLE queued_first_runs IS 'Checks whose first run waits, oldest first; run_count is the number of locations at that time';
    CREATE INDEX queued_first_runs_by_team ON queued_first_runs (team_id, key);
  `);
}
