import type { Knex } from "knex";

/**
 * Incidents: the queue of what happened to alerts, incidents with their members, events and notes; and what notifications
 * about them carry besides.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE incident_queue (
      key bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      team_id text NOT NULL REFERENCES teams (id) ON DELETE CASCADE,
      instance_id text NOT NULL,
      kind text NOT NULL,
      channel_ids text[] NOT NULL,
      payload jsonb NOT NULL,
      created_at timestamptz(3) NOT NULL DEFAULT clock_timestamp()
    );
    COMMENT ON TABLE incident_queue IS 'What happened to alerts and no incident knows yet: written in the transaction of the alert, removed in that of the incident';
    CREATE INDEX incident_queue_by_team ON incident_queue (team_id, key);

    CREATE TABLE incidents (
      key bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      id text NOT NULL UNIQUE,
      team_id text NOT NULL REFERENCES teams (id) ON DELETE CASCADE,
      title text NOT NULL,
      severity text NOT NULL CHECK (severity IN ('critical', 'warning', 'info')),
      state text NOT NULL CHECK (state IN ('open', 'acknowledged', 'resolved', 'closed')),
      dimensions text[] NOT NULL,
      fingerprint_hash text NOT NULL,
      hypothesis jsonb NOT NULL,
      observations jsonb NOT NULL,
      member_count integer NOT NULL,
      open_member_count integer NOT NULL,
      recurrence_of text[] NOT NULL DEFAULT '{}',
      opened_at timestamptz(3) NOT NULL,
      acknowledged_at timestamptz(3),
      acknowledged_by text,
      quiet_since timestamptz(3),
      resolved_at timestamptz(3),
      closed_at timestamptz(3),
      closed_by text,
      updated_at timestamptz(3)
    );
    COMMENT ON COLUMN incidents.dimensions IS 'what all members share: its fingerprint';
    COMMENT ON COLUMN incidents.quiet_since IS 'since when no member is open: the cool-down runs';
    CREATE INDEX incidents_by_team ON incidents (team_id, opened_at DESC, key DESC);
    CREATE INDEX incidents_active ON incidents (team_id) WHERE state IN ('open', 'acknowledged');
    CREATE INDEX incidents_quiet ON incidents (quiet_since) WHERE state IN ('open', 'acknowledged');
    CREATE INDEX incidents_over ON incidents (team_id, (coalesce(closed_at, resolved_at))) WHERE state IN ('resolved', 'closed');

    CREATE TABLE incident_members (
      instance_id text PRIMARY KEY,
      incident_key bigint NOT NULL REFERENCES incidents (key) ON DELETE CASCADE,
      position integer NOT NULL,
      rule_id text NOT NULL,
      check_id text NOT NULL,
      severity text NOT NULL,
      started_at timestamptz(3) NOT NULL,
      acknowledged_at timestamptz(3),
      ended_at timestamptz(3),
      channel_ids text[] NOT NULL,
      dimensions text[] NOT NULL,
      facts jsonb NOT NULL
    );
    COMMENT ON TABLE incident_members IS 'Alert instances of an incident; they outlive the instance, whose check may be deleted';
    COMMENT ON COLUMN incident_members.channel_ids IS 'whom its rule named when it began';
    CREATE INDEX incident_members_by_incident ON incident_members (incident_key, position);
    CREATE INDEX incident_members_open ON incident_members (incident_key) WHERE ended_at IS NULL;

    CREATE TABLE incident_events (
      id text PRIMARY KEY,
      team_id text NOT NULL REFERENCES teams (id) ON DELETE CASCADE,
      incident_key bigint NOT NULL REFERENCES incidents (key) ON DELETE CASCADE,
      type text NOT NULL,
      actor_id text,
      payload jsonb NOT NULL,
      created_at timestamptz(3) NOT NULL
    );
    COMMENT ON COLUMN incident_events.actor_id IS 'a user; null: the service itself';
    CREATE INDEX incident_events_by_incident ON incident_events (incident_key, created_at, id);

    CREATE TABLE incident_notes (
      id text PRIMARY KEY,
      incident_key bigint NOT NULL REFERENCES incidents (key) ON DELETE CASCADE,
      body text NOT NULL,
      author_id text NOT NULL,
      created_at timestamptz(3) NOT NULL
    );
    CREATE INDEX incident_notes_by_incident ON incident_notes (incident_key, created_at);

    ALTER TABLE notifications ADD COLUMN event_id text;
    ALTER TABLE notifications ADD COLUMN instance_ids text[];
    COMMENT ON COLUMN notifications.event_id IS 'of an incident event: it reaches a channel once';
    COMMENT ON COLUMN notifications.instance_ids IS 'the alert instances it tells of; null: the subject is the one';
    CREATE INDEX notifications_by_event ON notifications (channel_key, event_id) WHERE event_id IS NOT NULL;
  `);
}
