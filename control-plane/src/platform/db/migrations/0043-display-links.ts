import type { Knex } from "knex";

/** Links that open the wall on screens, and the addresses from which they were used. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE display_links (
      id text PRIMARY KEY,
      team_id text NOT NULL REFERENCES teams (id) ON DELETE CASCADE,
      name text NOT NULL,
      secret_hash bytea NOT NULL UNIQUE,
      label text,
      group_by text,
      rotate_seconds integer,
      created_by text REFERENCES users (id) ON DELETE SET NULL,
      created_at timestamptz(3) NOT NULL,
      expires_at timestamptz(3) NOT NULL,
      last_used_at timestamptz(3),
      last_used_address text
    );
    CREATE INDEX display_links_by_team ON display_links (team_id, created_at);
    COMMENT ON TABLE display_links IS 'Links that open the wall; a revoked one is deleted';
    COMMENT ON COLUMN display_links.secret_hash IS 'SHA-256 of the secret, which is stored nowhere';
    COMMENT ON COLUMN display_links.created_by IS 'null: the account is gone; the link stays, since it is the team''s';

    CREATE TABLE display_link_addresses (
      display_link_id text NOT NULL REFERENCES display_links (id) ON DELETE CASCADE,
      address text NOT NULL,
      first_used_at timestamptz(3) NOT NULL,
      PRIMARY KEY (display_link_id, address)
    );
    COMMENT ON TABLE display_link_addresses IS 'Addresses, or the /64 networks of IPv6 addresses, from which display links were used';

    ALTER TABLE audit_entries DROP CONSTRAINT audit_entries_actor_kind_check;
    ALTER TABLE audit_entries ADD CONSTRAINT audit_entries_actor_kind_check
      CHECK (actor_kind IN ('user', 'api_key', 'display_link', 'operator', 'unknown'));
  `);
}
