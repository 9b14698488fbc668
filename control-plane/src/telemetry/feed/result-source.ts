/**
 * Results as the feed needs them: newest by creation. Their table is keyed by check, location and slot, and an index on
 * creation would cost every insert, so two ways lead to them. A result that came in time was created at most LATE_MS after
 * its run began, so it is found by its slot, in windows that grow backwards until they hold enough; failures, and the few
 * late results, have small indexes of their own. Either way what is read depends on what is asked for, not on the history.
 */
import { MINUTE_MS, STATUS_CODES } from "@svc/contract";
import type { Knex } from "knex";
import { queryRows } from "../../platform/db/rows.ts";
import type { FeedRequest } from "./source.ts";

/** Where a result lies, and when it was stored. */
export interface ResultPlace {
  checkKey: number;
  locationKey: number;
  slotMs: number;
  createdAtMs: number;
}

/** As in the index results_late: a result stored later than this after its run began is late. */
const LATE_MS = 600_000;
/** A runner's clock may be ahead of ours. */
const AHEAD_MS = 120_000;
const WINDOW_MS_MIN = MINUTE_MS;
/** Windows grow by this factor, so that a team that was silent for weeks takes few of them. */
const GROWTH = 8;

const CREATED_MS = "(extract(epoch FROM r.created_at) * 1000)::bigint";
const IS_LATE = `r.created_at - to_timestamp((r.slot_ms + r.start_delay_ms) / 1000.0) > interval '10 minutes'`;

export type WantedResults = "all" | "failed" | "completed";

/** The newest results by creation. */
export async function readFeedResults(
  db: Knex,
  request: FeedRequest,
  wanted: WantedResults,
): Promise<ResultPlace[]> {
  if (request.checks.length === 0) return [];
  const inTime = wanted === "failed" ? await readFailed(db, request) : await readInTime(db, request, wanted);
  // Whatever is older than a full page can't be on it.
  const oldestMs = inTime.length < request.limit ? request.fromMs : (inTime.at(-1)?.createdAtMs ?? 0);
  const late = await readLate(db, { ...request, fromMs: oldestMs }, wanted);
  return newest([...inTime, ...late], request.limit);
}

export function newest(places: ResultPlace[], limit: number): ResultPlace[] {
  return places.sort(byCreation).slice(0, limit);
}

/** By creation, then by what their ids say. */
function byCreation(a: ResultPlace, b: ResultPlace): number {
  return (
    b.createdAtMs - a.createdAtMs ||
    b.slotMs - a.slotMs ||
    b.checkKey - a.checkKey ||
    b.locationKey - a.locationKey
  );
}

const OF_STATUS: Record<WantedResults, string> = {
  all: "",
  failed: `AND r.status <> ${STATUS_CODES.success}`,
  completed: `AND r.status = ${STATUS_CODES.success}`,
};

/** Results that were stored long after their run: rare, with an index of their own; per check, newest first. */
function readLate(db: Knex, request: FeedRequest, wanted: WantedResults): Promise<ResultPlace[]> {
  const { checks, fromMs, toMs, limit } = request;
  return queryRows(
    db,
    `SELECT n.* FROM unnest(CAST(:checkKeys AS bigint[])) AS c (key)
     CROSS JOIN LATERAL (
       SELECT r.check_key, r.location_key, r.slot_ms, ${CREATED_MS} AS created_at_ms
       FROM results r WHERE r.check_key = c.key AND ${IS_LATE} ${OF_STATUS[wanted]}
         AND r.created_at >= :from AND r.created_at < :to AND r.slot_ms <= :slotTo
       ORDER BY r.created_at DESC LIMIT :limit) n
     ORDER BY created_at_ms DESC LIMIT :limit`,
    {
      checkKeys: checks.map(({ key }) => key),
      slotTo: toMs + AHEAD_MS,
      ...{ from: new Date(fromMs), to: new Date(toMs + 1), limit },
    },
  );
}

/** Failures that came in time, by their index; per check, newest first. */
function readFailed(db: Knex, request: FeedRequest): Promise<ResultPlace[]> {
  const { checks, fromMs, toMs, limit } = request;
  const slotFroms = checks.map(({ periodMsMax }) => fromMs - LATE_MS - periodMsMax);
  return queryRows(
    db,
    `SELECT n.* FROM unnest(CAST(:checkKeys AS bigint[])) AS c (key)
     CROSS JOIN LATERAL (
       SELECT r.check_key, r.location_key, r.slot_ms, ${CREATED_MS} AS created_at_ms
       FROM results r WHERE r.check_key = c.key AND r.status <> ${STATUS_CODES.success} AND NOT (${IS_LATE})
         AND r.created_at >= :from AND r.created_at < :to AND r.slot_ms >= :slotFrom AND r.slot_ms <= :slotTo
       ORDER BY r.created_at DESC LIMIT :limit) n
     ORDER BY created_at_ms DESC, slot_ms DESC, check_key DESC, location_key DESC LIMIT :limit`,
    {
      checkKeys: checks.map(({ key }) => key),
      slotFrom: slotFroms.reduce((min, slotMs) => Math.min(min, slotMs), toMs),
      slotTo: toMs + AHEAD_MS,
      ...{ from: new Date(fromMs), to: new Date(toMs + 1), limit },
    },
  );
}

/** By the slots of windows of time, newest window first, until there are enough. */
async function readInTime(db: Knex, request: FeedRequest, wanted: WantedResults): Promise<ResultPlace[]> {
  const found: ResultPlace[] = [];
  let toMs = request.toMs;
  let widthMs = firstWindowMs(request);
  while (toMs >= request.fromMs && found.length < request.limit) {
    const fromMs = Math.max(request.fromMs, toMs - widthMs);
    const window = { ...request, fromMs, toMs, limit: request.limit - found.length };
    found.push(...(await readWindow(db, window, wanted)));
    toMs = fromMs - 1;
    widthMs *= GROWTH;
  }
  return found;
}

/** Long enough to hold what is asked for, by the checks' frequencies. */
function firstWindowMs({ checks, limit }: FeedRequest): number {
  const slotsPerSecond = checks.reduce((sum, check) => sum + check.slotsPerSecond, 0);
  return slotsPerSecond === 0 ? WINDOW_MS_MIN : Math.max(WINDOW_MS_MIN, (1_200 * limit) / slotsPerSecond);
}

/** Results created in the window and in time. Their slots lie no further back than their lateness and their stagger. */
function readWindow(db: Knex, request: FeedRequest, wanted: WantedResults): Promise<ResultPlace[]> {
  const { checks, fromMs, toMs, limit } = request;
  const places = checks.flatMap(({ key, locationKeys, periodMsMax }) =>
    locationKeys.map((locationKey) => ({ key, locationKey, slotFrom: fromMs - LATE_MS - periodMsMax })),
  );
  return queryRows(
    db,
    `SELECT n.* FROM unnest(CAST(:checkKeys AS bigint[]), CAST(:locationKeys AS integer[]), CAST(:slotFroms AS bigint[]))
       AS p (check_key, location_key, slot_from)
     CROSS JOIN LATERAL (
       SELECT r.check_key, r.location_key, r.slot_ms, ${CREATED_MS} AS created_at_ms
       FROM results r WHERE r.check_key = p.check_key AND r.location_key = p.location_key
         AND r.slot_ms >= p.slot_from AND r.slot_ms >= :slotFrom AND r.slot_ms <= :slotTo
         AND r.created_at >= :from AND r.created_at < :to AND NOT (${IS_LATE})
         ${OF_STATUS[wanted]}
       ORDER BY r.slot_ms DESC OFFSET 0) n
     ORDER BY created_at_ms DESC, slot_ms DESC, check_key DESC, location_key DESC LIMIT :limit`,
    {
      checkKeys: places.map(({ key }) => key),
      locationKeys: places.map(({ locationKey }) => locationKey),
      slotFroms: places.map(({ slotFrom }) => slotFrom),
      slotFrom: places.reduce((min, { slotFrom }) => Math.min(min, slotFrom), toMs),
      slotTo: toMs + AHEAD_MS,
      // Whole milliseconds, as they are compared: to the end of the last one.
      ...{ from: new Date(fromMs), to: new Date(toMs + 1), limit },
    },
  );
}

/** The newest results that show a change of an MCP server. */
export function readFeedDrifts(db: Knex, request: FeedRequest): Promise<ResultPlace[]> {
  const { checks, fromMs, toMs, limit } = request;
  if (checks.length === 0) return Promise.resolve([]);
  return queryRows(
    db,
    `SELECT n.* FROM unnest(CAST(:checkKeys AS bigint[]), CAST(:slotFroms AS bigint[])) AS c (key, slot_from)
     CROSS JOIN LATERAL (
       SELECT d.check_key, d.location_key, d.slot_ms, r.created_ms AS created_at_ms
       FROM (SELECT check_key, location_key, slot_ms FROM result_details
             WHERE check_key = c.key AND (detail -> 'mcpSchemaDrift') IS NOT NULL
               AND slot_ms >= c.slot_from AND slot_ms >= :slotFrom AND slot_ms <= :slotTo
             ORDER BY slot_ms DESC LIMIT :limit) d
       CROSS JOIN LATERAL (
         SELECT ${CREATED_MS} AS created_ms FROM results r WHERE r.check_key = d.check_key
           AND r.location_key = d.location_key AND r.slot_ms = d.slot_ms AND r.slot_ms >= :slotFrom AND r.slot_ms <= :slotTo
           AND r.created_at >= :from AND r.created_at < :to OFFSET 0) r) n
     ORDER BY created_at_ms DESC LIMIT :limit`,
    {
      checkKeys: checks.map(({ key }) => key),
      slotFroms: checks.map(({ periodMsMax }) => fromMs - LATE_MS - periodMsMax),
      slotFrom: checks.reduce((min, { periodMsMax }) => Math.min(min, fromMs - LATE_MS - periodMsMax), toMs),
      slotTo: toMs + AHEAD_MS,
      ...{ from: new Date(fromMs), to: new Date(toMs + 1), limit },
    },
  );
}
