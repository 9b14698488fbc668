import type { Knex } from "knex";

/**
 * Measures the entries of the change log that are older than the column for their bytes, under locks of these rows
 * only: the log is read and written meanwhile. Nothing is left to do where an unreleased version of migration 0027 made
 * the column a generated one, which can't be written.
 */
export async function up(knex: Knex): Promise<void> {
  const { rows } = await knex.raw(`
    SELECT attgenerated = '' AS "isPlain" FROM pg_attribute
    WHERE attrelid = 'changes'::regclass AND attname = 'stored_bytes'`);
  if (rows[0].isPlain)
    await knex.raw(`
      UPDATE changes
      SET stored_bytes = 200 + coalesce(octet_length(name), 0) + octet_length(changed_fields::text)
      WHERE stored_bytes = 0`);
}
