import type { Knex } from "knex";

/** Notification channels with their outbox and deliveries, maintenance windows, labels of checks, the change log. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE notification_channels (
      key bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      id text NOT NULL UNIQUE,
      team_id text NOT NULL REFERENCES teams (id) ON DELETE CASCADE,
      name text NOT NULL,
      type text NOT NULL,
      config bytea NOT NULL,
      incident_template jsonb,
      incident_subscribed boolean NOT NULL DEFAULT true,
      last_tested_at timestamptz(3),
      created_at timestamptz(3) NOT NULL DEFAULT now(),
      updated_at timestamptz(3),
      UNIQUE (team_id, name)
    );
    COMMENT ON COLUMN notification_channels.config IS 'the channel object as it was submitted, encrypted as a whole';
    CREATE INDEX notification_channels_by_team ON notification_channels (team_id, created_at DESC, key DESC);

    CREATE TABLE notifications (
      key bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      id text NOT NULL UNIQUE,
      team_id text NOT NULL REFERENCES teams (id) ON DELETE CASCADE,
      channel_key bigint NOT NULL REFERENCES notification_channels (key) ON DELETE CASCADE,
      kind text NOT NULL,
      subject_id text,
      payload jsonb NOT NULL,
      is_retried boolean NOT NULL DEFAULT true,
      is_test boolean NOT NULL DEFAULT false,
      status text NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'delivered', 'failed')),
      attempts integer NOT NULL DEFAULT 0,
      due_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
      leased_by text,
      created_at timestamptz(3) NOT NULL DEFAULT clock_timestamp()
    ) WITH (fillfactor = 80);
    COMMENT ON TABLE notifications IS 'The outbox: what is to be said to a channel. A worker that takes a row moves due_at to the end of its lease, so that a lost one gives it back';
    COMMENT ON COLUMN notifications.subject_id IS 'what it is about (an alert instance): told in order, one after the other';
    CREATE INDEX notifications_due ON notifications (channel_key, due_at, key) WHERE status = 'pending';
    CREATE INDEX notifications_in_order ON notifications (subject_id, channel_key, key) WHERE status = 'pending';
    CREATE INDEX notifications_ended ON notifications (created_at) WHERE status <> 'pending';

    CREATE TABLE notification_deliveries (
      key bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      id text NOT NULL UNIQUE,
      channel_key bigint NOT NULL REFERENCES notification_channels (key) ON DELETE CASCADE,
      notification_key bigint NOT NULL REFERENCES notifications (key) ON DELETE CASCADE,
      attempt integer NOT NULL,
      status text NOT NULL CHECK (status IN ('delivered', 'failed', 'skipped_dedupe')),
      http_status integer,
      error text,
      duration_ms integer NOT NULL,
      next_attempt_at timestamptz(3),
      created_at timestamptz(3) NOT NULL DEFAULT clock_timestamp()
    );
    COMMENT ON TABLE notification_deliveries IS 'One row per attempt to hand a notification over';
    CREATE INDEX notification_deliveries_by_channel ON notification_deliveries (channel_key, key DESC);
    CREATE INDEX notification_deliveries_by_notification ON notification_deliveries (notification_key);

    CREATE TABLE notification_references (
      channel_key bigint NOT NULL REFERENCES notification_channels (key) ON DELETE CASCADE,
      subject_id text NOT NULL,
      external_id text NOT NULL,
      created_at timestamptz(3) NOT NULL DEFAULT now(),
      PRIMARY KEY (channel_key, subject_id)
    );
    COMMENT ON TABLE notification_references IS 'What the other side calls a subject (a ticket''s id), so that later notifications go there';

    CREATE TABLE maintenance_windows (
      key bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      id text NOT NULL UNIQUE,
      team_id text NOT NULL REFERENCES teams (id) ON DELETE CASCADE,
      name text NOT NULL,
      mode text NOT NULL CHECK (mode IN ('pause', 'continue')),
      is_for_all_checks boolean NOT NULL,
      starts_at timestamptz(3) NOT NULL,
      ends_at timestamptz(3) NOT NULL,
      timezone text NOT NULL,
      recurrence_rule text,
      expanded_until timestamptz(3) NOT NULL,
      created_at timestamptz(3) NOT NULL DEFAULT now(),
      updated_at timestamptz(3),
      deleted_at timestamptz(3),
      CHECK (ends_at > starts_at)
    );
    COMMENT ON COLUMN maintenance_windows.deleted_at IS 'A deleted window stays as a row: what it held for counts in history';
    CREATE UNIQUE INDEX maintenance_windows_name_unique ON maintenance_windows (team_id, name) WHERE deleted_at IS NULL;
    CREATE INDEX maintenance_windows_to_expand ON maintenance_windows (expanded_until)
      WHERE recurrence_rule IS NOT NULL AND deleted_at IS NULL;

    CREATE TABLE maintenance_window_checks (
      window_key bigint NOT NULL REFERENCES maintenance_windows (key) ON DELETE CASCADE,
      check_key bigint NOT NULL REFERENCES checks (key) ON DELETE CASCADE,
      PRIMARY KEY (window_key, check_key)
    );
    CREATE INDEX maintenance_window_checks_by_check ON maintenance_window_checks (check_key);

    CREATE TABLE maintenance_occurrences (
      window_key bigint NOT NULL REFERENCES maintenance_windows (key) ON DELETE CASCADE,
      starts_at timestamptz(3) NOT NULL,
      ends_at timestamptz(3) NOT NULL,
      is_announced boolean NOT NULL DEFAULT false,
      PRIMARY KEY (window_key, starts_at)
    );
    COMMENT ON COLUMN maintenance_occurrences.is_announced IS 'its start is recorded in maintenance_events';
    CREATE INDEX maintenance_occurrences_to_announce ON maintenance_occurrences (starts_at) WHERE NOT is_announced;
    COMMENT ON TABLE maintenance_occurrences IS 'When windows hold: recurrences are expanded ahead of time, in the window''s zone';
    CREATE INDEX maintenance_occurrences_by_end ON maintenance_occurrences (ends_at, starts_at);

    CREATE TABLE maintenance_events (
      id text PRIMARY KEY,
      team_id text NOT NULL REFERENCES teams (id) ON DELETE CASCADE,
      window_id text NOT NULL,
      window_name text NOT NULL,
      mode text NOT NULL,
      type text NOT NULL CHECK (type IN ('started', 'ended')),
      occurrence_starts_at timestamptz(3) NOT NULL,
      occurrence_ends_at timestamptz(3) NOT NULL,
      is_open boolean NOT NULL DEFAULT false,
      created_at timestamptz(3) NOT NULL,
      xid xid8 NOT NULL DEFAULT pg_current_xact_id(),
      UNIQUE (window_id, occurrence_starts_at, type)
    );
    COMMENT ON COLUMN maintenance_events.is_open IS 'a start whose end is not recorded yet';
    CREATE INDEX maintenance_events_open ON maintenance_events (window_id) WHERE is_open;
    COMMENT ON TABLE maintenance_events IS 'Each start and end of a window once; outlives the window';
    CREATE INDEX maintenance_events_by_xid ON maintenance_events (xid);

    ALTER TABLE checks ADD COLUMN paused boolean NOT NULL DEFAULT false;
    CREATE INDEX checks_paused ON checks (key) WHERE paused;
    COMMENT ON COLUMN checks.paused IS 'a maintenance window in pause mode holds: the check does not run, whatever enabled says';

    CREATE TABLE check_labels (
      check_key bigint NOT NULL REFERENCES checks (key) ON DELETE CASCADE,
      label text NOT NULL,
      PRIMARY KEY (check_key, label)
    );

    CREATE TABLE changes (
      key bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      id text NOT NULL UNIQUE,
      team_id text NOT NULL REFERENCES teams (id) ON DELETE CASCADE,
      action text NOT NULL CHECK (action IN ('created', 'updated', 'deleted')),
      type text NOT NULL,
      resource_id text NOT NULL,
      name text,
      source text NOT NULL CHECK (source IN ('ui', 'yaml', 'api')),
      actor text,
      changed_fields jsonb NOT NULL DEFAULT '[]',
      created_at timestamptz(3) NOT NULL
    );
    COMMENT ON TABLE changes IS 'Append-only: who changed which resource; secrets are masked before they come here';
    CREATE INDEX changes_by_team ON changes (team_id, key DESC);
  `);
}
