/**
 * SQL of the results to export. Ingest queues their keys in telemetry_results, for teams that export. Here they are read by
 * key, without a search, so that no team costs another anything.
 */
import type { TeamId } from "@svc/contract";
import type { Knex } from "knex";
import { KNOWN_CHECKS } from "../../checks/deleted-check-store.ts";
import { targetSql } from "../../checks/target-sql.ts";
import type { CheckLocationSlot } from "../../platform/check-location.ts";
import { perRow } from "../../platform/db/engine-sql.ts";
import { queryRows } from "../../platform/db/rows.ts";
import { untilSettled } from "../../platform/db/settled.ts";
import { slotBindings } from "../../platform/db/slot-bindings.ts";
import { traceIdSql } from "../../platform/db/trace-id-sql.ts";
import { DETAIL_OF_KEY, RESULT_OF_KEY } from "../../results/row-parts-store.ts";
import type { ExportedResult } from "../records/check-records.ts";
import type { ExportedCheck } from "../records/check-resource.ts";
import type { SeenCertificate } from "../records/metrics.ts";
import { afterCursor, type Positions } from "./position.ts";

/** The key of a queued result, and the position of the export after it. */
export interface QueuedResult extends CheckLocationSlot {
  after: Positions["results"];
}

interface QueueRow {
  xid: string;
  id: string;
  checkKeys: number[];
  locationKeys: number[];
  slotsMs: number[];
}

const ROWS_MAX = 200;

/** The team's next results: at most `limit` after the cursor. */
export interface QueuedResultsInput {
  teamId: TeamId;
  cursor: Positions["results"];
  limit: number;
}

/** Reads the keys of the team's next results, in order. */
export async function readQueuedResults(
  db: Knex,
  { teamId, cursor, limit }: QueuedResultsInput,
): Promise<QueuedResult[]> {
  const rows = await queryRows<QueueRow>(
    db,
    `SELECT xid::text, id, check_keys, location_keys, slots_ms
     FROM (SELECT r.*, sum(cardinality(check_keys)) OVER (ORDER BY xid, id) - cardinality(check_keys) AS before
           FROM (SELECT * FROM telemetry_results r WHERE r.team_id = :teamId AND ${afterCursor("r")}
                 ORDER BY r.xid, r.id LIMIT :rows) r) r
     WHERE before < :wanted ORDER BY xid, id`,
    {
      teamId,
      rows: Math.min(limit, ROWS_MAX),
      wanted: limit + cursor.taken,
      xid: cursor.xid,
      id: cursor.id,
    },
  );
  const queued: QueuedResult[] = [];
  let before = cursor;
  for (const row of rows) {
    for (let index = before.taken; index < row.checkKeys.length; index++) {
      if (queued.length === limit) return queued;
      const isLast = index === row.checkKeys.length - 1;
      queued.push({
        checkKey: Number(row.checkKeys[index]),
        locationKey: row.locationKeys[index] as number,
        slotMs: Number(row.slotsMs[index]),
        after: isLast
          ? { xid: row.xid, id: row.id, taken: 0 }
          : { xid: before.xid, id: before.id, taken: index + 1 },
      });
    }
    before = { xid: row.xid, id: row.id, taken: 0 };
  }
  return queued;
}

/** The exported columns of a result. `stepsLength`: characters of its steps as JSON. */
export type StoredResult = ExportedResult & { stepsLength: number };

/** Of a check that was deleted as well, as long as its results are there. */
const TRACE_ID = traceIdSql({
  result: "r",
  checkId: `(SELECT id FROM ${KNOWN_CHECKS} known WHERE known.key = r.check_key)`,
  locationId: "l.id",
});

const MS = "(extract(epoch FROM r.created_at) * 1000)::bigint";

/** Reads queued results, in order; undefined for one that was deleted since. */
export async function readResults(
  db: Knex,
  queued: readonly QueuedResult[],
): Promise<(StoredResult | undefined)[]> {
  if (queued.length === 0) return [];
  await untilSettled(db);
  const rows = await queryRows<StoredResult & { index: number }>(
    db,
    `SELECT k.index::integer - 1 AS index, r.check_key, r.location_key, r.slot_ms,
       l.id AS location_id, l.name AS location_name, r.status, r.start_delay_ms,
       r.elapsed_us, r.response_time_us, r.dns_lookup_us,
       r.tcp_connect_us, r.tls_handshake_us, r.ttfb_us,
       r.content_transfer_us, r.http_status_code,
       ${TRACE_ID} AS trace_id, ${MS} AS created_at_ms,
       d.detail ->> 'errorCategory' AS error_category, d.detail ->> 'errorMessage' AS error_message,
       d.detail -> 'mcpSchemaDrift' AS drift, d.detail -> 'steps' AS steps,
       coalesce(length((d.detail -> 'steps')::text), 0) AS steps_length
     FROM unnest(CAST(:checkKeys AS bigint[]), CAST(:locationKeys AS integer[]), CAST(:slots AS bigint[]))
       WITH ORDINALITY AS k (check_key, location_key, slot_ms, index)
     CROSS JOIN LATERAL ${perRow(db, RESULT_OF_KEY)}
     JOIN locations l ON l.key = r.location_key
     LEFT JOIN LATERAL ${perRow(db, DETAIL_OF_KEY)} ON true`,
    {
      checkKeys: queued.map(({ checkKey }) => checkKey),
      locationKeys: queued.map(({ locationKey }) => locationKey),
      ...slotBindings(queued),
    },
  );
  const found = new Array<StoredResult | undefined>(queued.length).fill(undefined);
  for (const { index, ...row } of rows) found[index] = row;
  return found;
}

/** Reads the team's checks with these keys or ids, deleted ones included. */
export async function readChecks(
  db: Knex,
  teamId: TeamId,
  by: { keys: readonly number[] } | { ids: readonly string[] },
): Promise<ExportedCheck[]> {
  const [column, values] = "keys" in by ? ["c.key", by.keys] : ["c.id", by.ids];
  if (values.length === 0) return [];
  return queryRows(
    db,
    `SELECT c.key, c.id, c.name, c.type, ${targetSql("c")} AS url,
       ARRAY(SELECT label FROM check_labels WHERE check_key = c.key ORDER BY label) AS labels
     FROM checks c WHERE c.team_id = :teamId AND ${column} = ANY(:values)
     UNION ALL
     SELECT c.key, c.id, c.name, c.type, c.url, c.labels
     FROM deleted_checks c WHERE c.team_id = :teamId AND ${column} = ANY(:values)`,
    { teamId, values: [...new Set<number | string>(values)] },
  );
}

/** Reads the certificates that these checks saw last, by check key. */
export async function readCertificates(
  db: Knex,
  checkKeys: readonly number[],
): Promise<Map<number, SeenCertificate[]>> {
  const rows = await queryRows<SeenCertificate & { checkKey: number }>(
    db,
    `SELECT DISTINCT t.check_key, t.host, v.value ->> 'fingerprintSha256' AS fingerprint_sha256,
       (v.value ->> 'validToMs')::bigint AS valid_to_ms
     FROM tracked_certificates t CROSS JOIN LATERAL jsonb_each(t.views) AS v WHERE t.check_key = ANY(?)`,
    [[...checkKeys]],
  );
  return groupByCheck(rows);
}

/** Returns rows by the key of their check, in their order. */
export function groupByCheck<Row extends { checkKey: number }>(rows: readonly Row[]): Map<number, Row[]> {
  const groups = new Map<number, Row[]>();
  for (const row of rows) {
    const group = groups.get(row.checkKey);
    if (group) group.push(row);
    else groups.set(row.checkKey, [row]);
  }
  return groups;
}
