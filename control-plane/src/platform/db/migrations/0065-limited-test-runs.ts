import type { Knex } from "knex";

export const config = { transaction: false };

/** Test runs with limits wait under a phase of their own, which replicas of earlier versions don't know. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw("DROP INDEX CONCURRENTLY IF EXISTS test_run_locations_unsent_limited"); // An invalid one that a failure left.
  await knex.raw(`
    CREATE INDEX CONCURRENTLY test_run_locations_unsent_limited ON test_run_locations (test_run_key)
      WHERE phase = 'ordered_limited' AND runner_key IS NULL
  `);
}
