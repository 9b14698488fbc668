/**
 * SQL of ingest. A result that is delivered late, twice or by two runners leaves the tables as they are: the key is (check,
 * location, slot), and the first one stored stays. Columns go in as arrays, one parameter each.
 */
import { HOUR_MS, MINUTE_MS, RESULT_COLUMNS, START_AHEAD_MS_MAX } from "@svc/contract";
import type { Knex } from "knex";
import { engineOf } from "../../platform/db/engine.ts";
import { countedInserts, currentXid, perRow } from "../../platform/db/engine-sql.ts";
import { queryRows } from "../../platform/db/rows.ts";
import { BUCKET_MS } from "../rollups/buckets.ts";
import { LATE_MARK_MS } from "../rollups/timing.ts";
import type { ResultColumns } from "./columns.ts";

/** A result stored later than this after its run began is late to the feed. Equals the limit of the index results_late. */
export const FEED_LATE_MS = 10 * MINUTE_MS;

interface StoredColumn {
  sqlName: string;
  sqlType: string;
  /** Value that is stored as NULL; absent: there is none. */
  none?: number | string;
  values: (columns: ResultColumns) => readonly (number | string)[];
}

/**
 * The columns that ingest writes: those of a result, and the runner that delivered it. A missing trace id is "NULL"
 * already.
 */
const STORED_COLUMNS: readonly StoredColumn[] = [
  ...RESULT_COLUMNS.map((column) => ({
    sqlName: column.sqlName,
    sqlType: column.sqlType,
    none: "none" in column && column.none !== "" ? column.none : undefined,
    values: (columns: ResultColumns) => columns[column.batchField],
  })),
  { sqlName: "runner_key", sqlType: "integer", values: (columns) => columns.runnerKeys },
];

const COLUMN_NAMES = STORED_COLUMNS.map(({ sqlName }) => sqlName).join(", ");
const COLUMN_VALUES = STORED_COLUMNS.map(({ sqlName, none }) =>
  none === undefined ? sqlName : `nullif(${sqlName}, ${none})`,
).join(", ");
const COLUMN_ARRAYS = STORED_COLUMNS.map(({ sqlType }) => `?::${sqlType}[]`).join(", ");

const INSERT_RESULTS = `
  INSERT INTO results (${COLUMN_NAMES})
  SELECT ${COLUMN_VALUES}
  FROM unnest(${COLUMN_ARRAYS}) WITH ORDINALITY AS u (${COLUMN_NAMES}, ordinal)
  ORDER BY check_key, location_key, slot_ms, ordinal
  ON CONFLICT DO NOTHING`;

/**
 * Inserts the results that are not stored yet. Rows go in by order of their key, so that two transactions with equal
 * keys wait for each other instead of deadlocking; of equal keys in one call the first is stored.
 * @returns how many rows were new
 */
export async function insertResults(trx: Knex, columns: ResultColumns): Promise<number> {
  const result = await trx.raw(
    `${INSERT_RESULTS}${countedInserts(trx)}`,
    STORED_COLUMNS.map(({ values }) => arrayLiteral(values(columns))),
  );
  return result.rowCount;
}

/** Returns the indexes of the rows that this transaction inserted; of equal keys the first one's. */
export async function findInserted(trx: Knex, columns: ResultColumns): Promise<number[]> {
  const rows = await queryRows<{ index: number }>(
    trx,
    `SELECT min(u.ordinal)::integer - 1 AS index
     FROM unnest(?::bigint[], ?::integer[], ?::bigint[]) WITH ORDINALITY AS u (c, l, s, ordinal)
     JOIN results r ON r.check_key = u.c AND r.location_key = u.l AND r.slot_ms = u.s
     WHERE r.slot_ms BETWEEN ? AND ? AND r.xid = ${await currentXid(trx)}
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

/** Stores the details of results. A result that has one keeps it. */
export async function insertDetails(trx: Knex, rows: readonly EvidenceRow[]): Promise<void> {
  await trx.raw(
    `INSERT INTO result_details (check_key, location_key, slot_ms, detail)
     SELECT c, l, s, d FROM json_to_recordset(?::json) AS u (c bigint, l integer, s bigint, d jsonb)
     ORDER BY c, l, s ON CONFLICT DO NOTHING`,
    [recordset(rows)],
  );
}

/** Stores the TLS facts that differ from those the location reported before. */
export async function insertTlsObservations(trx: Knex, rows: readonly EvidenceRow[]): Promise<void> {
  await trx.raw(
    `INSERT INTO tls_observations (check_key, location_key, first_slot_ms, fingerprint_sha256, facts)
     SELECT c, l, s, d ->> 'fingerprintSha256', d
     FROM json_to_recordset(?::json) AS u (c bigint, l integer, s bigint, d jsonb)
     WHERE d IS DISTINCT FROM (SELECT facts FROM ${perRow(trx, {
       as: "before",
       columns: "facts jsonb",
       select: `SELECT o.facts FROM tls_observations o
         WHERE o.check_key = {u.c} AND o.location_key = {u.l} AND o.first_slot_ms <= {u.s}
         ORDER BY o.first_slot_ms DESC LIMIT 1`,
     })})
     ORDER BY c, l, s ON CONFLICT DO NOTHING`,
    [recordset(rows)],
  );
}

/**
 * Marks those of the buckets that may have been computed already, so that they are computed again and their new results are
 * copied into a merged part of their day; and notes the hours of which results came late, by which the feed finds these. This must be
 * the last statement of the transaction, and it goes by the database's clock: results whose bucket it does not mark commit before that
 * bucket is computed, and before their hour is copied.
 */
export async function markLateBuckets(trx: Knex, bucketsMs: readonly number[]): Promise<void> {
  // A release before may still merge the day, and looks for these marks; a trigger copies each to late_result_buckets for this one.
  const unmerged = `, unmerged AS (INSERT INTO unmerged_late_buckets (bucket_ms) SELECT b FROM late ON CONFLICT DO NOTHING)`;
  await trx.raw(
    `WITH late AS (
       SELECT b FROM unnest(?::bigint[]) AS b
       WHERE b + ?::bigint < extract(epoch FROM clock_timestamp()) * 1000 ORDER BY b
     )${engineOf(trx) === "citus" ? "" : unmerged}, hours AS (
       INSERT INTO late_hours (hour_ms, stored_hour_ms)
       SELECT DISTINCT b / ${HOUR_MS} * ${HOUR_MS}, (extract(epoch FROM now()) * 1000)::bigint / ${HOUR_MS} * ${HOUR_MS} FROM late
       WHERE b + ${FEED_LATE_MS - START_AHEAD_MS_MAX} < extract(epoch FROM clock_timestamp()) * 1000 ORDER BY 1
       ON CONFLICT DO NOTHING
     )
     INSERT INTO rollup_dirty_buckets (bucket_ms) SELECT b FROM late ON CONFLICT DO NOTHING`,
    [arrayLiteral(bucketsMs), BUCKET_MS + LATE_MARK_MS],
  );
}

/**
 * Makes the commit of this transaction wait for the synchronous standby, if there is one, although it stores nothing. A result
 * that was stored before may be on this server only: its commit was confirmed to nobody when the server crashed, or somebody
 * cancelled the wait. Commits reach a standby in their order, and PostgreSQL waits only for one that wrote something.
 */
export async function waitForStandby(trx: Knex): Promise<void> {
  await trx.raw("SELECT pg_logical_emit_message(true, 'svc', '')");
}

/** Returns the indexes of the rows whose slot is a manual run of the check at the location. */
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

/**
 * Returns an array in PostgreSQL's syntax, of numbers and bare words: many times cheaper than the driver's quoting of
 * each element.
 */
function arrayLiteral(values: readonly (number | string)[]): string {
  return `{${values.join(",")}}`;
}

function recordset(rows: readonly EvidenceRow[]): string {
  return `[${rows.map(({ checkKey, locationKey, slotMs, json }) => `{"c":${checkKey},"l":${locationKey},"s":${slotMs},"d":${json}}`).join(",")}]`;
}
