import type { Knex } from "knex";

/**
 * Alert rules, their instances with events, confirmations under way, baselines; and the indexes that the event feed reads
 * results by. Channels are named by id without a foreign key: who deletes one looks here first.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE alert_rules (
      key bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      id text NOT NULL UNIQUE,
      team_id text NOT NULL REFERENCES teams (id) ON DELETE CASCADE,
      check_key bigint NOT NULL REFERENCES checks (key) ON DELETE CASCADE,
      name text,
      enabled boolean NOT NULL,
      conditions jsonb NOT NULL,
      channel_ids text[] NOT NULL,
      confirm boolean NOT NULL DEFAULT false,
      recovery_successes integer NOT NULL DEFAULT 1,
      revision integer NOT NULL DEFAULT 1,
      changed_xid xid8 NOT NULL DEFAULT pg_current_xact_id(),
      created_at timestamptz(3) NOT NULL DEFAULT now(),
      updated_at timestamptz(3),
      deleted_at timestamptz(3)
    );
    COMMENT ON COLUMN alert_rules.deleted_at IS 'A deleted rule stays as a row (without channels) while its instances name it';
    COMMENT ON COLUMN alert_rules.changed_xid IS 'transaction of the last change: ingest reads what changed since its own snapshot';
    CREATE INDEX alert_rules_by_check ON alert_rules (check_key);
    CREATE INDEX alert_rules_by_change ON alert_rules (changed_xid);
    CREATE INDEX alert_rules_by_channel ON alert_rules USING gin (channel_ids);

    CREATE TABLE alert_instances (
      id text PRIMARY KEY,
      team_id text NOT NULL REFERENCES teams (id) ON DELETE CASCADE,
      rule_key bigint NOT NULL REFERENCES alert_rules (key) ON DELETE CASCADE,
      check_key bigint NOT NULL REFERENCES checks (key) ON DELETE CASCADE,
      state text NOT NULL CHECK (state IN ('active', 'acknowledged', 'recovered', 'resolved')),
      severity text NOT NULL CHECK (severity IN ('critical', 'warning', 'info')),
      triggering_result_id text,
      triggering_trace_id text,
      recovery_result_id text,
      started_at timestamptz(3) NOT NULL,
      acknowledged_at timestamptz(3),
      acknowledged_by text,
      recovered_at timestamptz(3),
      resolved_at timestamptz(3),
      notification_count integer NOT NULL DEFAULT 0,
      was_announced boolean NOT NULL DEFAULT false,
      muted_by text CHECK (muted_by IN ('user', 'window')),
      muted_until timestamptz(3),
      context jsonb NOT NULL
    );
    COMMENT ON COLUMN alert_instances.was_announced IS 'the trigger was put into the outbox: its end is told, too';
    CREATE UNIQUE INDEX alert_instances_one_open ON alert_instances (rule_key) WHERE state IN ('active', 'acknowledged');
    CREATE INDEX alert_instances_open_by_check ON alert_instances (check_key) WHERE state IN ('active', 'acknowledged');
    CREATE INDEX alert_instances_muted ON alert_instances (muted_until)
      WHERE muted_by IS NOT NULL AND state IN ('active', 'acknowledged');
    CREATE INDEX alert_instances_by_team ON alert_instances (team_id, started_at DESC, id DESC);
    CREATE INDEX alert_instances_by_check ON alert_instances (check_key, started_at DESC, id DESC);
    CREATE INDEX alert_instances_by_rule ON alert_instances (rule_key);

    CREATE TABLE alert_events (
      id text PRIMARY KEY,
      team_id text NOT NULL REFERENCES teams (id) ON DELETE CASCADE,
      instance_id text NOT NULL REFERENCES alert_instances (id) ON DELETE CASCADE,
      check_key bigint NOT NULL,
      type text NOT NULL,
      state text NOT NULL,
      severity text NOT NULL,
      actor_id text,
      detail jsonb,
      created_at timestamptz(3) NOT NULL,
      xid xid8 NOT NULL DEFAULT pg_current_xact_id()
    );
    CREATE INDEX alert_events_by_instance ON alert_events (instance_id, created_at);
    CREATE INDEX alert_events_by_team ON alert_events (team_id, created_at DESC, id DESC);
    CREATE INDEX alert_events_by_check ON alert_events (check_key, created_at DESC, id DESC);

    CREATE TABLE alert_confirmations (
      rule_key bigint PRIMARY KEY REFERENCES alert_rules (key) ON DELETE CASCADE,
      check_key bigint NOT NULL,
      slot_ms bigint NOT NULL,
      location_key integer NOT NULL,
      first_slot_ms bigint NOT NULL,
      first_location_key integer NOT NULL,
      first_runner_key integer NOT NULL,
      expires_at timestamptz(3) NOT NULL
    );
    COMMENT ON TABLE alert_confirmations IS 'Failures that a second run shall confirm before they page: slot_ms is that run, first_* the failure';
    CREATE INDEX alert_confirmations_by_check ON alert_confirmations (check_key);
    ALTER TABLE manual_runs ADD COLUMN avoid_runner_keys integer[] NOT NULL DEFAULT '{}';
    ALTER TABLE manual_runs DROP CONSTRAINT manual_runs_reason_check;
    ALTER TABLE manual_runs ADD CONSTRAINT manual_runs_reason_check
      CHECK (reason IN ('triggered', 'first_run', 'confirmation'));
    COMMENT ON COLUMN manual_runs.avoid_runner_keys IS 'others run it, if there are any';

    CREATE TABLE baselines (
      check_key bigint NOT NULL,
      location_key integer NOT NULL,
      metric text NOT NULL,
      hour_of_week smallint NOT NULL,
      sample_count integer NOT NULL,
      mean double precision NOT NULL,
      squares double precision NOT NULL,
      PRIMARY KEY (check_key, location_key, metric, hour_of_week)
    );
    COMMENT ON COLUMN baselines.squares IS 'sum of squared deviations from the mean (Welford)';
    CREATE TABLE baseline_progress (
      check_key bigint NOT NULL REFERENCES checks (key) ON DELETE CASCADE,
      metric text NOT NULL,
      done_until_ms bigint NOT NULL,
      PRIMARY KEY (check_key, metric)
    );

    CREATE INDEX results_failed ON results (check_key, created_at) WHERE status <> 1;
    CREATE INDEX results_late ON results (check_key, created_at)
      WHERE created_at - to_timestamp((slot_ms + start_delay_ms) / 1000.0) > interval '10 minutes';
    COMMENT ON INDEX results_late IS 'the event feed finds all other results by their slot';
    CREATE INDEX result_details_drift ON result_details (check_key, slot_ms) WHERE (detail -> 'mcpSchemaDrift') IS NOT NULL;
  `);
}
