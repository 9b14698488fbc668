import type { Knex } from "knex";

/**
 * Health of private locations as it was last reported, the channels that a location's changes of health notify, and since when a
 * location has its status.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE locations ADD COLUMN channel_ids text[] NOT NULL DEFAULT '{}';
    COMMENT ON COLUMN locations.channel_ids IS 'channels that are notified of changes of health; private locations only';

    ALTER TABLE locations ADD COLUMN status_changed_at timestamptz(3);
    COMMENT ON COLUMN locations.status_changed_at IS 'since when it has its status; null: since it was created';

    CREATE TABLE location_health (
      location_key integer PRIMARY KEY REFERENCES locations (key) ON DELETE CASCADE,
      health text NOT NULL CHECK (health IN ('active', 'degraded', 'offline')),
      better_since_ms bigint,
      changes_ms bigint[] NOT NULL DEFAULT '{}'
    );
    COMMENT ON TABLE location_health IS 'Health of private locations as their last event reported it';
    COMMENT ON COLUMN location_health.better_since_ms IS 'since when the health has been better than the reported one';
    COMMENT ON COLUMN location_health.changes_ms IS 'reported changes of the last hour';

    CREATE INDEX derived_events_of_locations ON derived_events (team_id, created_at DESC, id DESC)
      WHERE name LIKE 'synthetics.location.%';
  `);
}
