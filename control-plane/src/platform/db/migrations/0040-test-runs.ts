import type { Knex } from "knex";

/** Test runs: configurations that are run once without a check, apart from everything that results are read from. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE test_runs (
      key bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      id text NOT NULL UNIQUE,
      team_id text NOT NULL REFERENCES teams (id) ON DELETE CASCADE,
      created_by text NOT NULL,
      type text NOT NULL,
      config jsonb NOT NULL,
      config_secrets bytea,
      vault_names text[] NOT NULL,
      retry jsonb,
      begin_by_ms bigint NOT NULL,
      created_at timestamptz NOT NULL,
      expires_at timestamptz NOT NULL
    );
    COMMENT ON COLUMN test_runs.config_secrets IS 'sealed for the row';
    CREATE INDEX test_runs_by_team ON test_runs (team_id, created_at);
    CREATE INDEX test_runs_by_expiry ON test_runs (expires_at);

    CREATE TABLE test_run_locations (
      test_run_key bigint NOT NULL REFERENCES test_runs (key) ON DELETE CASCADE,
      location_key integer NOT NULL,
      position smallint NOT NULL,
      phase text NOT NULL,
      runner_key bigint,
      problem text,
      result jsonb,
      PRIMARY KEY (test_run_key, location_key)
    );
    COMMENT ON COLUMN test_run_locations.runner_key IS 'the runner that it was sent to; null: none yet';
    CREATE INDEX test_run_locations_unsent ON test_run_locations (test_run_key)
      WHERE phase = 'ordered' AND runner_key IS NULL;
  `);
}
