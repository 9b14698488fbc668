import type { Knex } from "knex";

/** The runners of a key are counted whenever one of them connects, and the oldest lost ones are forgotten. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw("CREATE INDEX runners_by_key ON runners (runner_key_id, lease_until)");
}
