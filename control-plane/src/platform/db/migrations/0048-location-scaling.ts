import type { Knex } from "knex";

/** How many runners each location wants, with what the next number depends on: every replica answers from here. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE location_scaling (
      location_key integer PRIMARY KEY REFERENCES locations (key) ON DELETE CASCADE,
      wanted integer NOT NULL,
      live integer NOT NULL,
      state jsonb NOT NULL,
      computed_at timestamptz(3) NOT NULL
    );
    COMMENT ON TABLE location_scaling IS 'Wanted and live runners of locations, for autoscalers';
    COMMENT ON COLUMN location_scaling.state IS 'Scaling of contract/src/capacity/wanted.ts';
    COMMENT ON COLUMN location_scaling.computed_at IS 'By the clock of the database: an old one is not answered';
  `);
}
