import type { Knex } from "knex";

/** Limits and pictures of test runs; what language models cost; how many generations a plan allows. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE test_runs ADD COLUMN limits jsonb;
    COMMENT ON COLUMN test_runs.limits IS 'TrafficLimits of probes/src/run/traffic-limits.ts; null: those of every check';

    CREATE TABLE test_run_pictures (
      test_run_key bigint NOT NULL REFERENCES test_runs (key) ON DELETE CASCADE,
      location_key integer NOT NULL,
      position smallint NOT NULL,
      step text NOT NULL,
      jpeg bytea NOT NULL,
      PRIMARY KEY (test_run_key, location_key, position)
    );

    ALTER TABLE plans ADD COLUMN generation_quota_per_month integer NOT NULL DEFAULT 200;

    CREATE TABLE generation_use (
      team_id text NOT NULL REFERENCES teams (id) ON DELETE CASCADE,
      month date NOT NULL,
      generations integer NOT NULL,
      PRIMARY KEY (team_id, month)
    );
    COMMENT ON TABLE generation_use IS 'Generations by a language model that a team began, by calendar month (UTC)';

    CREATE TABLE language_model_use (
      month date PRIMARY KEY,
      input_tokens bigint NOT NULL,
      output_tokens bigint NOT NULL
    );
    COMMENT ON TABLE language_model_use IS 'Tokens of all teams, also of deleted ones, by calendar month (UTC)';
  `);
}
