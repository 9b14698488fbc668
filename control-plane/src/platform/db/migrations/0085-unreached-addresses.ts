import type { Knex } from "knex";

/** Addresses of a channel that a mail is still to reach. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE notifications ADD COLUMN unreached text[];
    COMMENT ON COLUMN notifications.unreached IS 'addresses that are still to be reached, while others were; null: nobody was, or none is left';
  `);
}
