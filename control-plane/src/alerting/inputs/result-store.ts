/** SQL of results and certificates that conditions are judged by: one statement for all check locations together. */
import { type LocationId, STATUS_CODES, type TlsFacts } from "@svc/contract";
import type { Knex } from "knex";
import { type CheckLocation, checkLocationId } from "../../platform/check-location.ts";
import { perRow } from "../../platform/db/engine-sql.ts";
import { queryRows } from "../../platform/db/rows.ts";
import { newestToMs } from "../../platform/db/slot-bindings.ts";
import { TRACE_COLUMNS, TYPED_TRACE_COLUMNS, traceIdSql } from "../../platform/db/trace-id-sql.ts";
import type { StoredResult } from "./judged-result.ts";

/** A check location, and how much of it to read. */
export interface CheckLocationToRead extends CheckLocation {
  /** Rows to read, newest first. */
  limit: number;
  /** Results of earlier slots are left out. */
  fromMs: number;
}

const ASKED =
  "unnest(CAST(:checkKeys AS bigint[]), CAST(:locationKeys AS integer[]), CAST(:limits AS integer[]), CAST(:froms AS bigint[])) AS p (check_key, location_key, row_limit, from_ms)";

/** The ids are looked up for merged results only. */
const TRACE_ID = traceIdSql({
  result: "r",
  checkId: "(SELECT id FROM checks WHERE key = p.check_key)",
  locationId: "(SELECT id FROM locations WHERE key = p.location_key)",
});

function bindingsOf(locations: readonly CheckLocationToRead[]) {
  return {
    checkKeys: locations.map(({ checkKey }) => checkKey),
    locationKeys: locations.map(({ locationKey }) => locationKey),
    limits: locations.map(({ limit }) => limit),
    froms: locations.map(({ fromMs }) => fromMs),
    // The least of them as a constant lets the planner leave out older partitions.
    minFrom: locations.reduce((min, { fromMs }) => Math.min(min, fromMs), Number.MAX_SAFE_INTEGER),
  };
}

/** A result with the check that it is of. */
export type ResultOfCheck = StoredResult & CheckLocation & { tcpConnectUs?: number | null };

/** Which results are read, and how much of each. */
export interface NewestResultsOptions {
  onlySuccesses: boolean;
  /** True: read web vitals from the results' details, which costs a lookup per result. */
  withVitals: boolean;
  /** Unix ms. */
  nowMs: number;
}

/** Returns the newest results of each check location, newest first within one location. */
export function readNewestResults(
  db: Knex,
  locations: readonly CheckLocationToRead[],
  { onlySuccesses, withVitals, nowMs }: NewestResultsOptions,
): Promise<ResultOfCheck[]> {
  if (locations.length === 0) return Promise.resolve([]);
  const vitals = withVitals
    ? `(SELECT vitals FROM ${perRow(db, {
        as: "of_result",
        columns: "vitals jsonb",
        select: `SELECT d.detail -> 'webVitals' AS vitals FROM result_details d WHERE d.check_key = {p.check_key}
          AND d.location_key = {p.location_key} AND d.slot_ms = {r.slot_ms} AND d.slot_ms BETWEEN {:minFrom} AND {:newestToMs}`,
      })})`
    : "NULL::jsonb";
  return queryRows(
    db,
    `SELECT p.check_key, p.location_key, r.slot_ms, r.status, r.runner_key, r.response_time_us, r.dns_lookup_us, r.tcp_connect_us,
       r.tls_handshake_us, r.ttfb_us, r.content_transfer_us, r.http_status_code,
       ${TRACE_ID} AS trace_id, ${vitals} AS web_vitals
     FROM ${ASKED}
     CROSS JOIN LATERAL ${perRow(db, {
       as: "r",
       columns: `slot_ms bigint, status smallint, runner_key integer, response_time_us integer, dns_lookup_us integer,
         tcp_connect_us integer,
         tls_handshake_us integer, ttfb_us integer, content_transfer_us integer, http_status_code smallint,
         ${TYPED_TRACE_COLUMNS}`,
       select: `SELECT slot_ms, status, runner_key, response_time_us, dns_lookup_us, tcp_connect_us, tls_handshake_us, ttfb_us,
           content_transfer_us, http_status_code, ${TRACE_COLUMNS}
         FROM results WHERE check_key = {p.check_key} AND location_key = {p.location_key}
           AND slot_ms >= {p.from_ms} AND slot_ms BETWEEN {:minFrom} AND {:newestToMs}
           ${onlySuccesses ? `AND status = ${STATUS_CODES.success}` : ""}
         ORDER BY slot_ms DESC LIMIT {p.row_limit}`,
     })}`,
    { ...bindingsOf(locations), newestToMs: newestToMs(nowMs) },
  );
}

/** TLS facts that a check location saw, from a slot on. */
export interface TlsObservation extends CheckLocation {
  firstSlotMs: number;
  facts: TlsFacts;
}

/** Returns the newest observations of each check location, newest first within one location. */
export function readTlsObservations(
  db: Knex,
  locations: readonly CheckLocationToRead[],
): Promise<TlsObservation[]> {
  if (locations.length === 0) return Promise.resolve([]);
  return queryRows(
    db,
    `SELECT p.check_key, p.location_key, o.first_slot_ms, o.facts
     FROM ${ASKED}
     CROSS JOIN LATERAL ${perRow(db, {
       as: "o",
       columns: "first_slot_ms bigint, facts jsonb",
       select: `SELECT first_slot_ms, facts FROM tls_observations
         WHERE check_key = {p.check_key} AND location_key = {p.location_key}
         ORDER BY first_slot_ms DESC LIMIT {p.row_limit}`,
     })}`,
    bindingsOf(locations),
  );
}

/** Returns ids and names of the locations with these keys. */
export async function readLocationNames(
  db: Knex,
  locationKeys: readonly number[],
): Promise<Map<number, { id: LocationId; name: string }>> {
  const rows = await queryRows<{ key: number; id: LocationId; name: string }>(
    db,
    "SELECT key, id, display_name AS name FROM locations WHERE key = ANY(?)",
    [locationKeys],
  );
  return new Map(rows.map(({ key, id, name }) => [key, { id, name }]));
}

/** Returns the rows by `checkLocationId`, those of one location in their order. */
export function groupByCheckLocation<Row extends CheckLocation>(rows: readonly Row[]): Map<string, Row[]> {
  const groups = new Map<string, Row[]>();
  for (const row of rows) {
    const id = checkLocationId(row);
    const group = groups.get(id);
    if (group) group.push(row);
    else groups.set(id, [row]);
  }
  return groups;
}
