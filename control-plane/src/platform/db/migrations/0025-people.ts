import type { Knex } from "knex";

/** Roles of people and keys, invitations, where sessions and keys were used last, and keys that end. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE memberships DROP CONSTRAINT memberships_role_check;
    ALTER TABLE memberships ADD CONSTRAINT memberships_role_check CHECK (role IN ('owner', 'member', 'viewer'));
    ALTER TABLE memberships ADD COLUMN last_seen_at timestamptz(3);
    CREATE INDEX memberships_by_user ON memberships (user_id);

    ALTER TABLE users ADD COLUMN last_team_id text REFERENCES teams (id) ON DELETE SET NULL;
    COMMENT ON COLUMN users.last_team_id IS 'the team of the newest session or choice: the next sign-in leads there';

    ALTER TABLE sessions
      ADD COLUMN id text NOT NULL UNIQUE GENERATED ALWAYS AS ('ses_0' || substr(encode(token_hash, 'hex'), 1, 25)) STORED,
      ADD COLUMN address text,
      ADD COLUMN user_agent text,
      ADD COLUMN last_seen_at timestamptz(3);
    CREATE INDEX sessions_by_user ON sessions (user_id);

    ALTER TABLE api_keys
      ADD COLUMN role text NOT NULL DEFAULT 'member' CHECK (role IN ('member', 'viewer')),
      ADD COLUMN expires_at timestamptz(3),
      ADD COLUMN last_used_address text,
      ADD COLUMN created_by text REFERENCES users (id) ON DELETE SET NULL,
      ADD COLUMN expiry_warned_at timestamptz(3);
    CREATE INDEX api_keys_by_expiry ON api_keys (expires_at) WHERE expiry_warned_at IS NULL;
    COMMENT ON COLUMN api_keys.created_by IS 'the person who made the key; null: the operator';

    CREATE TABLE invitations (
      id text PRIMARY KEY,
      team_id text NOT NULL REFERENCES teams (id) ON DELETE CASCADE,
      email text NOT NULL,
      role text NOT NULL CHECK (role IN ('owner', 'member', 'viewer')),
      token_hash bytea NOT NULL UNIQUE,
      invited_by text REFERENCES users (id) ON DELETE SET NULL,
      created_at timestamptz(3) NOT NULL,
      expires_at timestamptz(3) NOT NULL
    );
    CREATE UNIQUE INDEX invitations_by_address ON invitations (team_id, lower(email));
    COMMENT ON TABLE invitations IS 'Invitations that nobody has accepted yet; accepting one deletes it';
  `);
}
