import type { Knex } from "knex";

/**
 * Bytes of each entry of the change log, so that the log of a team can be bounded. They lie in the index by team, so that
 * adding them up reads no entry.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE changes ADD COLUMN stored_bytes integer NOT NULL
      GENERATED ALWAYS AS (200 + coalesce(octet_length(name), 0) + octet_length(changed_fields::text)) STORED;
    DROP INDEX changes_by_team;
    CREATE INDEX changes_by_team ON changes (team_id, key DESC) INCLUDE (stored_bytes);
  `);
}
