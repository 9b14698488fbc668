import type { Knex } from "knex";

/** The audit log, names of actors in the change log, and the addresses from which API keys were used. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE audit_entries (
      key bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      id text NOT NULL UNIQUE,
      team_id text REFERENCES teams (id) ON DELETE CASCADE,
      action text NOT NULL,
      actor text,
      actor_kind text NOT NULL CHECK (actor_kind IN ('user', 'api_key', 'operator', 'unknown')),
      actor_name text,
      via text NOT NULL CHECK (via IN ('ui', 'cli', 'key', 'operator')),
      address text,
      user_agent text,
      resource_id text,
      resource_name text,
      detail jsonb NOT NULL DEFAULT '{}',
      once_key text UNIQUE,
      created_at timestamptz(3) NOT NULL
    );
    COMMENT ON TABLE audit_entries IS 'Append-only: who got or used access to a team''s records, from where and by what way';
    COMMENT ON COLUMN audit_entries.team_id IS 'null: concerns no one team, such as the operator''s commands';
    COMMENT ON COLUMN audit_entries.once_key IS 'of actions that are recorded once in a time: what they have alone';
    CREATE INDEX audit_entries_by_team ON audit_entries (team_id, key DESC);
    CREATE INDEX audit_entries_by_age ON audit_entries USING brin (created_at);

    ALTER TABLE changes ADD COLUMN actor_name text;
    COMMENT ON COLUMN changes.actor_name IS 'at that time; null in older entries';

    CREATE TABLE api_key_addresses (
      api_key_id text NOT NULL REFERENCES api_keys (id) ON DELETE CASCADE,
      address text NOT NULL,
      first_used_at timestamptz(3) NOT NULL,
      PRIMARY KEY (api_key_id, address)
    );
    COMMENT ON TABLE api_key_addresses IS 'Addresses, or the /64 networks of IPv6 addresses, from which API keys were used';
  `);
}
