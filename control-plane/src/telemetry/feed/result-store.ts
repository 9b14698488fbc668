/**
 * SQL that reads the newest results by creation. Their table is keyed by check, location and slot, and an index on creation
 * would make every insert slower, so two ways lead to them. A result that came in time was created at most LATE_MS after
 * its run began, so it is found by its slot, in windows that grow backwards until they hold enough. Failures and the few
 * late results have small indexes of their own. In both ways the cost follows from the page, not from the history.
 */
import { HOUR_MS, MINUTE_MS, STATUS_CODES, wholeMs } from "@svc/contract";
import type { Knex } from "knex";
import type { CheckLocationSlot } from "../../platform/check-location.ts";
import { perRow } from "../../platform/db/engine-sql.ts";
import { queryRows } from "../../platform/db/rows.ts";
import { FEED_LATE_MS as LATE_MS } from "../../results/ingest/store.ts";
import { hourOf } from "../../results/rollups/buckets.ts";
import type { FeedRequest } from "./request.ts";

/** The key of a result and when it was stored (Unix ms). */
export interface StoredSlot extends CheckLocationSlot {
  createdAtMs: number;
}

/** Largest lead of a runner's clock over the control plane's. */
const AHEAD_MS = 120_000;
const WINDOW_MS_MIN = MINUTE_MS;
/** Factor by which windows grow, so that few of them span weeks without results. */
const GROWTH = 8;

const CREATED_MS = "(extract(epoch FROM r.created_at) * 1000)::bigint";
const IS_LATE = `r.created_at - to_timestamp((r.slot_ms + r.start_delay_ms) / 1000.0) > interval '10 minutes'`;

const CREATED_BETWEEN =
  "r.created_at >= to_timestamp({:createdFromMs} / 1000.0) AND r.created_at < to_timestamp({:createdToMs} / 1000.0)";
const SLOT_COLUMNS = "check_key bigint, location_key integer, slot_ms bigint, created_at_ms bigint";

/** Results to read: all, those that are no success, or successes only. */
export type WantedResults = "all" | "failed" | "completed";

/** Reads the newest results by creation. */
export async function readFeedResults(
  db: Knex,
  request: FeedRequest,
  wanted: WantedResults,
): Promise<StoredSlot[]> {
  if (request.checks.length === 0) return [];
  const inTime = wanted === "failed" ? await readFailed(db, request) : await readInTime(db, request, wanted);
  // A result older than all of a full page can't be on it.
  const oldestMs = inTime.length < request.limit ? request.fromMs : (inTime.at(-1)?.createdAtMs ?? 0);
  const late = await readLate(db, { ...request, fromMs: oldestMs }, wanted);
  return newest([...inTime, ...late], request.limit);
}

function newest(results: StoredSlot[], limit: number): StoredSlot[] {
  return results.sort(byCreation).slice(0, limit);
}

/** Orders by creation, then by key, newest first. */
function byCreation(a: StoredSlot, b: StoredSlot): number {
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

/**
 * Reads results that were stored long after their run, newest first. They are rare, have an index of their own, and the hours that
 * they are of are known.
 */
async function readLate(db: Knex, request: FeedRequest, wanted: WantedResults): Promise<StoredSlot[]> {
  const { checks, fromMs, toMs, limit } = request;
  const hours = await readLateHours(db, fromMs, toMs);
  if (!hours) return [];
  return queryRows(
    db,
    `SELECT n.* FROM unnest(CAST(:checkKeys AS bigint[])) AS c (key)
     CROSS JOIN LATERAL ${perRow(db, {
       as: "n",
       columns: SLOT_COLUMNS,
       select: `SELECT r.check_key, r.location_key, r.slot_ms, ${CREATED_MS} AS created_at_ms
         FROM results r WHERE r.check_key = {c.key} AND ${IS_LATE} ${OF_STATUS[wanted]}
           AND ${CREATED_BETWEEN} AND r.slot_ms BETWEEN {:slotFrom} AND {:slotTo}
         ORDER BY r.created_at DESC LIMIT {:limit}`,
     })}
     ORDER BY created_at_ms DESC LIMIT :limit`,
    {
      checkKeys: checks.map(({ key }) => key),
      slotFrom: wholeMs(hours.firstMs),
      slotTo: wholeMs(hours.lastMs + HOUR_MS - 1),
      createdFromMs: wholeMs(fromMs),
      createdToMs: wholeMs(toMs + 1),
      limit,
    },
  );
}

/** Reads the first and the last hour of which results were stored late in a range of time, Unix ms; undefined: none were. */
async function readLateHours(
  db: Knex,
  fromMs: number,
  toMs: number,
): Promise<{ firstMs: number; lastMs: number } | undefined> {
  const [row] = await queryRows<{ firstMs: number | null; lastMs: number }>(
    db,
    // Instants are stored rounded to ms: one of the first moments of an hour may have been stored at the end of the one before.
    "SELECT min(hour_ms) AS first_ms, max(hour_ms) AS last_ms FROM late_hours WHERE stored_hour_ms BETWEEN ? AND ?",
    [hourOf(fromMs) - HOUR_MS, wholeMs(toMs)],
  );
  return row && row.firstMs !== null ? { firstMs: row.firstMs, lastMs: row.lastMs } : undefined;
}

/** Reads failures that came in time by their index, newest first. */
function readFailed(db: Knex, request: FeedRequest): Promise<StoredSlot[]> {
  const { checks, fromMs, toMs, limit } = request;
  const slotFroms = checks.map(({ periodMsMax }) => fromMs - LATE_MS - periodMsMax);
  return queryRows(
    db,
    `SELECT n.* FROM unnest(CAST(:checkKeys AS bigint[])) AS c (key)
     CROSS JOIN LATERAL ${perRow(db, {
       as: "n",
       columns: SLOT_COLUMNS,
       select: `SELECT r.check_key, r.location_key, r.slot_ms, ${CREATED_MS} AS created_at_ms
         FROM results r WHERE r.check_key = {c.key} AND r.status <> ${STATUS_CODES.success} AND NOT (${IS_LATE})
           AND ${CREATED_BETWEEN} AND r.slot_ms >= {:slotFrom} AND r.slot_ms <= {:slotTo}
         ORDER BY r.created_at DESC LIMIT {:limit}`,
     })}
     ORDER BY created_at_ms DESC, slot_ms DESC, check_key DESC, location_key DESC LIMIT :limit`,
    {
      checkKeys: checks.map(({ key }) => key),
      slotFrom: wholeMs(slotFroms.reduce((min, slotMs) => Math.min(min, slotMs), toMs)),
      slotTo: wholeMs(toMs + AHEAD_MS),
      createdFromMs: wholeMs(fromMs),
      createdToMs: wholeMs(toMs + 1),
      limit,
    },
  );
}

/** Reads by the slots of windows of time, newest window first, until there are enough. */
async function readInTime(db: Knex, request: FeedRequest, wanted: WantedResults): Promise<StoredSlot[]> {
  const found: StoredSlot[] = [];
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

/** Returns a window of whole ms that holds enough results, judging by the checks' frequencies. */
function firstWindowMs({ checks, limit }: FeedRequest): number {
  const slotsPerSecond = checks.reduce((sum, check) => sum + check.slotsPerSecond, 0);
  return slotsPerSecond === 0
    ? WINDOW_MS_MIN
    : Math.max(WINDOW_MS_MIN, Math.ceil((1_200 * limit) / slotsPerSecond));
}

/**
 * Reads the results that were created in the window, and in time. Their slots lie before the window by at most their
 * lateness and their stagger.
 */
function readWindow(db: Knex, request: FeedRequest, wanted: WantedResults): Promise<StoredSlot[]> {
  const { checks, fromMs, toMs, limit } = request;
  const searches = checks.flatMap(({ key, locationKeys, periodMsMax }) =>
    locationKeys.map((locationKey) => ({ key, locationKey, slotFrom: fromMs - LATE_MS - periodMsMax })),
  );
  return queryRows(
    db,
    `SELECT n.* FROM unnest(CAST(:checkKeys AS bigint[]), CAST(:locationKeys AS integer[]), CAST(:slotFroms AS bigint[]))
       AS p (check_key, location_key, slot_from)
     CROSS JOIN LATERAL ${perRow(db, {
       as: "n",
       columns: SLOT_COLUMNS,
       select: `SELECT r.check_key, r.location_key, r.slot_ms, ${CREATED_MS} AS created_at_ms
         FROM results r WHERE r.check_key = {p.check_key} AND r.location_key = {p.location_key}
           AND r.slot_ms >= {p.slot_from} AND r.slot_ms >= {:slotFrom} AND r.slot_ms <= {:slotTo}
           AND ${CREATED_BETWEEN} AND NOT (${IS_LATE})
           ${OF_STATUS[wanted]}
         ORDER BY r.slot_ms DESC OFFSET 0`,
     })}
     ORDER BY created_at_ms DESC, slot_ms DESC, check_key DESC, location_key DESC LIMIT :limit`,
    {
      checkKeys: searches.map(({ key }) => key),
      locationKeys: searches.map(({ locationKey }) => locationKey),
      slotFroms: searches.map(({ slotFrom }) => wholeMs(slotFrom)),
      slotFrom: wholeMs(searches.reduce((min, { slotFrom }) => Math.min(min, slotFrom), toMs)),
      slotTo: wholeMs(toMs + AHEAD_MS),
      // Creation is compared in whole ms, so the bound is the end of the last ms.
      createdFromMs: wholeMs(fromMs),
      createdToMs: wholeMs(toMs + 1),
      limit,
    },
  );
}

/** Reads the newest results that report a change of an MCP server. */
export async function readFeedDrifts(db: Knex, request: FeedRequest): Promise<StoredSlot[]> {
  const { checks, fromMs, toMs, limit } = request;
  if (checks.length === 0) return [];
  const drifts = await queryRows<StoredSlot>(
    db,
    `SELECT n.* FROM unnest(CAST(:checkKeys AS bigint[]), CAST(:slotFroms AS bigint[])) AS c (key, slot_from)
     CROSS JOIN LATERAL ${perRow(db, {
       as: "n",
       columns: SLOT_COLUMNS,
       select: `SELECT d.check_key, d.location_key, d.slot_ms, r.created_ms AS created_at_ms
         FROM (SELECT check_key, location_key, slot_ms FROM result_details
               WHERE check_key = {c.key} AND (detail -> 'mcpSchemaDrift') IS NOT NULL
                 AND slot_ms >= {c.slot_from} AND slot_ms >= {:slotFrom} AND slot_ms <= {:slotTo}
               ORDER BY slot_ms DESC LIMIT {:limit}) d
         CROSS JOIN LATERAL (
           SELECT ${CREATED_MS} AS created_ms FROM results r WHERE r.check_key = {c.key}
             AND r.location_key = d.location_key AND r.slot_ms = d.slot_ms AND r.slot_ms >= {:slotFrom} AND r.slot_ms <= {:slotTo}
             AND ${CREATED_BETWEEN} OFFSET 0) r`,
     })}
     ORDER BY created_at_ms DESC LIMIT :limit`,
    {
      checkKeys: checks.map(({ key }) => key),
      slotFroms: checks.map(({ periodMsMax }) => wholeMs(fromMs - LATE_MS - periodMsMax)),
      slotFrom: wholeMs(
        checks.reduce((min, { periodMsMax }) => Math.min(min, fromMs - LATE_MS - periodMsMax), toMs),
      ),
      slotTo: wholeMs(toMs + AHEAD_MS),
      createdFromMs: wholeMs(fromMs),
      createdToMs: wholeMs(toMs + 1),
      limit,
    },
  );
  return newest(drifts, limit);
}
