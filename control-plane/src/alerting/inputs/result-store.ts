/**
 * SQL by which the evaluation learns its facts: one statement per kind of fact for all touched checks together, by index,
 * whatever the history.
 */
import { type CheckId, type LocationId, STATUS_CODES, type TeamId, type TlsFacts } from "@svc/contract";
import type { Knex } from "knex";
import { queryRows } from "../../platform/db/rows.ts";
import type { ResultFact } from "../conditions/condition-input.ts";
import type { Confirmation, OpenInstance } from "../evaluation/transitions.ts";

/** A check as alerting needs it. */
export interface AlertCheckRow {
  key: number;
  id: CheckId;
  teamId: TeamId;
  name: string;
  type: string;
  enabled: boolean;
  frequencySeconds: number;
  /** Of the schedule in force, in its order. */
  locationKeys: number[];
  targetUrl: string | null;
  timeoutMs: number | null;
}

const CHECK_COLUMNS = `c.key, c.id, c.team_id AS "teamId", c.name, c.type, c.enabled,
  c.frequency_seconds AS "frequencySeconds", coalesce(r.location_keys, '{}') AS "locationKeys",
  coalesce(c.config ->> 'url', c.config ->> 'endpoint') AS "targetUrl",
  CASE WHEN jsonb_typeof(c.config -> 'timeoutMs') = 'number' THEN (c.config ->> 'timeoutMs')::float8 END AS "timeoutMs"`;
const IN_FORCE = "LEFT JOIN check_revisions r ON r.check_key = c.key AND r.effective_until_ms IS NULL";

export async function readAlertChecks(
  db: Knex,
  checkKeys: readonly number[],
): Promise<Map<number, AlertCheckRow>> {
  const rows = await queryRows<AlertCheckRow>(
    db,
    `SELECT ${CHECK_COLUMNS} FROM checks c ${IN_FORCE} WHERE c.key = ANY(?)`,
    [checkKeys],
  );
  return new Map(rows.map((row) => [row.key, row]));
}

/** A check whose rules are to be judged, with what is under way for them and the names of its locations. */
export interface CheckUnderJudgement {
  row: AlertCheckRow;
  open: OpenInstance[];
  confirmations: Confirmation[];
  locations: NamedLocation[];
}

export interface NamedLocation {
  key: number;
  id: string;
  name: string;
}

/** All of it in one statement, since the transaction that asks holds locks. In no particular order. */
export async function readChecksUnderJudgement(
  db: Knex,
  checkKeys: readonly number[],
): Promise<CheckUnderJudgement[]> {
  const rows = await queryRows<
    AlertCheckRow & { [K in "open" | "confirmations" | "locations"]: string | null }
  >(
    db,
    `WITH asked AS MATERIALIZED (SELECT unnest(?::bigint[]) AS key)
     SELECT ${CHECK_COLUMNS},
       (SELECT json_agg(json_build_object('id', i.id, 'ruleKey', i.rule_key, 'checkKey', i.check_key, 'state', i.state,
           'severity', i.severity, 'startedAtMs', (extract(epoch FROM i.started_at) * 1000)::bigint,
           'wasAnnounced', i.was_announced, 'mutedBy', i.muted_by, 'hasUntoldEscalation', i.has_untold_escalation,
           'triggeringTraceId', i.triggering_trace_id, 'context', i.context))::text
        FROM alert_instances i WHERE i.check_key = c.key AND i.state IN ('active', 'acknowledged')) AS open,
       (SELECT json_agg(json_build_object('ruleKey', f.rule_key, 'checkKey', f.check_key, 'slotMs', f.slot_ms,
           'locationKey', f.location_key, 'firstSlotMs', f.first_slot_ms, 'firstLocationKey', f.first_location_key,
           'firstRunnerKey', f.first_runner_key, 'expiresAtMs', (extract(epoch FROM f.expires_at) * 1000)::bigint))::text
        FROM alert_confirmations f WHERE f.check_key = c.key) AS confirmations,
       (SELECT json_agg(json_build_object('key', l.key, 'id', l.id, 'name', l.display_name))::text
        FROM locations l WHERE l.key = ANY(r.location_keys)) AS locations
     FROM asked JOIN checks c ON c.key = asked.key ${IN_FORCE}`,
    [`{${checkKeys.join(",")}}`],
  );
  const parsed = <Item>(json: string | null) => (json === null ? [] : (JSON.parse(json) as Item[]));
  return rows.map(({ open, confirmations, locations, ...row }) => ({
    row,
    open: parsed<OpenInstance>(open),
    confirmations: parsed<Confirmation>(confirmations),
    locations: parsed<NamedLocation>(locations),
  }));
}

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

/** A location of a check, and how much of it is asked for. */
export interface PlaceToRead {
  checkKey: number;
  locationKey: number;
  limit: number;
  /** Results before this slot are not looked at. */
  fromMs: number;
}

const PLACES =
  "unnest(CAST(:checkKeys AS bigint[]), CAST(:locationKeys AS integer[]), CAST(:limits AS integer[]), CAST(:froms AS bigint[])) AS p (check_key, location_key, take, from_ms)";

function placeBindings(places: readonly PlaceToRead[]) {
  return {
    checkKeys: places.map(({ checkKey }) => checkKey),
    locationKeys: places.map(({ locationKey }) => locationKey),
    limits: places.map(({ limit }) => limit),
    froms: places.map(({ fromMs }) => fromMs),
    // Over all of them, as a constant: it lets the planner leave out older partitions.
    minFrom: places.reduce((min, { fromMs }) => Math.min(min, fromMs), Number.MAX_SAFE_INTEGER),
  };
}

export type PlacedResult = ResultFact & { checkKey: number };

/** The newest results of each place, newest first. @param options.onlySuccesses @param options.withVitals */
export function readNewestResults(
  db: Knex,
  places: readonly PlaceToRead[],
  options: { onlySuccesses: boolean; withVitals: boolean },
): Promise<PlacedResult[]> {
  if (places.length === 0) return Promise.resolve([]);
  const vitals = options.withVitals
    ? `(SELECT d.detail -> 'webVitals' FROM result_details d WHERE d.check_key = p.check_key
          AND d.location_key = p.location_key AND d.slot_ms = r.slot_ms AND d.slot_ms >= :minFrom)`
    : "NULL::jsonb";
  return queryRows(
    db,
    `SELECT p.check_key AS "checkKey", p.location_key AS "locationKey", r.slot_ms AS "slotMs", r.status,
       r.runner_key AS "runnerKey", r.response_time_us AS "responseTimeUs", r.dns_lookup_us AS "dnsLookupUs",
       r.tls_handshake_us AS "tlsHandshakeUs", r.ttfb_us AS "ttfbUs", r.content_transfer_us AS "contentTransferUs",
       r.http_status_code AS "httpStatusCode", replace(r.trace_id::text, '-', '') AS "traceId",
       ${vitals} AS "webVitals"
     FROM ${PLACES}
     CROSS JOIN LATERAL (
       SELECT * FROM results WHERE check_key = p.check_key AND location_key = p.location_key
         AND slot_ms >= p.from_ms AND slot_ms >= :minFrom ${options.onlySuccesses ? `AND status = ${STATUS_CODES.success}` : ""}
       ORDER BY slot_ms DESC LIMIT p.take) r`,
    placeBindings(places),
  );
}

export interface PlacedTlsObservation {
  checkKey: number;
  locationKey: number;
  firstSlotMs: number;
  facts: TlsFacts;
}

/** The newest observations of each place, newest first. */
export function readTlsObservations(
  db: Knex,
  places: readonly PlaceToRead[],
): Promise<PlacedTlsObservation[]> {
  if (places.length === 0) return Promise.resolve([]);
  return queryRows(
    db,
    `SELECT p.check_key AS "checkKey", p.location_key AS "locationKey", o.first_slot_ms AS "firstSlotMs", o.facts
     FROM ${PLACES}
     CROSS JOIN LATERAL (
       SELECT first_slot_ms, facts FROM tls_observations
       WHERE check_key = p.check_key AND location_key = p.location_key
       ORDER BY first_slot_ms DESC LIMIT p.take) o`,
    placeBindings(places),
  );
}

/** Slots of a place, evenly spaced. */
export interface PlacedSpan {
  checkKey: number;
  locationKey: number;
  firstSlotMs: number;
  lastSlotMs: number;
  periodMs: number;
}

/** Of each span the newest slot that has a result, within it or after it; none: it is missing. */
export function readNewestDoneSlots(
  db: Knex,
  spans: readonly PlacedSpan[],
): Promise<{ checkKey: number; locationKey: number; slotMs: number }[]> {
  if (spans.length === 0) return Promise.resolve([]);
  return queryRows(
    db,
    `SELECT s.check_key AS "checkKey", s.location_key AS "locationKey", r.slot_ms AS "slotMs"
     FROM unnest(?::bigint[], ?::integer[], ?::bigint[], ?::bigint[])
       AS s (check_key, location_key, first_slot, period)
     CROSS JOIN LATERAL (
       SELECT slot_ms FROM results WHERE check_key = s.check_key AND location_key = s.location_key
         AND slot_ms >= s.first_slot AND slot_ms >= ? AND (slot_ms - s.first_slot) % s.period = 0
       ORDER BY slot_ms DESC LIMIT 1) r`,
    [
      spans.map(({ checkKey }) => checkKey),
      spans.map(({ locationKey }) => locationKey),
      spans.map(({ firstSlotMs }) => firstSlotMs),
      spans.map(({ periodMs }) => periodMs),
      spans.reduce((min, { firstSlotMs }) => Math.min(min, firstSlotMs), Number.MAX_SAFE_INTEGER),
    ],
  );
}
