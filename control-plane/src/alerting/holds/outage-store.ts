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
    i.id AS incident_id, o.channel_ids, o.began_at
  FROM location_outages o JOIN locations l ON l.key = o.location_key JOIN incidents i ON i.key = o.incident_key`;

/** Returns the outages that last and were not confirmed since an instant, the longest unconfirmed first. */
export function readOutagesToJudge(
  db: Knex,
  { beforeMs, limit }: { beforeMs: number; limit: number },
): Promise<OutageRow[]> {
  return queryRows(
    db,
    `${OUTAGES} WHERE o.ended_at IS NULL AND o.judged_at <= ? ORDER BY o.judged_at LIMIT ?`,
    [new Date(beforeMs), limit],
  );
}

/** Returns the outages of the team's locations that last. */
export function readOpenOutages(db: Knex, teamId: TeamId): Promise<OutageRow[]> {
  return queryRows(db, `${OUTAGES} WHERE o.ended_at IS NULL AND o.team_id = ?`, [teamId]);
}

/** Notes that these outages were found to last at this instant. */
export async function confirmOutages(db: Knex, keys: readonly number[], atMs: number): Promise<void> {
  if (keys.length === 0) return;
  await db("locationOutages")
    .whereIn("key", [...keys])
    .update({ judgedAt: new Date(atMs) });
}

/** Ends an outage. @returns false when it is over already */
export async function endOutage(trx: Knex, key: number, atMs: number): Promise<boolean> {
  const ended = { endedAt: new Date(atMs), judgedAt: new Date(atMs) };
  return (await trx("locationOutages").where({ key, endedAt: null }).update(ended)) > 0;
}
