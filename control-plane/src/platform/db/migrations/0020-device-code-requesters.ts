import type { Knex } from "knex";

/** The address from which a sign-in of the command line was asked for: the person who decides sees it. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`ALTER TABLE device_codes ADD COLUMN client_address text`);
}
