import type { Knex } from "knex";

/** Locations that can't reach their targets, each with the incident of a team, and the alerts that are held back because of them. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE locations ADD COLUMN is_guarded boolean NOT NULL DEFAULT true;
    COMMENT ON COLUMN locations.is_guarded IS 'false: alerts are not held back while the location can''t reach its targets';

    CREATE TABLE location_outages (
      key bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      team_id text NOT NULL REFERENCES teams (id) ON DELETE CASCADE,
      location_key integer NOT NULL REFERENCES locations (key) ON DELETE CASCADE,
      incident_key bigint NOT NULL REFERENCES incidents (key) ON DELETE CASCADE,
      channel_ids text[] NOT NULL,
      began_at timestamptz(3) NOT NULL,
      judged_at timestamptz(3) NOT NULL,
      ended_at timestamptz(3)
    );
    COMMENT ON TABLE location_outages IS 'As one team''s checks see it: what they see of a location is no other team''s';
    COMMENT ON COLUMN location_outages.channel_ids IS 'channels that the rules of the held alerts name; they are notified of the incident';
    COMMENT ON COLUMN location_outages.judged_at IS 'when it was last found to last';
    COMMENT ON COLUMN location_outages.ended_at IS 'null while it lasts';
    CREATE UNIQUE INDEX location_outages_open ON location_outages (team_id, location_key) WHERE ended_at IS NULL;
    CREATE INDEX location_outages_by_location ON location_outages (location_key);
    CREATE INDEX location_outages_by_team ON location_outages (team_id, location_key, key);
    CREATE INDEX location_outages_by_incident ON location_outages (incident_key);

    CREATE TABLE location_holds (
      instance_id text PRIMARY KEY REFERENCES held_alerts (instance_id) ON DELETE CASCADE,
      team_id text NOT NULL REFERENCES teams (id) ON DELETE CASCADE,
      location_keys integer[] NOT NULL,
      incident_key bigint,
      channel_ids text[],
      payload jsonb
    );
    COMMENT ON TABLE location_holds IS 'Of held alerts whose reason is a location';
    COMMENT ON COLUMN location_holds.location_keys IS 'where the check failed as the alert began; none of them could reach its targets';
    COMMENT ON COLUMN location_holds.incident_key IS 'the incident of the location that lists the alert; null: none does yet';
    COMMENT ON COLUMN location_holds.payload IS 'of the alert, until an incident of the location has taken it in; null before that: the alert is muted';
    CREATE INDEX location_holds_by_team ON location_holds (team_id);
    CREATE INDEX location_holds_queued ON location_holds (team_id, instance_id) WHERE payload IS NOT NULL;
    CREATE INDEX location_holds_by_incident ON location_holds (incident_key) WHERE incident_key IS NOT NULL;
  `);
}
