import type { Knex } from "knex";

/** Deep analyses of checks: what was found, and how many there were. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE analyses (
      key bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      team_id text NOT NULL REFERENCES teams (id) ON DELETE CASCADE,
      check_key bigint REFERENCES checks (key) ON DELETE SET NULL,
      requested_at timestamptz(3) NOT NULL,
      newest_slot_ms bigint,
      insight jsonb
    );
    COMMENT ON TABLE analyses IS 'One row per analysis; a check that is deleted leaves its rows, so that they still count for the month';
    COMMENT ON COLUMN analyses.newest_slot_ms IS 'of the results that the insight knows; null: there were none';
    COMMENT ON COLUMN analyses.insight IS 'null while it is being made';
    CREATE INDEX analyses_by_team ON analyses (team_id, requested_at);
    CREATE INDEX analyses_by_check ON analyses (check_key, requested_at);
  `);
}
