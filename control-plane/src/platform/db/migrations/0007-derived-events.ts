import type { Knex } from "knex";

/**
 * Events of a team beside results, alert instances and maintenance windows (which have tables of their own): SLO
 * warnings, incidents, deployments, certificates, drift, correlations. Telemetry is exported from here.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE derived_events (
      id text PRIMARY KEY,
      team_id text NOT NULL REFERENCES teams (id) ON DELETE CASCADE,
      name text NOT NULL,
      severity text NOT NULL CHECK (severity IN ('critical', 'warning', 'info')),
      check_id text,
      resource_attributes jsonb NOT NULL,
      attributes jsonb NOT NULL,
      trace_id text,
      occurred_at timestamptz(3) NOT NULL,
      created_at timestamptz(3) NOT NULL DEFAULT now(),
      xid xid8 NOT NULL DEFAULT pg_current_xact_id()
    );
    COMMENT ON COLUMN derived_events.name IS 'of the log record, e.g. synthetics.slo.budget.warning';
    COMMENT ON COLUMN derived_events.check_id IS 'of check-scoped events: whose labels become resource attributes';
    COMMENT ON COLUMN derived_events.xid IS 'transaction: exporters read behind the snapshot horizon, so that late commits are not skipped';
    CREATE INDEX derived_events_by_team ON derived_events (team_id, xid, id);
    CREATE INDEX derived_events_by_age ON derived_events (created_at);
  `);
}
