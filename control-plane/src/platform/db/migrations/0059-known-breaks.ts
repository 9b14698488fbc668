import type { Knex } from "knex";

/**
 * The breaks that are known already: the newest session of each runner. A migration of its own, since the one before locks the
 * runners for its reference to them.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    INSERT INTO runner_breaks (location_key, runner_key, from_ms, until_ms)
    SELECT p.location_key, p.runner_key, s.at_ms, s.at_ms
    FROM runner_presence p JOIN runners r ON r.key = p.runner_key
    CROSS JOIN LATERAL (SELECT (extract(epoch FROM r.connected_at) * 1000)::bigint AS at_ms) s
    WHERE s.at_ms > p.from_ms AND s.at_ms <= p.until_ms
    ON CONFLICT DO NOTHING
  `);
}
