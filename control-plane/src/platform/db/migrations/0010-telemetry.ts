import type { Knex } from "knex";

/**
 * OpenTelemetry export: settings, positions, which results are to be exported; certificates and correlations as they were
 * last told of.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE telemetry_settings (
      key bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      id text NOT NULL UNIQUE REFERENCES teams (id) ON DELETE CASCADE,
      endpoint text,
      protocol text NOT NULL,
      headers bytea,
      enabled boolean NOT NULL,
      traces boolean NOT NULL,
      metrics boolean NOT NULL,
      ca_certificate text,
      last_tested_at timestamptz(3),
      created_at timestamptz(3) NOT NULL DEFAULT now(),
      updated_at timestamptz(3),
      CHECK (NOT enabled OR endpoint IS NOT NULL)
    );
    COMMENT ON COLUMN telemetry_settings.id IS 'the team';
    COMMENT ON COLUMN telemetry_settings.headers IS 'names and values as JSON, encrypted as a whole';

    CREATE TABLE telemetry_exports (
      team_id text NOT NULL REFERENCES telemetry_settings (id) ON DELETE CASCADE,
      signal text NOT NULL CHECK (signal IN ('logs', 'traces', 'metrics')),
      results_xid xid8 NOT NULL,
      results_id text NOT NULL DEFAULT '',
      results_taken integer NOT NULL DEFAULT 0,
      derived_xid xid8 NOT NULL,
      derived_id text NOT NULL DEFAULT '',
      alerts_xid xid8 NOT NULL,
      alerts_id text NOT NULL DEFAULT '',
      maintenance_xid xid8 NOT NULL,
      maintenance_id text NOT NULL DEFAULT '',
      leased_by text,
      lease_until timestamptz(3),
      retry_at timestamptz(3),
      failures integer NOT NULL DEFAULT 0,
      last_success_at timestamptz(3),
      last_error_at timestamptz(3),
      last_error text,
      exported_records bigint NOT NULL DEFAULT 0,
      rejected_records bigint NOT NULL DEFAULT 0,
      dropped_records bigint NOT NULL DEFAULT 0,
      PRIMARY KEY (team_id, signal)
    );
    COMMENT ON TABLE telemetry_exports IS 'How far each signal of a team is exported: per source the last row, by transaction and id';
    COMMENT ON COLUMN telemetry_exports.results_taken IS 'results already exported of the row after results_id';

    CREATE TABLE telemetry_results (
      id text PRIMARY KEY,
      team_id text NOT NULL,
      check_keys bigint[] NOT NULL,
      location_keys integer[] NOT NULL,
      slots_ms bigint[] NOT NULL,
      created_at timestamptz(3) NOT NULL DEFAULT now(),
      xid xid8 NOT NULL DEFAULT pg_current_xact_id()
    );
    COMMENT ON TABLE telemetry_results IS 'Results to be exported: one row per team and transaction of ingest, for teams that export';
    CREATE INDEX telemetry_results_by_team ON telemetry_results (team_id, xid, id);

    CREATE INDEX alert_events_to_export ON alert_events (team_id, xid, id);
    CREATE INDEX maintenance_events_to_export ON maintenance_events (team_id, xid, id);

    CREATE TABLE tracked_certificates (
      check_key bigint NOT NULL,
      host text NOT NULL,
      team_id text NOT NULL REFERENCES teams (id) ON DELETE CASCADE,
      views jsonb NOT NULL DEFAULT '{}',
      warned jsonb NOT NULL DEFAULT '{}',
      warn_at timestamptz(3),
      PRIMARY KEY (check_key, host)
    );
    COMMENT ON COLUMN tracked_certificates.views IS 'by location key, the certificate it saw last';
    COMMENT ON COLUMN tracked_certificates.warned IS 'by fingerprint, the smallest threshold in days that was told';
    COMMENT ON COLUMN tracked_certificates.warn_at IS 'when a threshold is crossed next; NULL: all were told';
    CREATE INDEX tracked_certificates_to_warn ON tracked_certificates (warn_at);

    CREATE TABLE correlated_dependencies (
      team_id text NOT NULL REFERENCES teams (id) ON DELETE CASCADE,
      dependency text NOT NULL,
      last_seen_at timestamptz(3) NOT NULL,
      PRIMARY KEY (team_id, dependency)
    );
    COMMENT ON TABLE correlated_dependencies IS 'Third parties that several checks failed on; quiet for 5 minutes ends an episode';
  `);
}
