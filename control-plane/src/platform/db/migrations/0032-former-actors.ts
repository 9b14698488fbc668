import type { Knex } from "knex";

/** Names of API keys that were revoked, and the function by which statements read the name of whoever acted. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE former_actors (
      id text PRIMARY KEY,
      team_id text NOT NULL REFERENCES teams (id) ON DELETE CASCADE,
      name text NOT NULL
    );
    COMMENT ON TABLE former_actors IS 'Names of API keys that were revoked: what they did is shown with their name';
    CREATE INDEX former_actors_by_team ON former_actors (team_id);
    INSERT INTO former_actors (id, team_id, name)
      SELECT DISTINCT ON (resource_id) resource_id, team_id, name FROM changes
      WHERE type = 'api_key' AND action = 'deleted' AND name IS NOT NULL
      ORDER BY resource_id, created_at DESC;

    CREATE FUNCTION actor_name(actor text) RETURNS text LANGUAGE sql STABLE AS $$
      SELECT coalesce(
        (SELECT email FROM users WHERE id = actor),
        (SELECT name FROM api_keys WHERE id = actor),
        (SELECT name FROM former_actors WHERE id = actor))
    $$;
    COMMENT ON FUNCTION actor_name IS 'The email address of a user, the name of an API key also after it was revoked; null for others';
  `);
}
