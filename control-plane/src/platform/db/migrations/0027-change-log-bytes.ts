import type { Knex } from "knex";

/**
 * Adds the bytes of each entry of the change log, so that the log of a team can be bounded. They lie in the index by
 * team, so that adding them up reads no entry. A trigger measures new entries. The column begins with a constant, since
 * a generated column would rewrite the whole table while nobody can use it; migration 0035 measures older entries.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE changes ADD COLUMN stored_bytes integer NOT NULL DEFAULT 0;
    DROP INDEX changes_by_team;
    CREATE INDEX changes_by_team ON changes (team_id, key DESC) INCLUDE (stored_bytes);
    CREATE FUNCTION measure_change() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        NEW.stored_bytes := 200 + coalesce(octet_length(NEW.name), 0) + octet_length(NEW.changed_fields::text);
        RETURN NEW;
      END $$;
    CREATE TRIGGER measure_change BEFORE INSERT ON changes FOR EACH ROW EXECUTE FUNCTION measure_change();
  `);
}
