import type { Knex } from "knex";

/** Stores the sentences in which a language model words the hypotheses of incidents. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE hypothesis_wordings (
      incident_key bigint PRIMARY KEY REFERENCES incidents (key) ON DELETE CASCADE,
      team_id text NOT NULL REFERENCES teams (id) ON DELETE CASCADE,
      hypothesis jsonb NOT NULL,
      facts text[] NOT NULL,
      claims jsonb NOT NULL,
      model text NOT NULL,
      tries integer NOT NULL,
      tried_at timestamptz(3) NOT NULL
    );
    COMMENT ON COLUMN hypothesis_wordings.hypothesis IS 'the one that was worded; the incident may have another by now';
    COMMENT ON COLUMN hypothesis_wordings.claims IS 'empty: the model said nothing that the facts bear out';
    COMMENT ON COLUMN hypothesis_wordings.model IS 'empty: it gave no answer';
    CREATE INDEX hypothesis_wordings_of_team ON hypothesis_wordings (team_id, tried_at);
  `);
}
