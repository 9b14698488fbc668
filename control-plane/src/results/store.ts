/**
 * Reading results. The table's only index is its key (check, location, slot) per daily partition, so each location of the
 * check is read backwards from its newest slot and the locations are merged; a page costs what it skips and shows,
 * whatever the history. The keys of a page come from the index alone, its rows are fetched afterwards.
 */
import type { Knex } from "knex";
import { queryRows } from "../db/rows.ts";
import type { ResultRow } from "./row.ts";

/** Where every location that the check ever had is read from: results are stored for no others. */
const LOCATIONS_OF_CHECK =
  "SELECT DISTINCT unnest(location_keys) AS location_key FROM check_revisions WHERE check_key = :checkKey";

/** Whole evidence, or only what a list shows of it. */
const detailColumn = (withDetail: boolean) => (withDetail ? "d.detail" : "NULL AS detail");

/**
 * Rows for keys named k. OFFSET 0 keeps the planner from turning 50 look-ups by key into a scan of the partitions, which
 * it would choose on a table it has no statistics of.
 */
const rowsOfKeys = (withDetail: boolean) => `
  SELECT r.slot_ms AS "slotMs", r.location_key AS "locationKey", l.id AS "locationId", r.trace_id AS "traceId",
    r.start_delay_ms AS "startDelayMs", r.elapsed_us AS "elapsedUs", r.response_time_us AS "responseTimeUs",
    r.dns_lookup_us AS "dnsLookupUs", r.tcp_connect_us AS "tcpConnectUs", r.tls_handshake_us AS "tlsHandshakeUs",
    r.ttfb_us AS "ttfbUs", r.content_transfer_us AS "contentTransferUs", r.http_status_code AS "httpStatusCode", r.status,
    d.detail ->> 'errorCategory' AS "errorCategory", d.detail ->> 'errorMessage' AS "errorMessage",
    ${detailColumn(withDetail)}
  FROM k
  CROSS JOIN LATERAL (SELECT * FROM results
    WHERE check_key = :checkKey AND location_key = k.location_key AND slot_ms = k.slot_ms OFFSET 0) r
  JOIN locations l ON l.key = r.location_key
  LEFT JOIN LATERAL (SELECT detail FROM result_details
    WHERE check_key = :checkKey AND location_key = k.location_key AND slot_ms = k.slot_ms OFFSET 0) d ON true
  ORDER BY r.slot_ms DESC, r.location_key`;

/** A page of a check's results, newest first, by slot and then location. */
export function readResultRows(
  db: Knex,
  checkKey: number,
  page: { limit: number; offset: number; withDetail: boolean },
): Promise<ResultRow[]> {
  const { limit, offset, withDetail } = page;
  return queryRows(
    db,
    `WITH k AS MATERIALIZED (
       SELECT n.location_key, n.slot_ms FROM (${LOCATIONS_OF_CHECK}) places
       CROSS JOIN LATERAL (SELECT location_key, slot_ms FROM results
         WHERE check_key = :checkKey AND location_key = places.location_key
         ORDER BY slot_ms DESC LIMIT :reach) n
       ORDER BY n.slot_ms DESC, n.location_key LIMIT :limit OFFSET :offset)
     ${rowsOfKeys(withDetail)}`,
    { checkKey, limit, offset, reach: offset + limit },
  );
}

/** One result with its detail. */
export async function findResultRow(
  db: Knex,
  checkKey: number,
  locationKey: number,
  slotMs: number,
): Promise<ResultRow | undefined> {
  const [row] = await queryRows<ResultRow>(
    db,
    `WITH k AS (SELECT CAST(:locationKey AS integer) AS location_key, CAST(:slotMs AS bigint) AS slot_ms) ${rowsOfKeys(true)}`,
    { checkKey, locationKey, slotMs },
  );
  return row;
}
