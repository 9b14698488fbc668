import type { Knex } from "knex";

/** Gives channels a name among those who acted: a link in a channel's message acknowledges incidents in the channel's name. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE OR REPLACE FUNCTION actor_name(actor text) RETURNS text LANGUAGE sql STABLE AS $$
      SELECT coalesce(
        (SELECT email FROM users WHERE id = actor),
        (SELECT name FROM api_keys WHERE id = actor),
        (SELECT 'channel "' || name || '"' FROM notification_channels WHERE id = actor),
        (SELECT name FROM former_actors WHERE id = actor))
    $$;
    COMMENT ON FUNCTION actor_name IS 'The email address of a user, the name of an API key or a channel, also after it was revoked or deleted; null for others';
    COMMENT ON TABLE former_actors IS 'Names of API keys that were revoked and of channels that were deleted: what they did is shown with their name';
  `);
}
