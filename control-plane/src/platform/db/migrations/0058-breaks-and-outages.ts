import type { Knex } from "knex";

/** When sessions broke within a presence, and when a replica did not get to its database: why a slot is missing follows from both. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE runner_breaks (
      location_key integer NOT NULL,
      runner_key integer NOT NULL REFERENCES runners (key) ON DELETE CASCADE,
      from_ms bigint NOT NULL,
      until_ms bigint NOT NULL,
      PRIMARY KEY (location_key, runner_key, from_ms)
    );
    COMMENT ON TABLE runner_breaks IS 'When a runner lost its session within its presence: why a slot is missing is read from it';
    COMMENT ON COLUMN runner_breaks.until_ms IS 'Begin of the last of the sessions that followed each other within a grace';

    CREATE TABLE service_outages (
      replica_id text NOT NULL,
      from_ms bigint NOT NULL,
      until_ms bigint NOT NULL,
      PRIMARY KEY (replica_id, from_ms)
    );
    COMMENT ON TABLE service_outages IS 'When a replica could read no changes: a runner hears of no slot meanwhile';
  `);
}
