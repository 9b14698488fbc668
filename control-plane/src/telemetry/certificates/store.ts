/** SQL of the certificates that checks see: one row per check and host. */
import { type CheckId, DAY_MS, type LocationId, type TeamId, wholeMs } from "@svc/contract";
import type { Knex } from "knex";
import type { CheckLocation } from "../../platform/check-location.ts";
import { perRow } from "../../platform/db/engine-sql.ts";
import { defineRecordset } from "../../platform/db/recordset.ts";
import { queryRows } from "../../platform/db/rows.ts";
import { newestToMs } from "../../platform/db/slot-bindings.ts";
import { TRACE_COLUMNS, TYPED_TRACE_COLUMNS, traceIdSql } from "../../platform/db/trace-id-sql.ts";
import type { TimeRange } from "../../results/coverage/time-range.ts";
import { readOldestSlotMs } from "../../results/oldest-slot-store.ts";
import { windowsBefore } from "../../results/slot-windows.ts";
import type { CertificateRun } from "./certificate-events.ts";
import { type CertificateState, earliestExpiryMs } from "./certificate-state.ts";

/** A stored row: the certificates of one host, as one check sees them. */
export interface TrackedHost extends CertificateState {
  checkKey: number;
  host: string;
  teamId: TeamId;
}

const HOSTS = defineRecordset({ checkKey: "bigint", host: "text", teamId: "text" });
const HOST_STATES = defineRecordset({
  checkKey: "bigint",
  host: "text",
  views: "jsonb",
  warned: "jsonb",
  warnAt: "timestamptz",
  expiresAt: "timestamptz",
});

/** Locks the rows of these hosts, in one order, until the transaction ends. Rows that do not exist are created. */
export async function lockHosts(
  trx: Knex,
  hosts: readonly { checkKey: number; host: string; teamId: TeamId }[],
): Promise<TrackedHost[]> {
  const json = JSON.stringify(hosts);
  await trx.raw(
    `INSERT INTO tracked_certificates (check_key, host, team_id)
     SELECT DISTINCT "checkKey", host, "teamId"
     FROM ${HOSTS.as("h")}
     ORDER BY "checkKey", host ON CONFLICT DO NOTHING`,
    [json],
  );
  return queryRows(
    trx,
    `SELECT t.check_key, t.host, t.team_id, t.views, t.warned
     FROM tracked_certificates t
     WHERE (t.check_key, t.host) IN (SELECT "checkKey", host FROM ${HOSTS.as("h")})
     ORDER BY t.check_key, t.host FOR UPDATE`,
    [json],
  );
}

/** Updates hosts whose rows are locked. `warnAtMs` is the next warning, Unix ms; null: no more warnings. */
export async function updateHosts(
  trx: Knex,
  hosts: readonly (TrackedHost & { warnAtMs: number | null })[],
): Promise<void> {
  if (hosts.length === 0) return;
  const rows = hosts.map(({ warnAtMs, ...host }) => ({
    ...host,
    warnAt: warnAtMs === null ? null : new Date(warnAtMs),
    expiresAt: expiryOf(host),
  }));
  await trx.raw(
    `UPDATE tracked_certificates t SET ${HOST_STATES.assignments("h", ["checkKey", "host"])}
     FROM ${HOST_STATES.as("h")}
     WHERE t.check_key = h."checkKey" AND t.host = h.host`,
    [JSON.stringify(rows)],
  );
}

function expiryOf(state: CertificateState): Date | null {
  const atMs = earliestExpiryMs(state);
  return atMs === null ? null : new Date(atMs);
}

/** A host whose next warning is due, with its check. */
export interface HostToWarn extends TrackedHost {
  checkId: CheckId;
  /** Keys of the locations that the check runs at. */
  locationKeys: number[];
}

/** Locks hosts of enabled checks whose warning is due, until the transaction ends. Hosts that others hold are skipped. */
export function lockHostsToWarn(trx: Knex, now: Date, limit: number): Promise<HostToWarn[]> {
  return queryRows(
    trx,
    `SELECT t.check_key, t.host, t.team_id, t.views, t.warned, c.id AS check_id,
       ARRAY(SELECT l.key FROM locations l WHERE l.id = ANY(c.location_ids)) AS location_keys
     FROM tracked_certificates t JOIN checks c ON c.key = t.check_key
     WHERE t.warn_at <= ? AND c.enabled ORDER BY t.warn_at LIMIT ? FOR UPDATE OF t SKIP LOCKED`,
    [now, limit],
  );
}

/** Reads ids and names of locations, by key. */
export async function readLocationNames(
  db: Knex,
  keys: readonly number[],
): Promise<Map<number, { id: LocationId; name: string }>> {
  const rows = await queryRows<{ key: number; id: LocationId; name: string }>(
    db,
    "SELECT key, id, name FROM locations WHERE key = ANY(?)",
    [[...new Set(keys)]],
  );
  return new Map(rows.map((row) => [row.key, row]));
}

/** Time in which the newest runs are looked for first; only those that are older are looked for further back. */
const NEAR_MS = DAY_MS;

/** Reads the newest run of each check location, in order; undefined where no result is stored any more. */
export async function readNewestRuns(
  db: Knex,
  checkLocations: readonly CheckLocation[],
  nowMs: number,
): Promise<(CertificateRun | undefined)[]> {
  const newest = new Array<CertificateRun | undefined>(checkLocations.length).fill(undefined);
  const readWithin = async (window: TimeRange) => {
    const missing = checkLocations.flatMap((location, index) =>
      newest[index] === undefined ? [{ ...location, index }] : [],
    );
    for (const { index, ...run } of await readNewestRunsWithin(db, missing, window)) newest[index] = run;
    return newest.includes(undefined);
  };
  if (checkLocations.length === 0) return newest;
  if (!(await readWithin({ fromMs: nowMs - NEAR_MS, toMs: newestToMs(nowMs) }))) return newest;
  const endMs = await readOldestSlotMs(db);
  for (const window of windowsBefore(nowMs - NEAR_MS, { searchedMs: NEAR_MS, endMs }))
    if (!(await readWithin(window))) break;
  return newest;
}

const TRACE_ID = traceIdSql({
  result: "r",
  checkId: "(SELECT id FROM checks WHERE key = r.check_key)",
  locationId: "l.id",
});

function readNewestRunsWithin(
  db: Knex,
  checkLocations: readonly (CheckLocation & { index: number })[],
  { fromMs, toMs }: TimeRange,
): Promise<(CertificateRun & { index: number })[]> {
  return queryRows(
    db,
    `SELECT p.index, r.check_key, r.slot_ms, r.status,
       ${TRACE_ID} AS trace_id, json_build_object('id', l.id, 'name', l.name) AS location
     FROM unnest(CAST(:checkKeys AS bigint[]), CAST(:locationKeys AS integer[]), CAST(:indexes AS integer[]))
       AS p (check_key, location_key, index)
     CROSS JOIN LATERAL ${perRow(db, {
       as: "r",
       columns: `check_key bigint, slot_ms bigint, status smallint, ${TYPED_TRACE_COLUMNS}`,
       select: `SELECT check_key, slot_ms, status, ${TRACE_COLUMNS} FROM results
         WHERE check_key = {p.check_key} AND location_key = {p.location_key} AND slot_ms BETWEEN {:fromMs} AND {:toMs}
         ORDER BY slot_ms DESC LIMIT 1`,
     })}
     JOIN locations l ON l.key = p.location_key`,
    {
      checkKeys: checkLocations.map(({ checkKey }) => checkKey),
      locationKeys: checkLocations.map(({ locationKey }) => locationKey),
      indexes: checkLocations.map(({ index }) => index),
      fromMs: wholeMs(fromMs),
      toMs: wholeMs(toMs),
    },
  );
}
