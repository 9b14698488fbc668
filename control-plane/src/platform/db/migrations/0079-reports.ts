import type { Knex } from "knex";

/** Counts of days for monthly reports, which outlive results, schedules and the checks themselves, and who is sent the reports. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE report_months (
      team_id text NOT NULL REFERENCES teams (id) ON DELETE CASCADE,
      month text NOT NULL,
      counted_days integer NOT NULL,
      check_count integer NOT NULL DEFAULT 0,
      expected bigint NOT NULL DEFAULT 0,
      received bigint NOT NULL DEFAULT 0,
      success bigint NOT NULL DEFAULT 0,
      sent_at timestamptz(3),
      PRIMARY KEY (team_id, month)
    );
    COMMENT ON COLUMN report_months.counted_days IS 'bit n - 1 is set: day n was counted';
    COMMENT ON COLUMN report_months.check_count IS 'with the columns after it the sums of report_days, so that a list of months is cheap';
    COMMENT ON COLUMN report_months.sent_at IS 'when its notifications were written; null: they were not';
    CREATE INDEX report_months_by_month ON report_months (month);

    CREATE TABLE report_checks (
      team_id text NOT NULL REFERENCES teams (id) ON DELETE CASCADE,
      month text NOT NULL,
      check_key bigint NOT NULL,
      check_id text NOT NULL,
      name text NOT NULL,
      labels text[] NOT NULL,
      PRIMARY KEY (team_id, month, check_key)
    );
    COMMENT ON TABLE report_checks IS 'Checks as they were when their last day of the month was counted; deleted ones stay';

    CREATE TABLE report_days (
      team_id text NOT NULL REFERENCES teams (id) ON DELETE CASCADE,
      day_ms bigint NOT NULL,
      check_key bigint NOT NULL,
      expected integer NOT NULL,
      received integer NOT NULL,
      success integer NOT NULL,
      given_back integer NOT NULL,
      in_maintenance integer NOT NULL,
      PRIMARY KEY (team_id, day_ms, check_key)
    );
    CREATE INDEX report_days_by_day ON report_days USING brin (day_ms);
    COMMENT ON COLUMN report_days.in_maintenance IS 'slots within maintenance windows; the other columns count none of these';

    CREATE TABLE report_slo_days (
      team_id text NOT NULL REFERENCES teams (id) ON DELETE CASCADE,
      day_ms bigint NOT NULL,
      slo_key bigint NOT NULL,
      slo_id text NOT NULL,
      name text NOT NULL,
      check_name text,
      sli_type text NOT NULL,
      target_basis_points integer NOT NULL,
      total integer NOT NULL,
      good integer NOT NULL,
      PRIMARY KEY (team_id, day_ms, slo_key)
    );

    CREATE TABLE report_subscriptions (
      team_id text PRIMARY KEY REFERENCES teams (id) ON DELETE CASCADE,
      channel_ids text[] NOT NULL,
      updated_at timestamptz(3) NOT NULL
    );
    COMMENT ON TABLE report_subscriptions IS 'Channels that are sent the report of each month; no row: none';
  `);
}
