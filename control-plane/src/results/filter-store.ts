/** SQL of filtered lists of results: the hours that have matching results, and the keys of those. */
import { HOUR_MS, type LocationId, type ResultStatus, STATUS_CODES, wholeMs } from "@svc/contract";
import type { Knex } from "knex";
import { sentAlong } from "../platform/db/engine-sql.ts";
import { queryRows } from "../platform/db/rows.ts";
import type { TimeRange } from "./coverage/time-range.ts";
import { hourOf } from "./rollups/buckets.ts";
import { LOCATIONS_OF_CHECK, type LocationSlot, REVISIONS_OF_CHECK } from "./store.ts";

/** Conditions that all hold for the results of a list. */
interface ResultConditions {
  status?: ResultStatus | undefined;
  locationId?: LocationId | undefined;
  category?: string | undefined;
  slowerThanMs?: number | undefined;
}

/** The part of a filtered list to find. */
export interface FilteredPart extends TimeRange {
  conditions: ResultConditions;
  limit: number;
  /** The result before the part; absent: the part begins with the newest. */
  after?: LocationSlot | undefined;
}

const OF_LOCATION = "l.location_key = (SELECT key FROM locations WHERE id = :locationId)";
const NAMED_LOCATION = "SELECT key, id FROM locations WHERE id = :locationId";

/**
 * Reads the hours of the range that may have matching results, newest first, Unix ms. An hour that is not rolled up, or not
 * since a late result, may have some.
 */
export async function readMatchingHours(
  db: Knex,
  checkKey: number,
  { conditions, fromMs, toMs }: Omit<FilteredPart, "limit">,
): Promise<number[]> {
  const { status, category, slowerThanMs, locationId } = conditions;
  const hasSome = [
    "true",
    status && `${status}_count > 0`,
    category && "failure_count + error_count + timeout_count > 0",
    slowerThanMs !== undefined && "response_time_max_us > CAST(:slowerThanMs AS bigint) * 1000",
  ].filter(Boolean);
  const rows = await queryRows<{ hourMs: number }>(
    db,
    `${sentAlong(db, {
      check_revisions: REVISIONS_OF_CHECK,
      rollup_dirty_buckets:
        "SELECT bucket_ms FROM rollup_dirty_buckets WHERE bucket_ms >= :fromMs AND bucket_ms < :toMs",
      job_progress: "SELECT job, done_until_ms FROM job_progress",
      ...(locationId && { locations: NAMED_LOCATION }),
    })}SELECT r.bucket_ms AS hour_ms FROM (${LOCATIONS_OF_CHECK}) l
     JOIN rollups r ON r.bucket_seconds = ${HOUR_MS / 1000} AND r.check_key = :checkKey AND r.location_key = l.location_key
       AND r.bucket_ms >= :fromMs AND r.bucket_ms < :toMs
     WHERE ${hasSome.join(" AND ")} ${locationId ? `AND ${OF_LOCATION}` : ""}
     UNION
     SELECT bucket_ms / ${HOUR_MS} * ${HOUR_MS} FROM rollup_dirty_buckets WHERE bucket_ms >= :fromMs AND bucket_ms < :toMs
     UNION
     SELECT generate_series(greatest(CAST(:fromMs AS bigint), coalesce(
       (SELECT done_until_ms / ${HOUR_MS} * ${HOUR_MS} FROM job_progress WHERE job = 'rollups'), :fromMs)),
       CAST(:toMs AS bigint) - 1, ${HOUR_MS})
     ORDER BY hour_ms DESC`,
    {
      checkKey,
      fromMs: wholeMs(hourOf(fromMs)),
      toMs: wholeMs(toMs),
      ...(slowerThanMs !== undefined && { slowerThanMs: wholeMs(slowerThanMs) }),
      ...(locationId && { locationId }),
    },
  );
  return rows.map(({ hourMs }) => hourMs);
}

/** Reads the keys of the matching results in these hours, newest slot first, then by location. */
export function readMatchingKeys(
  db: Knex,
  checkKey: number,
  { conditions, hoursMs, after, fromMs, toMs, limit }: FilteredPart & { hoursMs: readonly number[] },
): Promise<LocationSlot[]> {
  const { status, category, slowerThanMs, locationId } = conditions;
  const matches = [
    "r.check_key = :checkKey AND r.location_key = l.location_key",
    `r.slot_ms >= h.hour_ms AND r.slot_ms < h.hour_ms + ${HOUR_MS}`,
    "r.slot_ms >= :fromMs AND r.slot_ms < :toMs",
    // Of one slot, the locations with larger keys follow.
    after &&
      "r.slot_ms <= CAST(:afterSlot AS bigint) - CASE WHEN l.location_key > :afterLocation THEN 0 ELSE 1 END",
    status && "r.status = :status",
    slowerThanMs !== undefined && "r.response_time_us > CAST(:slowerThanMs AS bigint) * 1000",
    category && `r.status <> ${STATUS_CODES.success}`,
  ].filter(Boolean);
  const ofCategory = `EXISTS (SELECT FROM result_details d WHERE d.check_key = :checkKey
      AND d.location_key = r.location_key AND d.slot_ms = r.slot_ms AND d.slot_ms >= :fromMs AND d.slot_ms < :toMs
      AND d.detail ->> 'errorCategory' = :category)`;
  return queryRows(
    db,
    `${sentAlong(db, {
      check_revisions: REVISIONS_OF_CHECK,
      ...(locationId && { locations: NAMED_LOCATION }),
    })}SELECT n.location_key, n.slot_ms FROM (${LOCATIONS_OF_CHECK}) l
     CROSS JOIN unnest(CAST(:hourSlots AS bigint[])) AS h (hour_ms)
     CROSS JOIN LATERAL (SELECT r.location_key, r.slot_ms FROM results r WHERE ${matches.join(" AND ")}
       ${category ? `AND ${ofCategory}` : ""} ORDER BY r.slot_ms DESC LIMIT :limit) n
     ${locationId ? `WHERE ${OF_LOCATION}` : ""}
     ORDER BY n.slot_ms DESC, n.location_key LIMIT :limit`,
    {
      checkKey,
      limit,
      fromMs: wholeMs(Math.max(fromMs, hoursMs.at(-1) ?? 0)),
      toMs: wholeMs(Math.min(toMs, (hoursMs[0] ?? 0) + HOUR_MS)),
      hourSlots: hoursMs.map(wholeMs),
      ...(after && { afterSlot: wholeMs(after.slotMs), afterLocation: after.locationKey }),
      ...(status && { status: STATUS_CODES[status] }),
      ...(category && { category }),
      ...(slowerThanMs !== undefined && { slowerThanMs: wholeMs(slowerThanMs) }),
      ...(locationId && { locationId }),
    },
  );
}
