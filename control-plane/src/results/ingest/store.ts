/** SQL of ingest. Keeps promise: a result delivered late, twice or by two runners leaves the tables the same, since the
 *  key is (check, location, slot) and the first one stored stays. Columns go in as arrays, one parameter each. */
import type { Knex } from "knex";
import { queryRows } from "../../platform/db/rows.ts";
import { BUCKET_MS } from "../rollups/buckets.ts";
import { LATE_MARK_MS } from "../rollups/timing.ts";
import { NUMBER_COLUMNS, type ResultColumns } from "./columns.ts";

/** Types of the columns in the order of NUMBER_COLUMNS, trace ids last. */
const INPUT = `unnest(?::bigint[], ?::integer[], ?::bigint[], ?::integer[], ?::integer[], ?::integer[], ?::integer[],
  ?::integer[], ?::integer[], ?::integer[], ?::integer[], ?::integer[], ?::smallint[], ?::smallint[], ?::uuid[])`;

const INSERT_RESULTS = `
  INSERT INTO results (check_key, location_key, slot_ms, runner_key, start_delay_ms, elapsed_us, response_time_us,
    dns_lookup_us, tcp_connect_us, tls_handshake_us, ttfb_us, content_transfer_us, http_status_code, status, trace_id)
  SELECT c, l, s, r, d, e, t, nullif(p1, -1), nullif(p2, -1), nullif(p3, -1), nullif(p4, -1), nullif(p5, -1),
    nullif(h, 0), st, tr
  FROM ${INPUT} WITH ORDINALITY AS u (c, l, s, r, d, e, t, p1, p2, p3, p4, p5, h, st, tr, ordinal)
  ORDER BY c, l, s, ordinal
  ON CONFLICT DO NOTHING`;

/**
 * Inserts what is not there yet. Rows go in by order of their key, so that two transactions with the same results wait
 * for each other instead of deadlocking; of equal keys the first one given is stored.
 * @returns how many rows were new
 */
export async function insertResults(trx: Knex, columns: ResultColumns): Promise<number> {
  const bindings = [
    ...NUMBER_COLUMNS.map((name) => arrayLiteral(columns[name])),
    arrayLiteral(columns.traceIds),
  ];
  const result = await trx.raw(INSERT_RESULTS, bindings);
  return result.rowCount;
}

/** Of the rows given, the indexes of those that this transaction inserted; the first one of equals. */
export async function findInserted(trx: Knex, columns: ResultColumns): Promise<number[]> {
  const rows = await queryRows<{ index: number }>(
    trx,
    `SELECT min(u.ordinal)::integer - 1 AS index
     FROM unnest(?::bigint[], ?::integer[], ?::bigint[]) WITH ORDINALITY AS u (c, l, s, ordinal)
     JOIN results r ON r.check_key = u.c AND r.location_key = u.l AND r.slot_ms = u.s
     WHERE r.slot_ms BETWEEN ? AND ? AND r.xid = pg_current_xact_id()
     GROUP BY u.c, u.l, u.s`,
    [
      arrayLiteral(columns.checkKeys),
      arrayLiteral(columns.locationKeys),
      arrayLiteral(columns.slotsMs),
      columns.slotsMs.reduce((a, b) => Math.min(a, b), Number.MAX_SAFE_INTEGER),
      columns.slotsMs.reduce((a, b) => Math.max(a, b), 0),
    ],
  );
  return rows.map((row) => row.index);
}

/** A document that belongs to a stored result. */
export interface EvidenceRow {
  checkKey: number;
  locationKey: number;
  slotMs: number;
  json: string;
}

export async function insertDetails(trx: Knex, rows: readonly EvidenceRow[]): Promise<void> {
  await trx.raw(
    `INSERT INTO result_details (check_key, location_key, slot_ms, detail)
     SELECT c, l, s, d FROM json_to_recordset(?::json) AS u (c bigint, l integer, s bigint, d jsonb)
     ORDER BY c, l, s ON CONFLICT DO NOTHING`,
    [recordset(rows)],
  );
}

/** Notes what a location saw of a certificate where that differs from what it saw before. */
export async function insertTlsObservations(trx: Knex, rows: readonly EvidenceRow[]): Promise<void> {
  await trx.raw(
    `INSERT INTO tls_observations (check_key, location_key, first_slot_ms, fingerprint_sha256, facts)
     SELECT c, l, s, d ->> 'fingerprintSha256', d
     FROM json_to_recordset(?::json) AS u (c bigint, l integer, s bigint, d jsonb)
     WHERE d IS DISTINCT FROM (SELECT o.facts FROM tls_observations o
                               WHERE o.check_key = u.c AND o.location_key = u.l AND o.first_slot_ms <= u.s
                               ORDER BY o.first_slot_ms DESC LIMIT 1)
     ORDER BY c, l, s ON CONFLICT DO NOTHING`,
    [recordset(rows)],
  );
}

/**
 * Marks the buckets among `bucketsMs` that may have been computed already, to be computed again. The last statement of
 * the transaction, by the database's clock: what is not marked here commits before its bucket is computed.
 */
export async function markLateBuckets(trx: Knex, bucketsMs: readonly number[]): Promise<void> {
  await trx.raw(
    `INSERT INTO rollup_dirty_buckets (bucket_ms)
     SELECT b FROM unnest(?::bigint[]) AS b
     WHERE b + ?::bigint < extract(epoch FROM clock_timestamp()) * 1000 ON CONFLICT DO NOTHING`,
    [arrayLiteral(bucketsMs), BUCKET_MS + LATE_MARK_MS],
  );
}

/** Of the rows given, the indexes of those whose slot is a manual run of the check at the location. */
export async function findManualRuns(
  db: Knex,
  rows: readonly { checkKey: number; locationKey: number; slotMs: number }[],
): Promise<Set<number>> {
  const found = await queryRows<{ index: number }>(
    db,
    `SELECT u.ordinal::integer - 1 AS index
     FROM unnest(?::bigint[], ?::integer[], ?::bigint[]) WITH ORDINALITY AS u (c, l, s, ordinal)
     JOIN manual_runs m ON m.check_key = u.c AND m.slot_ms = u.s AND u.l = ANY(m.location_keys)`,
    [
      arrayLiteral(rows.map((row) => row.checkKey)),
      arrayLiteral(rows.map((row) => row.locationKey)),
      arrayLiteral(rows.map((row) => row.slotMs)),
    ],
  );
  return new Set(found.map((row) => row.index));
}

/** PostgreSQL's array syntax, of numbers and bare words: many times cheaper than the driver's quoting of each element. */
function arrayLiteral(values: readonly (number | string)[]): string {
  return `{${values.join(",")}}`;
}

function recordset(rows: readonly EvidenceRow[]): string {
  return `[${rows.map(({ checkKey, locationKey, slotMs, json }) => `{"c":${checkKey},"l":${locationKey},"s":${slotMs},"d":${json}}`).join(",")}]`;
}
