/** SQL of the outages of locations, as teams see them. */
import {
  type ChannelId,
  type IncidentId,
  type LocationId,
  MINUTE_MS,
  type TeamId,
  wholeMs,
} from "@svc/contract";
import type { Knex } from "knex";
import { defineRecordset, TEXT_ARRAY } from "../../platform/db/recordset.ts";
import { queryRows } from "../../platform/db/rows.ts";
import { SAME_MOMENT_MS } from "./cut-off.ts";
import { UNKNOWN_MS_MAX } from "./reach.ts";
import type { TeamLocation } from "./reach-store.ts";

/** Time between a confirmation of an outage and an instant up to which the outage counts then without being judged anew. */
const CONFIRMED_MS = MINUTE_MS;

/**
 * Time for which an outage counts as lasting after its location was first found to reach targets again. One judgement by which it seems over,
 * as when a single network is reached for a moment, so changes nothing.
 */
export const REACHED_MS = 15_000;

/** True in SQL for an outage `o` of a guarded location that nothing says is over; `at` stands for an instant. */
const isUnended = (at: string) => `o.ended_at IS NULL AND o.reached_since IS NULL
  AND o.judged_at > ${at} - interval '${UNKNOWN_MS_MAX / 1000} seconds'
  AND EXISTS (SELECT FROM locations g WHERE g.key = o.location_key AND g.is_guarded)`;

/** SQL of the keys of locations whose outage lasts for the team of `h` at an instant, given twice as a binding. */
export const CUT_OFF_KEYS = `ARRAY(SELECT o.location_key FROM location_outages o WHERE o.team_id = h.team_id
  AND (${isUnended("CAST(? AS timestamptz)")} OR o.ended_at IS NULL
    AND o.reached_since > CAST(? AS timestamptz) - interval '${REACHED_MS / 1000} seconds'
    AND EXISTS (SELECT FROM locations g WHERE g.key = o.location_key AND g.is_guarded)))`;

/** An outage that lasted at an instant. */
export interface OutageAt {
  /** Index of the location that was asked about. */
  asked: number;
  /** True when it was found to last within a minute of the instant. */
  isConfirmed: boolean;
  networks: string[];
}

/** Returns the outages of these locations that had begun before their instants, and of which nothing says that they are over. */
export function readOutagesAt(db: Knex, asked: readonly TeamLocation[]): Promise<OutageAt[]> {
  return queryRows(
    db,
    `SELECT w.asked, o.networks,
       abs(extract(epoch FROM o.judged_at - w.at) * 1000) <= ${CONFIRMED_MS} AS is_confirmed
     FROM (SELECT team_id, key, to_timestamp(at_ms / 1000.0) AS at, to_timestamp((at_ms - ${SAME_MOMENT_MS}) / 1000.0) AS slot_at,
         ordinality - 1 AS asked
       FROM unnest(CAST(:teamIds AS text[]), CAST(:locationKeys AS integer[]), CAST(:ats AS bigint[]))
         WITH ORDINALITY AS u (team_id, key, at_ms, ordinality)) w
     JOIN location_outages o ON o.team_id = w.team_id AND o.location_key = w.key
     WHERE o.began_at <= w.slot_at AND ${isUnended("w.at")}`,
    {
      teamIds: asked.map(({ teamId }) => teamId),
      locationKeys: asked.map(({ locationKey }) => locationKey),
      ats: asked.map(({ atMs }) => wholeMs(atMs)),
    },
  );
}

/** An outage that lasts, of one team. */
export interface OutageRow {
  key: number;
  teamId: TeamId;
  locationKey: number;
  locationId: LocationId;
  locationName: string;
  incidentKey: number;
  incidentId: IncidentId;
  channelIds: ChannelId[];
  /** ISO 8601. */
  beganAt: string;
}

const OUTAGES = `SELECT o.key, o.team_id, o.location_key, l.id AS location_id, l.display_name AS location_name, o.incident_key,
    i.id AS incident_id, o.channel_ids, o.began_at, (extract(epoch FROM o.judged_at) * 1000)::bigint AS judged_at_ms,
    (extract(epoch FROM o.reached_since) * 1000)::bigint AS reached_since_ms, o.networks, l.is_guarded
  FROM location_outages o JOIN locations l ON l.key = o.location_key JOIN incidents i ON i.key = o.incident_key`;

/** Time after which an alert that waits for its check to succeed, now that its location is back, keeps no incident open any more. */
const WAITING_MS_MAX = 60 * MINUTE_MS;

/**
 * SQL that is true while the incident lists open alerts that are held back, but for those of checks that don't run, and those that have waited
 * for their check for an hour since their location came back. `?` is the instant.
 */
function hasHeldAlerts(incidentKey: string): string {
  return `EXISTS (SELECT FROM location_holds lh JOIN held_alerts h ON h.instance_id = lh.instance_id
    JOIN alert_instances a ON a.id = lh.instance_id JOIN checks c ON c.key = a.check_key
    WHERE lh.incident_key = ${incidentKey} AND NOT h.has_ended AND a.state IN ('active', 'acknowledged') AND c.enabled AND NOT c.paused
      AND coalesce(h.free_since > CAST(? AS timestamptz) - interval '${WAITING_MS_MAX / 1000} seconds', true))`;
}

/** An outage to be judged. */
export interface OutageToJudge extends OutageRow {
  /** When it was last found to last, in Unix ms. */
  judgedAtMs: number;
  /** Since when its location reaches targets again, in Unix ms; null: it does not, or nothing is known. */
  reachedSinceMs: number | null;
  /** Networks that were unreached when it was last found to last. */
  networks: string[];
  isGuarded: boolean;
  /** True when its incident lists alerts for which it stays open. */
  hasHeldAlerts: boolean;
}

/** A page of outages, in the order of their keys: those that were not confirmed since an instant. */
export interface OutagesPage {
  nowMs: number;
  beforeMs: number;
  afterKey: number;
  limit: number;
}

/** Returns the outages of the page that have not ended. */
export function readOutagesToJudge(
  db: Knex,
  { nowMs, beforeMs, afterKey, limit }: OutagesPage,
): Promise<OutageToJudge[]> {
  return queryRows(
    db,
    `SELECT j.*, ${hasHeldAlerts("j.incident_key")} AS has_held_alerts
     FROM (${OUTAGES} WHERE o.ended_at IS NULL AND o.judged_at <= ? AND o.key > ? ORDER BY o.key LIMIT ?) j ORDER BY j.key`,
    [new Date(nowMs), new Date(beforeMs), afterKey, limit],
  );
}

/** Returns the outages of the team's locations that have not ended. */
export function readOpenOutages(db: Knex, teamId: TeamId): Promise<OutageRow[]> {
  return queryRows(db, `${OUTAGES} WHERE o.ended_at IS NULL AND o.team_id = ?`, [teamId]);
}

/** Locks the outages of these keys, the binding, that nobody else holds: no team then waits for another's, and the rest are due again in seconds. */
const LOCKED_WHERE_FREE = `WITH locked AS MATERIALIZED
  (SELECT key FROM location_outages WHERE key = ANY(?) FOR NO KEY UPDATE SKIP LOCKED)`;

const CONFIRMED = defineRecordset({ key: "bigint", networks: TEXT_ARRAY });

/** Notes that these outages were found to last at this instant, and which networks are unreached. */
export async function confirmOutages(
  db: Knex,
  outages: readonly { key: number; networks: readonly string[] }[],
  atMs: number,
): Promise<void> {
  if (outages.length === 0) return;
  await db.raw(
    `${LOCKED_WHERE_FREE} UPDATE location_outages o SET ${CONFIRMED.assignments("u", ["key"])}, judged_at = ?, reached_since = NULL
     FROM ${CONFIRMED.as("u")}, locked WHERE o.key = u.key AND o.key = locked.key`,
    [outages.map(({ key }) => key), new Date(atMs), JSON.stringify(outages)],
  );
}

/** Notes that the locations of these outages reach targets again, unless that is known already. */
export async function markReached(db: Knex, keys: readonly number[], atMs: number): Promise<void> {
  if (keys.length === 0) return;
  await db.raw(
    `${LOCKED_WHERE_FREE} UPDATE location_outages o SET reached_since = ? FROM locked
     WHERE o.key = locked.key AND o.reached_since IS NULL`,
    [[...keys], new Date(atMs)],
  );
}

/** Ends an outage whose incident is over, so that another one can be opened; alerts that are held because of its location stay held. */
export async function endOutageOfClosed(trx: Knex, key: number, atMs: number): Promise<void> {
  const at = new Date(atMs);
  await trx("locationOutages").where({ key, endedAt: null }).update({ endedAt: at, judgedAt: at });
}

/** Ends an outage. @returns false when it is over already, or when its incident stays open for an alert that is held back */
export async function endOutage(trx: Knex, key: number, atMs: number): Promise<boolean> {
  const at = new Date(atMs);
  const ended = await queryRows<{ key: number }>(
    trx,
    `UPDATE location_outages o SET ended_at = ?, judged_at = ?
     WHERE o.key = ? AND o.ended_at IS NULL AND NOT ${hasHeldAlerts("o.incident_key")} RETURNING o.key`,
    [at, at, key, at],
  );
  return ended.length > 0;
}
