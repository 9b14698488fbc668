/** SQL of the times at which runners were there, and of the breaks of their sessions within them. */
import type { Knex } from "knex";
import { GRACE_MS, LEASE_MS } from "../fleet/timing.ts";

const NOW_MS = "(extract(epoch FROM clock_timestamp()) * 1000)::bigint";

/** A new session of a runner, as far as its presence depends on it. */
export interface PresentRunner {
  runnerKey: number;
  locationKeys: readonly number[];
  capabilities: readonly string[];
  /** True when the process is that of the runner's session before. */
  isSameProcess: boolean;
}

/**
 * Continues the runner's presence or begins a new one. A process that connects again was alive all the time, however long
 * its stream was gone; another process continues the presence only within a lease. A presence that is continued gets a break:
 * from the end of the lease, or from now if that lasts, until now. Breaks that lie no further apart than a grace become one,
 * so that an agent that connects all the time writes few rows, and none is overlooked: a slot waits for longer than a grace.
 */
export async function continuePresence(trx: Knex, runner: PresentRunner): Promise<void> {
  await trx.raw(
    `WITH now AS MATERIALIZED (SELECT ${NOW_MS} AS ms),
     newest AS MATERIALIZED (
       SELECT p.location_key, p.from_ms, p.until_ms FROM runner_presence p, now
       WHERE p.runner_key = :runnerKey AND p.location_key = ANY(:locationKeys) AND p.capabilities = CAST(:capabilities AS text[])
         AND (CAST(:isSameProcess AS boolean) OR p.until_ms >= now.ms - CAST(:leaseMs AS bigint))
         AND p.from_ms = (SELECT max(q.from_ms) FROM runner_presence q
                          WHERE q.location_key = p.location_key AND q.runner_key = p.runner_key)
     ), continued AS (
       UPDATE runner_presence p SET until_ms = now.ms FROM newest n, now
       WHERE p.runner_key = :runnerKey AND p.location_key = n.location_key AND p.from_ms = n.from_ms
     ), begun AS (
       INSERT INTO runner_presence (runner_key, location_key, capabilities, from_ms, until_ms)
       SELECT :runnerKey, l.location_key, CAST(:capabilities AS text[]), now.ms, now.ms
       FROM unnest(CAST(:locationKeys AS integer[])) AS l (location_key), now
       WHERE l.location_key NOT IN (SELECT location_key FROM newest)
       ON CONFLICT DO NOTHING
     ), broken AS (
       SELECT n.location_key, least(now.ms, n.until_ms + CAST(:leaseMs AS bigint)) AS from_ms, now.ms AS until_ms FROM newest n, now
     ), joined AS (
       UPDATE runner_breaks k SET until_ms = b.until_ms FROM broken b
       WHERE k.runner_key = :runnerKey AND k.location_key = b.location_key AND k.until_ms >= b.from_ms - CAST(:graceMs AS bigint)
         AND k.from_ms = (SELECT max(q.from_ms) FROM runner_breaks q
                          WHERE q.location_key = k.location_key AND q.runner_key = k.runner_key)
       RETURNING k.location_key
     )
     INSERT INTO runner_breaks (location_key, runner_key, from_ms, until_ms)
     SELECT b.location_key, :runnerKey, b.from_ms, b.until_ms FROM broken b
     WHERE b.location_key NOT IN (SELECT location_key FROM joined)
     ON CONFLICT DO NOTHING`,
    { ...runner, leaseMs: LEASE_MS, graceMs: GRACE_MS },
  );
}
