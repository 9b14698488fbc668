/** SQL that reads results by their keys, and the newest of each check location. Keys are found in keys-store.ts. */
import {
  type CheckId,
  HOUR_MS,
  type LocationId,
  RESULT_COLUMNS,
  STATUS_CODES,
  type TeamId,
  wholeMs,
} from "@svc/contract";
import type { Knex } from "knex";
import { perRow, sentAlong } from "../platform/db/engine-sql.ts";
import { queryRows } from "../platform/db/rows.ts";
import { slotBindings } from "../platform/db/slot-bindings.ts";
import { traceIdSql } from "../platform/db/trace-id-sql.ts";
import type { ListPart } from "../platform/http/record-list.ts";
import { healthMsSql, newestResults } from "./newest-range.ts";
import { newestRangeOfPage } from "./newest-range-store.ts";
import { PACKED_FIELD } from "./packed-assertions.ts";
import type { ResultOwner, ResultRow } from "./row.ts";

/** Selects every location that the check ever had; results are stored for no others. */
export const LOCATIONS_OF_CHECK =
  "SELECT DISTINCT unnest(location_keys) AS location_key FROM check_revisions WHERE check_key = :checkKey";

/** Selects what {@link LOCATIONS_OF_CHECK} reads, for `sentAlong`. */
export const REVISIONS_OF_CHECK =
  "SELECT check_key, location_keys FROM check_revisions WHERE check_key = :checkKey";

/** The columns of a result, but for its check, which the reader names. */
const READ_COLUMNS = RESULT_COLUMNS.filter(({ name }) => name !== "checkKey")
  .map(({ name, sqlName }) =>
    name === "traceId"
      ? `${traceIdSql({ result: "r", checkId: "CAST(:checkId AS text)", locationId: "l.id" })} AS trace_id`
      : `r.${sqlName}`,
  )
  .join(", ");

/** The key of a result among those of one check. */
export interface LocationSlot {
  locationKey: number;
  slotMs: number;
}

/** The rows of the coordinator that the rows of a page name. */
const NAMES_OF_ROWS = {
  locations: "SELECT key, id FROM locations WHERE key = ANY(CAST(:locationKeys AS bigint[]))",
  runners: `SELECT key, id FROM runners WHERE key IN (SELECT runner_key FROM results WHERE check_key = :checkKey
    AND location_key = ANY(CAST(:locationKeys AS bigint[])) AND slot_ms = ANY(CAST(:slots AS bigint[])))`,
  manual_runs:
    "SELECT check_key, slot_ms, reason FROM manual_runs WHERE check_key = :checkKey AND slot_ms = ANY(CAST(:slots AS bigint[]))",
};

/**
 * Reads the rows with these keys, in their order. The bounds let the planner leave out all partitions but those of the
 * page. OFFSET 0 keeps it from turning look-ups by key into a scan, which it would choose for a table without statistics.
 */
export async function readResultRows(
  db: Knex,
  check: Pick<ResultOwner, "key" | "id">,
  { keys, withDetail }: { keys: readonly LocationSlot[]; withDetail: boolean },
): Promise<ResultRow[]> {
  if (keys.length === 0) return [];
  return queryRows(
    db,
    `${sentAlong(db, NAMES_OF_ROWS)}SELECT ${READ_COLUMNS}, l.id AS location_id, n.id AS runner_id, m.reason AS ordered_for, d.detail ->> 'errorCategory' AS error_category,
       d.detail ->> 'errorMessage' AS error_message, ${withDetail ? "d.detail" : "NULL AS detail"}
     FROM unnest(CAST(:locationKeys AS bigint[]), CAST(:slots AS bigint[])) WITH ORDINALITY
       AS k (location_key, slot_ms, ordinal)
     CROSS JOIN LATERAL (SELECT * FROM results WHERE check_key = :checkKey AND location_key = k.location_key
       AND slot_ms = k.slot_ms AND slot_ms BETWEEN :minSlot AND :maxSlot OFFSET 0) r
     JOIN locations l ON l.key = r.location_key
     LEFT JOIN runners n ON n.key = r.runner_key
     LEFT JOIN manual_runs m ON m.check_key = :checkKey AND m.slot_ms = k.slot_ms
     LEFT JOIN LATERAL (SELECT detail FROM result_details WHERE check_key = :checkKey
       AND location_key = k.location_key AND slot_ms = k.slot_ms
       AND slot_ms BETWEEN :minSlot AND :maxSlot OFFSET 0) d ON true
     ORDER BY k.ordinal`,
    {
      checkKey: check.key,
      checkId: check.id,
      locationKeys: keys.map((key) => key.locationKey),
      ...slotBindings(keys),
    },
  );
}

/** A success before a result, at its location, that kept the results of its assertions. */
export interface KeptAssertionsRow {
  locationKey: number;
  /** Slot of the result that kept none. */
  slotMs: number;
  keptSlotMs: number;
  keptStartDelayMs: number;
  /** The results in their short form. */
  packed: string;
}

/** Time before a success within which one kept the results of its assertions: an agent keeps those of one in each hour. */
const KEPT_REACH_MS = 2 * HOUR_MS;

/**
 * Reads, for successes without results of assertions, the newest success before each that kept some. Nearly always that is the
 * newest row of details before the slot, since the first success after a failure keeps them.
 */
export async function readKeptAssertions(
  db: Knex,
  checkKey: number,
  keys: readonly LocationSlot[],
): Promise<KeptAssertionsRow[]> {
  if (keys.length === 0) return [];
  return queryRows(
    db,
    `SELECT k.location_key, k.slot_ms, n.slot_ms AS kept_slot_ms, n.start_delay_ms AS kept_start_delay_ms, n.packed
     FROM unnest(CAST(:locationKeys AS bigint[]), CAST(:slots AS bigint[])) AS k (location_key, slot_ms)
     CROSS JOIN LATERAL (SELECT d.slot_ms, r.start_delay_ms, d.detail ->> '${PACKED_FIELD}' AS packed
       FROM result_details d
       JOIN results r ON r.check_key = d.check_key AND r.location_key = d.location_key AND r.slot_ms = d.slot_ms
       WHERE d.check_key = :checkKey AND d.location_key = k.location_key AND r.status = :success
         AND d.slot_ms < k.slot_ms AND d.slot_ms >= k.slot_ms - ${KEPT_REACH_MS}
         AND d.slot_ms BETWEEN CAST(:minSlot AS bigint) - ${KEPT_REACH_MS} AND :maxSlot
         AND r.slot_ms BETWEEN CAST(:minSlot AS bigint) - ${KEPT_REACH_MS} AND :maxSlot
         AND (d.detail -> '${PACKED_FIELD}') IS NOT NULL
       ORDER BY d.slot_ms DESC LIMIT 1) n`,
    {
      checkKey,
      success: STATUS_CODES.success,
      locationKeys: keys.map((key) => key.locationKey),
      ...slotBindings(keys),
    },
  );
}

/**
 * A recent result of one of a team's checks; `slotMs` is null in the one row of a check location without results,
 * `locationId` also in that of a check without locations.
 */
export interface RecentResultRow {
  checkId: CheckId;
  checkKey: number;
  /** Creation of the check. */
  createdAt: string;
  locationId: LocationId | null;
  locationKey: number | null;
  slotMs: number | null;
  status: number;
  responseTimeUs: number;
}

/** A part of the list of checks, and how many results of each of their locations. */
interface RecentResultsPart extends ListPart {
  /** Only these checks; absent: all. */
  ids?: readonly CheckId[] | undefined;
  count: number;
  /** Unix ms. */
  nowMs: number;
}

/**
 * Reads the newest `count` results of each location where a page of the team's checks runs, per location newest first, the
 * checks in the order of their list. Results that are older than {@link healthMsSql} says are left out, so that only the newest
 * partitions are read.
 */
export async function readRecentResults(
  db: Knex,
  teamId: TeamId,
  { after, rowsMax, offset, ids, count, nowMs }: RecentResultsPart,
): Promise<RecentResultRow[]> {
  const page = `FROM checks WHERE team_id = :teamId
         ${ids ? "AND id = ANY(:ids)" : ""}
         ${after ? "AND (created_at, key) < (CAST(:createdAt AS timestamptz), :key)" : ""}
       ORDER BY created_at DESC, key DESC LIMIT :rowsMax OFFSET :offset`;
  const bindings = {
    teamId,
    rowsMax,
    offset,
    ...(ids && { ids: [...ids] }),
    ...(after && { createdAt: after[0], key: after[1] }),
  };
  const range = await newestRangeOfPage(db, { checks: `SELECT frequency_seconds ${page}`, bindings }, nowMs);
  return queryRows(
    db,
    `SELECT c.id AS check_id, c.key AS check_key, c.created_at, l.id AS location_id, l.key AS location_key,
       n.slot_ms, n.status, n.response_time_us
     FROM (SELECT key, id, created_at, location_ids, frequency_seconds ${page}) c
     LEFT JOIN LATERAL (SELECT key, id FROM locations WHERE id = ANY (c.location_ids)) l ON true
     LEFT JOIN LATERAL ${perRow(db, {
       as: "n",
       columns: "slot_ms bigint, status smallint, response_time_us integer",
       select: newestResults(range, {
         columns: "slot_ms, status, response_time_us",
         checkKey: "c.key",
         locationKey: "l.key",
         frequencySeconds: "c.frequency_seconds",
         limit: "{:count}",
       }),
     })} ON n.slot_ms >= :nowMs - ${healthMsSql("c.frequency_seconds")}
     ORDER BY c.created_at DESC, c.key DESC, l.id, n.slot_ms DESC`,
    { ...bindings, count, nowMs: wholeMs(nowMs), ...range },
  );
}
