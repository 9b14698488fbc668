import type { Knex } from "knex";

/**
 * Progress of the merge of hours into parts of their days, and the hours of which results were stored late, so that the feed need not look
 * for such results in every partition. The progress has tables of its own: a release before may still merge whole days on the same
 * database, by `merged_hours` and `unmerged_late_buckets`, which a later release can drop together with the triggers.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE copied_hours (
      hour_ms bigint PRIMARY KEY,
      horizon_xid xid8 NOT NULL DEFAULT pg_current_xact_id(),
      copied_until_key bigint NOT NULL DEFAULT 0,
      is_copied boolean NOT NULL DEFAULT false
    );
    COMMENT ON TABLE copied_hours IS 'Hours of results that are being copied into the part of their day';
    COMMENT ON COLUMN copied_hours.horizon_xid IS 'transactions before it may store results of the hour without marking their bucket';
    COMMENT ON COLUMN copied_hours.copied_until_key IS 'checks up to this key are copied';

    CREATE TABLE late_result_buckets (
      bucket_ms bigint NOT NULL,
      marked_xid xid8 NOT NULL DEFAULT pg_current_xact_id(),
      PRIMARY KEY (bucket_ms, marked_xid)
    );
    COMMENT ON TABLE late_result_buckets IS '5 minute buckets of which a transaction stored results late: to be copied into the part of their day';

    COMMENT ON COLUMN results.xid IS 'transaction that stored the result; null once its hour is merged';

    CREATE TABLE late_hours (
      hour_ms bigint NOT NULL,
      stored_hour_ms bigint NOT NULL,
      PRIMARY KEY (stored_hour_ms, hour_ms)
    );
    COMMENT ON TABLE late_hours IS 'Hours of which results were stored more than ten minutes late, by the hour in which that was';

    CREATE FUNCTION mark_late_results() RETURNS trigger LANGUAGE plpgsql AS $body$
    BEGIN
      INSERT INTO late_result_buckets (bucket_ms, marked_xid) VALUES (NEW.bucket_ms, NEW.marked_xid) ON CONFLICT DO NOTHING;
      RETURN NULL;
    END $body$;
    COMMENT ON FUNCTION mark_late_results IS 'has marks of a release before found by this one';
    CREATE TRIGGER mark_late_results AFTER INSERT ON unmerged_late_buckets FOR EACH ROW EXECUTE FUNCTION mark_late_results();

    CREATE FUNCTION note_late_hour() RETURNS trigger LANGUAGE plpgsql AS $body$
    BEGIN
      INSERT INTO late_hours (hour_ms, stored_hour_ms)
        SELECT NEW.bucket_ms / 3600000 * 3600000, (extract(epoch FROM now()) * 1000)::bigint / 3600000 * 3600000
        WHERE NEW.bucket_ms + 600000 < extract(epoch FROM clock_timestamp()) * 1000 ON CONFLICT DO NOTHING;
      RETURN NEW;
    END $body$;
    COMMENT ON FUNCTION note_late_hour IS 'has late results that a release before stores found by this one';
    CREATE TRIGGER note_late_hour BEFORE INSERT ON rollup_dirty_buckets FOR EACH ROW EXECUTE FUNCTION note_late_hour();

    CREATE FUNCTION refuse_deletion_from_day() RETURNS trigger LANGUAGE plpgsql AS $body$
    BEGIN
      RAISE EXCEPTION 'rows of % are deleted from its hours and parts, by a release that knows them', TG_TABLE_NAME;
    END $body$;
    COMMENT ON FUNCTION refuse_deletion_from_day IS 'keeps a release before from deleting rows by their places, which several tables of a day have';
  `);
}
