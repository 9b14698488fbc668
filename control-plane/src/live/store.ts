/**
 * SQL of the live stream. Ingest does nothing for it: whatever another replica stored is found by indexes that exist for other
 * reasons, and costs what changed, not what is stored.
 */
import { type CheckId, HOUR_MS, MINUTE_MS, STATUS_CODES, type TeamId, wholeMs } from "@svc/contract";
import type { Knex } from "knex";
import { perRow } from "../platform/db/engine-sql.ts";
import { queryRows } from "../platform/db/rows.ts";
import { healthMsSql, newestResults } from "../results/newest-range.ts";
import { newestRangeOfPage } from "../results/newest-range-store.ts";
import type { AwaitedResult, CheckLocationState, StoredResult } from "./watched-checks.ts";

/** Largest lead of a runner's clock over the control plane's. */
const AHEAD_MS = 2 * MINUTE_MS;
/** Slots of failures that are looked for: later results of older slots are found when all is read again. */
const FAILURE_SLOTS_MS = HOUR_MS;
/** Time before the last look within which a transaction may have begun that has committed only since. */
const COMMIT_MS_MAX = 5_000;
/** Failures of a check that one look finds, the newest first. */
const FAILURES_OF_CHECK_MAX = 50;

/** Columns of a {@link StoredResult}. */
const STORED_COLUMNS =
  "check_key bigint, location_key integer, slot_ms bigint, status smallint, response_time_us integer";

/** A part of a team's checks. */
export interface ChecksPart {
  /** The check before the part, in the order of the list of checks. */
  after: { createdAt: string; checkKey: number } | undefined;
  /** Ids of the checks to read; absent: all. */
  ids?: readonly CheckId[];
  limit: number;
  /** Unix ms. */
  nowMs: number;
}

/** Reads how a part of the team's checks stands: each of their locations with its newest result, as lists of checks tell it. */
export async function readCheckStates(
  db: Knex,
  teamId: TeamId,
  { after, ids, limit, nowMs }: ChecksPart,
): Promise<(CheckLocationState & { createdAt: string })[]> {
  const page = `FROM checks WHERE team_id = :teamId
         ${ids ? "AND id = ANY(:ids)" : ""}
         ${after ? "AND (created_at, key) < (CAST(:createdAt AS timestamptz), :checkKey)" : ""}
       ORDER BY created_at DESC, key DESC LIMIT :limit`;
  const bindings = { teamId, limit, ...(ids && { ids: [...ids] }), ...after };
  const range = await newestRangeOfPage(db, { checks: `SELECT frequency_seconds ${page}`, bindings }, nowMs);
  return queryRows(
    db,
    `SELECT c.id AS check_id, c.key AS check_key, c.created_at, c.enabled AS is_enabled, c.recent_from AS recent_from_ms,
       l.id AS location_id, l.key AS location_key, n.slot_ms, n.status, n.response_time_us
     FROM (SELECT key, id, created_at, enabled, location_ids, frequency_seconds,
         :nowMs - ${healthMsSql("frequency_seconds")} AS recent_from
       ${page}) c
     LEFT JOIN LATERAL (SELECT key, id FROM locations WHERE id = ANY (c.location_ids)) l ON true
     LEFT JOIN LATERAL ${perRow(db, {
       as: "n",
       columns: "slot_ms bigint, status smallint, response_time_us integer",
       select: newestResults(range, {
         columns: "slot_ms, status, response_time_us",
         checkKey: "c.key",
         locationKey: "l.key",
         frequencySeconds: "c.frequency_seconds",
       }),
     })} ON n.slot_ms >= c.recent_from
     ORDER BY c.created_at DESC, c.key DESC`,
    { ...bindings, nowMs: wholeMs(nowMs), ...range },
  );
}

/**
 * Reads the failures of checks that were stored within the last `sinceMs`, and in the moments before, in which a transaction may
 * have begun. Uses the index of failures, which the event feed reads, too.
 */
export function readNewFailures(
  db: Knex,
  checkKeys: readonly number[],
  { sinceMs, nowMs }: { sinceMs: number; nowMs: number },
): Promise<StoredResult[]> {
  if (checkKeys.length === 0) return Promise.resolve([]);
  return queryRows(
    db,
    `SELECT n.* FROM unnest(CAST(:checkKeys AS bigint[])) AS c (key)
     CROSS JOIN LATERAL ${perRow(db, {
       as: "n",
       columns: STORED_COLUMNS,
       select: `SELECT r.check_key, r.location_key, r.slot_ms, r.status, r.response_time_us FROM results r
         WHERE r.check_key = {c.key} AND r.status <> ${STATUS_CODES.success}
           AND r.created_at >= now() - CAST({:reachMs} AS double precision) * interval '1 ms'
           AND r.slot_ms >= {:slotFrom} AND r.slot_ms <= {:slotTo}
         ORDER BY r.created_at DESC LIMIT ${FAILURES_OF_CHECK_MAX}`,
     })}`,
    {
      checkKeys: `{${checkKeys.join(",")}}`,
      reachMs: wholeMs(Math.ceil(sinceMs) + COMMIT_MS_MAX),
      slotFrom: wholeMs(nowMs - FAILURE_SLOTS_MS),
      slotTo: wholeMs(nowMs + AHEAD_MS),
    },
  );
}

/** Reads the newest result of each of these check locations that is later than what is known. */
export function readAwaited(
  db: Knex,
  awaited: readonly AwaitedResult[],
  nowMs: number,
): Promise<StoredResult[]> {
  if (awaited.length === 0) return Promise.resolve([]);
  const list = (values: readonly number[]) => `{${values.join(",")}}`;
  return queryRows(
    db,
    `SELECT n.* FROM unnest(CAST(:checkKeys AS bigint[]), CAST(:locationKeys AS integer[]), CAST(:afters AS bigint[]))
       AS p (check_key, location_key, after_slot)
     CROSS JOIN LATERAL ${perRow(db, {
       as: "n",
       columns: STORED_COLUMNS,
       select: `SELECT check_key, location_key, slot_ms, status, response_time_us FROM results
         WHERE check_key = {p.check_key} AND location_key = {p.location_key} AND slot_ms > {p.after_slot}
           AND slot_ms > {:slotFrom} AND slot_ms <= {:slotTo}
         ORDER BY slot_ms DESC LIMIT 1`,
     })}`,
    {
      checkKeys: list(awaited.map(({ checkKey }) => checkKey)),
      locationKeys: list(awaited.map(({ locationKey }) => locationKey)),
      afters: list(awaited.map(({ afterSlotMs }) => Math.floor(afterSlotMs))),
      slotFrom: wholeMs(
        awaited.reduce((min, { afterSlotMs }) => Math.min(min, afterSlotMs), Number.MAX_SAFE_INTEGER),
      ),
      slotTo: wholeMs(nowMs + AHEAD_MS),
    },
  );
}
