import type { Knex } from "knex";

export const config = { transaction: false };

/** A report finds its check by the hash of its token. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw("DROP INDEX CONCURRENTLY IF EXISTS checks_by_push_token"); // An invalid one that a failure left.
  await knex.raw(`
    CREATE UNIQUE INDEX CONCURRENTLY checks_by_push_token ON checks (push_token_hash)
      WHERE push_token_hash IS NOT NULL
  `);
}
