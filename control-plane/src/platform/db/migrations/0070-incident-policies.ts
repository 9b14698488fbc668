import type { Knex } from "knex";

/** Incident policies of teams, and the steps of them that incidents have come to. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE incident_policies (
      team_id text PRIMARY KEY REFERENCES teams (id) ON DELETE CASCADE,
      steps jsonb NOT NULL,
      updated_at timestamptz(3) NOT NULL
    );
    COMMENT ON TABLE incident_policies IS 'Whom to notify when nobody acknowledges an incident, and after how many minutes; no row: nobody';

    CREATE TABLE incident_escalations (
      incident_key bigint NOT NULL REFERENCES incidents (key) ON DELETE CASCADE,
      unacknowledged_since timestamptz(3) NOT NULL,
      after_minutes integer NOT NULL,
      channel_ids text[] NOT NULL,
      created_at timestamptz(3) NOT NULL,
      PRIMARY KEY (incident_key, unacknowledged_since, after_minutes)
    );
    COMMENT ON TABLE incident_escalations IS 'Steps of the policy that incidents have come to, each once for each time that the incident was opened';
  `);
}
