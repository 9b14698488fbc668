/** SQL of the circumstances from which it follows why a slot has no result: who was there to run it, and whether we were. */
import { wholeMs } from "@svc/contract";
import type { Knex } from "knex";
import { LEASE_MS } from "../../fleet/timing.ts";
import { queryRows } from "../../platform/db/rows.ts";
import type { MissingReasonInput, Presence } from "./missing-reason.ts";
import type { TimeRange } from "./time-range.ts";

/** Times of runners and of the service itself. */
export type Circumstances = Pick<MissingReasonInput, "presences" | "outages">;

/**
 * Reads the presences of runners at the locations that touch the range, both ends included, or ended within a lease before: the
 * slots that fell due since were still theirs. And the times in the range at which a replica could read no changes.
 */
export async function readCircumstances(
  db: Knex,
  locationKeys: readonly number[],
  range: TimeRange,
): Promise<Circumstances> {
  return {
    presences: await readPresences(db, locationKeys, range),
    outages: await readOutages(db, range),
  };
}

async function readPresences(
  db: Knex,
  locationKeys: readonly number[],
  { fromMs, toMs }: TimeRange,
): Promise<Presence[]> {
  const rows = await queryRows<Omit<Presence, "breaks"> & { breaks: [string, string][] }>(
    db,
    `SELECT p.location_key, p.from_ms, p.until_ms, p.capabilities,
       ARRAY(SELECT ARRAY[b.from_ms, b.until_ms] FROM runner_breaks b
             WHERE b.location_key = p.location_key AND b.runner_key = p.runner_key
               AND b.from_ms BETWEEN p.from_ms AND p.until_ms AND b.until_ms >= :fromMs AND b.from_ms <= :toMs
             ORDER BY b.from_ms) AS breaks
     FROM runner_presence p
     WHERE p.location_key = ANY(:locationKeys) AND p.from_ms <= :toMs AND p.until_ms >= :fromMs`,
    { locationKeys, fromMs: wholeMs(fromMs - LEASE_MS), toMs: wholeMs(toMs) },
  );
  return rows.map(({ breaks, ...presence }) => ({
    ...presence,
    breaks: breaks.map(([brokeMs, againMs]) => [Number(brokeMs), Number(againMs)]),
  }));
}

function readOutages(db: Knex, { fromMs, toMs }: TimeRange): Promise<TimeRange[]> {
  return queryRows(
    db,
    "SELECT from_ms, until_ms AS to_ms FROM service_outages WHERE from_ms <= :toMs AND until_ms >= :fromMs",
    { fromMs: wholeMs(fromMs), toMs: wholeMs(toMs) },
  );
}
