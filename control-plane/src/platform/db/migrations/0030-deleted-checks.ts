import type { Knex } from "knex";

/** Deleted checks and their alert events, so that the event feed and the export still show the last of them. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE deleted_checks (
      key bigint PRIMARY KEY,
      id text NOT NULL UNIQUE,
      team_id text NOT NULL REFERENCES teams (id) ON DELETE CASCADE,
      name text NOT NULL,
      type text NOT NULL,
      url text,
      labels text[] NOT NULL,
      location_keys integer[] NOT NULL,
      frequency_seconds_max integer NOT NULL,
      deleted_at timestamptz(3) NOT NULL DEFAULT now()
    );
    COMMENT ON TABLE deleted_checks IS 'Columns of deleted checks that their last events show';
    COMMENT ON COLUMN deleted_checks.frequency_seconds_max IS 'longest of the present and the earlier schedules';
    CREATE INDEX deleted_checks_by_team ON deleted_checks (team_id, deleted_at DESC);
    CREATE INDEX deleted_checks_by_age ON deleted_checks (deleted_at);

    CREATE TABLE deleted_check_alert_events (
      id text PRIMARY KEY,
      team_id text NOT NULL REFERENCES teams (id) ON DELETE CASCADE,
      check_key bigint NOT NULL REFERENCES deleted_checks (key) ON DELETE CASCADE,
      instance_id text NOT NULL,
      rule_id text NOT NULL,
      rule_name text,
      type text NOT NULL,
      state text NOT NULL,
      severity text NOT NULL,
      actor_id text,
      detail jsonb,
      context jsonb,
      summary text,
      trace_id text,
      created_at timestamptz(3) NOT NULL,
      xid xid8 NOT NULL
    );
    COMMENT ON TABLE deleted_check_alert_events IS 'Newest alert_events of deleted checks, with the columns of instance and rule that are shown';
    COMMENT ON COLUMN deleted_check_alert_events.context IS 'of the instance; only with events that show it';
    COMMENT ON COLUMN deleted_check_alert_events.xid IS 'transaction of the event, by which the export knows whether it was sent';
    CREATE INDEX deleted_check_alert_events_to_export ON deleted_check_alert_events (team_id, xid, id);
    CREATE INDEX deleted_check_alert_events_by_team ON deleted_check_alert_events (team_id, created_at DESC, id DESC);
    CREATE INDEX deleted_check_alert_events_by_check ON deleted_check_alert_events (check_key, created_at DESC, id DESC);
    CREATE INDEX deleted_check_alert_events_by_instance ON deleted_check_alert_events (instance_id);
  `);
}
