import type { Knex } from "knex";

/**
 * Service level objectives, with the counts that their status is read from beside the rollups, and deployment markers.
 * The rules that an SLO generates carry its key; the unique index is what keeps them from being there twice.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE deployments (
      key bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      id text NOT NULL UNIQUE,
      team_id text NOT NULL REFERENCES teams (id) ON DELETE CASCADE,
      service text NOT NULL,
      version text NOT NULL,
      environment text,
      commit_sha text,
      commit_message text,
      deployed_by text,
      source text,
      created_at timestamptz(3) NOT NULL
    );
    CREATE INDEX deployments_by_team ON deployments (team_id, created_at DESC, key DESC);

    CREATE TABLE slos (
      key bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      id text NOT NULL UNIQUE,
      team_id text NOT NULL REFERENCES teams (id) ON DELETE CASCADE,
      check_key bigint REFERENCES checks (key) ON DELETE CASCADE,
      name text NOT NULL,
      slo_type text NOT NULL CHECK (slo_type IN ('check', 'third_party')),
      pattern_id text,
      sli_type text NOT NULL CHECK (sli_type IN ('availability', 'performance')),
      perf_threshold_ms integer,
      scope text NOT NULL CHECK (scope IN ('check', 'team')),
      target_basis_points integer NOT NULL CHECK (target_basis_points BETWEEN 1 AND 9999),
      window_days integer NOT NULL CHECK (window_days IN (7, 14, 30)),
      burn_rate_alerts_enabled boolean NOT NULL,
      channel_ids text[] NOT NULL,
      enabled boolean NOT NULL,
      burning text[] NOT NULL DEFAULT '{}',
      created_at timestamptz(3) NOT NULL DEFAULT now(),
      updated_at timestamptz(3),
      CHECK ((scope = 'check') = (check_key IS NOT NULL)),
      CHECK ((sli_type = 'performance') = (perf_threshold_ms IS NOT NULL))
    );
    COMMENT ON COLUMN slos.burning IS 'the burn-rate thresholds it is above, each of which was told in an event';
    CREATE INDEX slos_by_team ON slos (team_id, created_at DESC, key DESC);
    CREATE INDEX slos_by_check ON slos (check_key);
    CREATE INDEX slos_by_channel ON slos USING gin (channel_ids);

    ALTER TABLE alert_rules ADD COLUMN slo_key bigint REFERENCES slos (key) ON DELETE SET NULL;
    ALTER TABLE alert_rules ADD COLUMN slo_pace text CHECK (slo_pace IN ('fast', 'slow'));
    COMMENT ON COLUMN alert_rules.slo_key IS 'the SLO that generated the rule; NULL: a person wrote it';
    CREATE UNIQUE INDEX alert_rules_by_slo ON alert_rules (slo_key, slo_pace) WHERE deleted_at IS NULL;

    CREATE TABLE performance_thresholds (
      check_key bigint NOT NULL REFERENCES checks (key) ON DELETE CASCADE,
      threshold_ms integer NOT NULL,
      counted_from_ms bigint,
      is_complete boolean NOT NULL DEFAULT false,
      PRIMARY KEY (check_key, threshold_ms)
    );
    COMMENT ON TABLE performance_thresholds IS 'Which response times of which checks are counted beside the rollups';
    COMMENT ON COLUMN performance_thresholds.counted_from_ms IS 'rolled up buckets from here on are counted; NULL: none yet';
    COMMENT ON COLUMN performance_thresholds.is_complete IS 'all results that were kept when counting began are counted';

    CREATE TABLE performance_rollups (
      bucket_seconds integer NOT NULL CHECK (bucket_seconds IN (300, 3600)),
      bucket_ms bigint NOT NULL,
      check_key bigint NOT NULL,
      threshold_ms integer NOT NULL,
      good_count integer NOT NULL,
      PRIMARY KEY (bucket_seconds, check_key, threshold_ms, bucket_ms)
    );
    COMMENT ON TABLE performance_rollups IS 'Beside rollups, over all locations: successes within a threshold of response time';
    CREATE INDEX performance_rollups_by_bucket ON performance_rollups USING brin (bucket_ms);

    CREATE TABLE kept_results (
      check_key bigint NOT NULL,
      location_key integer NOT NULL,
      slot_ms bigint NOT NULL,
      response_time_us integer NOT NULL,
      status smallint NOT NULL,
      PRIMARY KEY (check_key, location_key, slot_ms)
    );
    COMMENT ON TABLE kept_results IS 'Of results whose day is gone: those of 5 minute buckets that lie in a maintenance window only in part';
    CREATE INDEX kept_results_by_slot ON kept_results USING brin (slot_ms);

    CREATE INDEX maintenance_windows_by_team ON maintenance_windows (team_id);
  `);
}
