/** SQL of the metrics of checks. */
import {
  type CheckId,
  type CheckType,
  type LocationId,
  MINUTE_MS,
  SECOND_MS,
  type TeamId,
  wholeMs,
} from "@svc/contract";
import type { Knex } from "knex";
import { targetSql } from "../../checks/target-sql.ts";
import { perRow } from "../../platform/db/engine-sql.ts";
import { queryRows } from "../../platform/db/rows.ts";
import { newestResults } from "../newest-range.ts";
import { newestRangeOfChecks } from "../newest-range-store.ts";

/** Newest result of a check at a location. Times are microseconds; null: the run had no such phase. */
export interface NewestResultRow {
  checkKey: number;
  checkId: CheckId;
  name: string;
  type: CheckType;
  /** Target as it is configured. */
  target: string | null;
  locationId: LocationId;
  slotMs: number;
  status: number;
  responseTimeUs: number;
  dnsLookupUs: number | null;
  tcpConnectUs: number | null;
  tlsHandshakeUs: number | null;
  ttfbUs: number | null;
  contentTransferUs: number | null;
  httpStatusCode: number | null;
  /** End of the certificate that the location saw last, ISO 8601; null: it saw none. */
  certificateEndsAt: string | null;
}

/** Part of the checks of a team, by key. */
interface CheckPart {
  /** Key of the last check of the part before; 0: the first part. */
  afterKey: number;
  checksMax: number;
  /** Only checks with this label. */
  label?: string | undefined;
}

/** Periods of a check after which its newest result says nothing of the present. */
const PERIODS = 3;

const RESULT_COLUMNS = {
  slot_ms: "bigint",
  status: "smallint",
  response_time_us: "integer",
  dns_lookup_us: "integer",
  tcp_connect_us: "integer",
  tls_handshake_us: "integer",
  ttfb_us: "integer",
  content_transfer_us: "integer",
  http_status_code: "smallint",
} as const;

/** Returns the keys of the team's checks that run, in parts. */
export function listRunningCheckKeys(
  db: Knex,
  teamId: TeamId,
  { afterKey, checksMax, label }: CheckPart,
): Promise<{ key: number; locations: number }[]> {
  return queryRows(
    db,
    `SELECT c.key, cardinality(c.location_ids) AS locations FROM checks c
     WHERE c.team_id = :teamId AND c.enabled AND NOT c.paused AND c.key > :afterKey
       ${label === undefined ? "" : "AND EXISTS (SELECT FROM check_labels m WHERE m.check_key = c.key AND m.label = :label)"}
     ORDER BY c.key LIMIT :checksMax`,
    { teamId, afterKey, checksMax, ...(label !== undefined && { label }) },
  );
}

/**
 * Returns the newest result of each location of these checks, in order of check and location. One that is older than three periods of its
 * check and a minute is left out.
 */
export async function readNewestResults(
  db: Knex,
  checkKeys: readonly number[],
  nowMs: number,
): Promise<NewestResultRow[]> {
  const columns = Object.keys(RESULT_COLUMNS).join(", ");
  const range = await newestRangeOfChecks(db, checkKeys, nowMs);
  return queryRows(
    db,
    `SELECT c.key AS check_key, c.id AS check_id, c.name, c.type, ${targetSql("c")} AS target, l.id AS location_id, n.*,
       o.ends_at AS certificate_ends_at
     FROM checks c
     JOIN LATERAL (SELECT key, id FROM locations WHERE id = ANY (c.location_ids)) l ON true
     JOIN LATERAL ${perRow(db, {
       as: "n",
       columns: Object.entries(RESULT_COLUMNS)
         .map((column) => column.join(" "))
         .join(", "),
       select: newestResults(range, {
         columns,
         checkKey: "c.key",
         locationKey: "l.key",
         frequencySeconds: "c.frequency_seconds",
       }),
     })} ON n.slot_ms >= :nowMs - c.frequency_seconds * ${PERIODS * SECOND_MS}::bigint - ${MINUTE_MS}
     LEFT JOIN LATERAL ${perRow(db, {
       as: "o",
       columns: "ends_at text",
       select: `SELECT facts ->> 'validTo' AS ends_at FROM tls_observations
         WHERE check_key = {c.key} AND location_key = {l.key} ORDER BY first_slot_ms DESC LIMIT 1`,
     })} ON true
     WHERE c.key = ANY(:checkKeys) ORDER BY c.key, l.id`,
    { checkKeys: [...checkKeys], nowMs: wholeMs(nowMs), ...range },
  );
}
