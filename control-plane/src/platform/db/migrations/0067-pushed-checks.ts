import type { Knex } from "knex";

/** Checks that report by themselves: the token of their URL, when the next report is expected, and what is to be stored. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE checks ADD COLUMN push_token_hash bytea, ADD COLUMN push_token_sealed bytea;
    COMMENT ON COLUMN checks.push_token_hash IS 'SHA-256 of the token by which a pushed check reports; NULL: it is probed';

    CREATE TABLE push_expectations (
      check_key bigint PRIMARY KEY REFERENCES checks (key) ON DELETE CASCADE,
      counted_from_ms bigint NOT NULL,
      expected_ms bigint NOT NULL,
      overdue_ms bigint NOT NULL,
      run_started_ms bigint,
      newest_slot_ms bigint NOT NULL
    );
    COMMENT ON TABLE push_expectations IS 'When the next report of a pushed check is expected, and when it is overdue';
    CREATE INDEX push_expectations_by_overdue ON push_expectations (overdue_ms);

    CREATE TABLE push_outcomes (
      check_key bigint NOT NULL REFERENCES checks (key) ON DELETE CASCADE,
      slot_ms bigint NOT NULL,
      outcome jsonb NOT NULL,
      created_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
      PRIMARY KEY (check_key, slot_ms)
    );
    COMMENT ON TABLE push_outcomes IS 'Reports and overdue instants on their way to ingest; a row ends with its result';
    CREATE INDEX push_outcomes_by_age ON push_outcomes (created_at);
  `);
}
