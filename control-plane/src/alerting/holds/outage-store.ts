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
import { queryRows } from "../../platform/db/rows.ts";
import type { TeamLocation } from "./reach-store.ts";

/** Age of a confirmation up to which an outage counts without being judged anew. */
const CONFIRMED_MS = MINUTE_MS;

/**
 * Time for which an outage counts as lasting after it was last found to last. One judgement by which it seems over, as when a single network
 * is reached for a moment, so changes nothing; and where nothing judges any more, outages hold no alert back.
 */
export const LASTING_MS = 20_000;

/** Returns the locations among these whose outage was confirmed within the last minute. */
export function readKnownOutages(
  db: Knex,
  asked: readonly TeamLocation[],
): Promise<{ teamId: TeamId; locationKey: number }[]> {
  return queryRows(
    db,
    `SELECT o.team_id, o.location_key FROM location_outages o
     JOIN unnest(CAST(:teamIds AS text[]), CAST(:locationKeys AS integer[]), CAST(:ats AS bigint[])) AS w (team_id, key, at_ms)
       ON o.team_id = w.team_id AND o.location_key = w.key
     WHERE o.ended_at IS NULL AND EXISTS (SELECT FROM locations l WHERE l.key = o.location_key AND l.is_guarded)
       AND o.judged_at >= to_timestamp((w.at_ms - ${CONFIRMED_MS}) / 1000.0)`,
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
    i.id AS incident_id, o.channel_ids, o.began_at, (extract(epoch FROM o.judged_at) * 1000)::bigint AS judged_at_ms
  FROM location_outages o JOIN locations l ON l.key = o.location_key JOIN incidents i ON i.key = o.incident_key`;

function hasHeldAlerts(incidentKey: string): string {
  return `EXISTS (SELECT FROM location_holds lh JOIN held_alerts h ON h.instance_id = lh.instance_id
    JOIN alert_instances a ON a.id = lh.instance_id
    WHERE lh.incident_key = ${incidentKey} AND NOT h.has_ended AND a.state IN ('active', 'acknowledged'))`;
}

/** An outage to be judged. */
export interface OutageToJudge extends OutageRow {
  /** When it was last found to last, in Unix ms. */
  judgedAtMs: number;
  /** True when its incident lists alerts that are open and still held back. */
  hasHeldAlerts: boolean;
}

/** Returns a page of the outages that have not ended and were not confirmed since an instant, in the order of their keys. */
export function readOutagesToJudge(
  db: Knex,
  { beforeMs, afterKey, limit }: { beforeMs: number; afterKey: number; limit: number },
): Promise<OutageToJudge[]> {
  return queryRows(
    db,
    `SELECT j.*, ${hasHeldAlerts("j.incident_key")} AS has_held_alerts
     FROM (${OUTAGES} WHERE o.ended_at IS NULL AND o.judged_at <= ? AND o.key > ? ORDER BY o.key LIMIT ?) j ORDER BY j.key`,
    [new Date(beforeMs), afterKey, limit],
  );
}

/** Returns the outages of the team's locations that have not ended. */
export function readOpenOutages(db: Knex, teamId: TeamId): Promise<OutageRow[]> {
  return queryRows(db, `${OUTAGES} WHERE o.ended_at IS NULL AND o.team_id = ?`, [teamId]);
}

/** Notes that these outages were found to last at this instant. */
export async function confirmOutages(db: Knex, keys: readonly number[], atMs: number): Promise<void> {
  if (keys.length === 0) return;
  // In one order, so that no two replicas wait for each other.
  await db.raw(
    `WITH locked AS MATERIALIZED (SELECT key FROM location_outages WHERE key = ANY(?) ORDER BY key FOR NO KEY UPDATE)
     UPDATE location_outages o SET judged_at = ? FROM locked WHERE o.key = locked.key`,
    [[...keys], new Date(atMs)],
  );
}

/** Ends an outage whose incident is over, so that another one can be opened; alerts that are held because of its location stay held. */
export async function endOutageOfClosed(trx: Knex, key: number, atMs: number): Promise<void> {
  const at = new Date(atMs);
  await trx("locationOutages").where({ key, endedAt: null }).update({ endedAt: at, judgedAt: at });
}

/** Ends an outage. @returns false when it is over already, or when an alert of its incident is still held back */
export async function endOutage(trx: Knex, key: number, atMs: number): Promise<boolean> {
  const at = new Date(atMs);
  const ended = await queryRows<{ key: number }>(
    trx,
    `UPDATE location_outages o SET ended_at = ?, judged_at = ?
     WHERE o.key = ? AND o.ended_at IS NULL AND NOT ${hasHeldAlerts("o.incident_key")} RETURNING o.key`,
    [at, at, key],
  );
  return ended.length > 0;
}
