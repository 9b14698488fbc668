import type { Knex } from "knex";

/** When sessions broke within a presence, and when a replica did not get to its database: why a slot is missing follows from both. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE runner_breaks (
      location_key integer NOT NULL,
      runner_key integer NOT NULL,
      from_ms bigint NOT NULL,
      until_ms bigint NOT NULL,
      PRIMARY KEY (location_key, runner_key, from_ms)
    );
    COMMENT ON TABLE runner_breaks IS 'When a runner lost its session within its presence: why a slot is missing is read from it';
    COMMENT ON COLUMN runner_breaks.runner_key IS 'May be gone: a reference would lock the runners while this migration reads them';
    COMMENT ON COLUMN runner_breaks.until_ms IS 'Begin of the last of the sessions that followed each other within a grace';
    INSERT INTO runner_breaks (location_key, runner_key, from_ms, until_ms)
    SELECT p.location_key, p.runner_key, s.at_ms, s.at_ms
    FROM runner_presence p JOIN runners r ON r.key = p.runner_key
    CROSS JOIN LATERAL (SELECT (extract(epoch FROM r.connected_at) * 1000)::bigint AS at_ms) s
    WHERE s.at_ms > p.from_ms AND s.at_ms <= p.until_ms;

    CREATE TABLE service_outages (
      replica_id text NOT NULL,
      from_ms bigint NOT NULL,
      until_ms bigint NOT NULL,
      PRIMARY KEY (replica_id, from_ms)
    );
    COMMENT ON TABLE service_outages IS 'When a replica could read no changes: a runner hears of no slot meanwhile';
  `);
}
