import type { Knex } from "knex";

/** Sign-ins of the command line that are under way. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE device_codes (
      device_code_hash bytea PRIMARY KEY,
      user_code text NOT NULL UNIQUE,
      client_name text NOT NULL,
      team_id text REFERENCES teams (id) ON DELETE CASCADE,
      user_id text REFERENCES users (id) ON DELETE CASCADE,
      decision text CHECK (decision IN ('authorize', 'deny')),
      created_at timestamptz(3) NOT NULL,
      expires_at timestamptz(3) NOT NULL,
      CHECK (decision IS NULL OR (team_id IS NOT NULL AND user_id IS NOT NULL))
    );
    COMMENT ON TABLE device_codes IS 'A row goes when its key is handed over; who asks for a code of which there is no row gets 410';
    COMMENT ON COLUMN device_codes.team_id IS 'of the person who decided, and so of the key';
    CREATE INDEX device_codes_by_expiry ON device_codes (expires_at);
  `);
}
