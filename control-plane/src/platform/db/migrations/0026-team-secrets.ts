import type { Knex } from "knex";
import { countingSql } from "./0019-team-usage.ts";

/** Secrets of teams, and the names of those that each check refers to as {{vault.NAME}}. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE team_secrets (
      id text PRIMARY KEY,
      team_id text NOT NULL REFERENCES teams (id) ON DELETE CASCADE,
      name text NOT NULL,
      value bytea NOT NULL,
      revision bigint NOT NULL,
      changed_xid xid8 NOT NULL DEFAULT pg_current_xact_id(),
      created_at timestamptz(3) NOT NULL DEFAULT now(),
      updated_at timestamptz(3),
      stored_bytes integer NOT NULL GENERATED ALWAYS AS (octet_length(value)) STORED,
      UNIQUE (team_id, name)
    );
    CREATE INDEX team_secrets_by_change ON team_secrets (changed_xid);
    COMMENT ON COLUMN team_secrets.value IS 'sealed for the row';
    COMMENT ON COLUMN team_secrets.revision IS 'of the sequence that numbers the revisions of checks: a check is at the greatest of its own and those of its secrets';

    ALTER TABLE checks ADD COLUMN vault_names text[] NOT NULL DEFAULT '{}';
    CREATE INDEX checks_by_vault_name ON checks USING gin (vault_names) WHERE vault_names <> '{}';
    COMMENT ON COLUMN checks.vault_names IS 'names of the secrets that the configuration refers to, each once';
  `);
  await knex.raw(countingSql({ table: "team_secrets", kind: "secrets", bytes: "stored_bytes" }));
}
