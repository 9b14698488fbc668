import type { Knex } from "knex";

/** Evidence by which outages of locations last or end, and since when held alerts wait for an incident. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE location_outages ADD COLUMN reached_since timestamptz(3), ADD COLUMN networks text[] NOT NULL DEFAULT '{}';
    COMMENT ON COLUMN location_outages.reached_since IS 'since when networks are reached again; null while it lasts, or nothing is known';
    COMMENT ON COLUMN location_outages.networks IS 'networks that were unreached when it was last found to last';
    ALTER TABLE location_holds ADD COLUMN queued_at timestamptz(3);
    COMMENT ON COLUMN location_holds.queued_at IS 'when the alert began to wait for an incident of its location; null: it never did';
  `);
}
