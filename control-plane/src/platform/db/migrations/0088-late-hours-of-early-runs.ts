import type { Knex } from "knex";

/**
 * Notes hours of late results from nine minutes after a bucket's begin on: a result is late ten minutes after its run began, and a run may
 * begin a minute before its slot. The refusal to delete rows of a day says what to do.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE OR REPLACE FUNCTION note_late_hour() RETURNS trigger LANGUAGE plpgsql AS $body$
    BEGIN
      INSERT INTO late_hours (hour_ms, stored_hour_ms)
        SELECT NEW.bucket_ms / 3600000 * 3600000, (extract(epoch FROM now()) * 1000)::bigint / 3600000 * 3600000
        WHERE NEW.bucket_ms + 540000 < extract(epoch FROM clock_timestamp()) * 1000 ON CONFLICT DO NOTHING;
      RETURN NEW;
    END $body$;

    CREATE OR REPLACE FUNCTION refuse_deletion_from_day() RETURNS trigger LANGUAGE plpgsql AS $body$
    BEGIN
      RAISE EXCEPTION 'rows of % are deleted from its hours and parts, by a release that knows them', TG_TABLE_NAME
        USING HINT = 'Stop the replicas of the release before; those of the new one delete what is due.';
    END $body$;
  `);
}
