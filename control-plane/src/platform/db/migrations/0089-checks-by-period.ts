import type { Knex } from "knex";

export const config = { transaction: false };

/** The longest period of a team's checks is found without reading them all. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw("DROP INDEX CONCURRENTLY IF EXISTS checks_by_period"); // An invalid one that a failure left.
  await knex.raw("CREATE INDEX CONCURRENTLY checks_by_period ON checks (team_id, frequency_seconds)");
}
