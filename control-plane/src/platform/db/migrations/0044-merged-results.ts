import type { Knex } from "knex";

/** The hours of results that are merged into the partitions of their days. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE results ALTER COLUMN xid DROP NOT NULL;
    COMMENT ON COLUMN results.xid IS 'transaction that stored the result; null once its day is merged';

    CREATE TABLE merged_hours (
      hour_ms bigint PRIMARY KEY,
      horizon_xid xid8 NOT NULL DEFAULT pg_current_xact_id(),
      copied_until_key bigint NOT NULL DEFAULT 0,
      is_copied boolean NOT NULL DEFAULT false
    );
    COMMENT ON TABLE merged_hours IS 'Hours of results that are being copied into the partition of their day';
    COMMENT ON COLUMN merged_hours.horizon_xid IS 'transactions before it may store results of the hour without marking their bucket';
    COMMENT ON COLUMN merged_hours.copied_until_key IS 'checks up to this key are copied';

    CREATE TABLE unmerged_late_buckets (
      bucket_ms bigint NOT NULL,
      marked_xid xid8 NOT NULL DEFAULT pg_current_xact_id(),
      PRIMARY KEY (bucket_ms, marked_xid)
    );
    COMMENT ON TABLE unmerged_late_buckets IS '5 minute buckets of which a transaction stored results late: to be copied into the partition of their day';
  `);
}
