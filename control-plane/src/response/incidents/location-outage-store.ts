/** SQL of the incidents that are a location's own. The caller holds the lock of the team's incidents. */
import type {
  AlertInstanceId,
  ChannelId,
  IncidentId,
  IncidentState,
  LocationId,
  Severity,
  TeamId,
} from "@svc/contract";
import type { Knex } from "knex";
import { queryRows } from "../../platform/db/rows.ts";

/** A location that an incident may be opened for. */
export interface NamedLocation {
  locationKey: number;
  locationId: LocationId;
  locationName: string;
}

/** Lists these held alerts in an incident of their location. */
export async function listHeldAlerts(
  trx: Knex,
  incidentKey: number,
  instanceIds: readonly AlertInstanceId[],
): Promise<void> {
  await trx("locationHolds")
    .whereIn("instanceId", [...instanceIds])
    .update({ incidentKey });
}

/** Held alerts that are listed in another incident now. */
export interface RelistedAlerts {
  severities: Severity[];
  /** Channels that their rules name, muted alerts left out. */
  channelIds: ChannelId[];
}

/** Lists the alerts of an incident that are still held back in another. Those whose hold is being ended are passed over. */
export async function relistHeldAlerts(
  trx: Knex,
  { fromKey, toKey }: { fromKey: number | undefined; toKey: number },
): Promise<RelistedAlerts> {
  const none = { severities: [], channelIds: [] };
  if (fromKey === undefined) return none;
  const [row] = await queryRows<RelistedAlerts>(
    trx,
    `WITH moving AS (
       SELECT lh.instance_id, a.severity, CASE WHEN a.muted_by IS NULL THEN r.channel_ids ELSE '{}' END AS channel_ids
       FROM location_holds lh JOIN held_alerts h ON h.instance_id = lh.instance_id
       JOIN alert_instances a ON a.id = lh.instance_id JOIN alert_rules r ON r.key = a.rule_key
       WHERE lh.incident_key = :fromKey AND NOT h.has_ended AND a.state IN ('active', 'acknowledged')
       ORDER BY lh.instance_id FOR NO KEY UPDATE OF lh SKIP LOCKED
     ), moved AS (
       UPDATE location_holds lh SET incident_key = :toKey FROM moving m WHERE lh.instance_id = m.instance_id
     )
     SELECT ARRAY(SELECT DISTINCT severity FROM moving) AS severities,
       ARRAY(SELECT DISTINCT c FROM moving CROSS JOIN unnest(channel_ids) AS c) AS channel_ids`,
    { fromKey, toKey },
  );
  return row ?? none;
}

/** Returns the locations with these keys, in the order of them. */
export function readNamedLocations(db: Knex, locationKeys: readonly number[]): Promise<NamedLocation[]> {
  return queryRows(
    db,
    `SELECT key AS location_key, id AS location_id, display_name AS location_name FROM locations WHERE key = ANY(?) ORDER BY key`,
    [[...locationKeys]],
  );
}

/** Returns the keys of the locations where the checks of the alerts that an incident lists failed, each once. */
export async function readListedLocations(db: Knex, incidentKey: number): Promise<number[]> {
  const rows = await queryRows<{ locationKey: number }>(
    db,
    "SELECT DISTINCT unnest(location_keys) AS location_key FROM location_holds WHERE incident_key = ?",
    [incidentKey],
  );
  return rows.map(({ locationKey }) => locationKey);
}

/** Locks the outages of the team's locations that last, in the order of their keys. */
export async function lockOpenOutages(trx: Knex, teamId: TeamId): Promise<void> {
  await trx.raw(
    "SELECT FROM location_outages WHERE team_id = ? AND ended_at IS NULL ORDER BY key FOR NO KEY UPDATE",
    [teamId],
  );
}

/** Returns the newest incident of the location that is open or acknowledged, with the channels that were notified of it. */
export async function findActiveIncidentOfLocation(
  db: Knex,
  teamId: TeamId,
  locationKey: number,
): Promise<{ incidentKey: number; channelIds: ChannelId[] } | undefined> {
  const [row] = await queryRows<{ incidentKey: number; channelIds: ChannelId[] }>(
    db,
    `SELECT o.incident_key, o.channel_ids FROM location_outages o JOIN incidents i ON i.key = o.incident_key
     WHERE o.team_id = ? AND o.location_key = ? AND i.state IN ('open', 'acknowledged') ORDER BY o.key DESC LIMIT 1`,
    [teamId, locationKey],
  );
  return row;
}

/** An outage that lasts, with another incident than the one at hand. */
export interface OtherOutage {
  locationName: string;
  incidentId: IncidentId;
  state: IncidentState;
}

/** Returns the outage that lasts of a location whose earlier outage had this incident, when it has another; undefined: there is none. */
export async function findOtherOutage(db: Knex, incidentKey: number): Promise<OtherOutage | undefined> {
  const [row] = await queryRows<OtherOutage>(
    db,
    `SELECT l.display_name AS location_name, i.id AS incident_id, i.state FROM location_outages own
     JOIN location_outages o ON o.team_id = own.team_id AND o.location_key = own.location_key
     JOIN locations l ON l.key = o.location_key JOIN incidents i ON i.key = o.incident_key
     WHERE own.incident_key = :incidentKey AND o.ended_at IS NULL AND o.incident_key <> :incidentKey ORDER BY o.key DESC LIMIT 1`,
    { incidentKey },
  );
  return row;
}

/** An outage that begins. `atMs`: Unix ms. */
export interface NewOutage {
  teamId: TeamId;
  locationKey: number;
  incidentKey: number;
  channelIds: readonly ChannelId[];
  atMs: number;
}

/** Stores an outage. */
export async function insertOutage(
  trx: Knex,
  { teamId, locationKey, incidentKey, channelIds, atMs }: NewOutage,
): Promise<void> {
  const at = new Date(atMs);
  await trx("locationOutages").insert({
    teamId,
    locationKey,
    incidentKey,
    channelIds: [...channelIds],
    beganAt: at,
    judgedAt: at,
  });
}

/** Adds channels to those that are notified of an outage's incident. */
export async function addOutageChannels(
  trx: Knex,
  key: number,
  channelIds: readonly ChannelId[],
): Promise<void> {
  await trx.raw("UPDATE location_outages SET channel_ids = channel_ids || CAST(? AS text[]) WHERE key = ?", [
    [...channelIds],
    key,
  ]);
}

/** Channels of an outage `o` that rules of its held alerts name, and that have not been notified of it. */
const ADDED_CHANNELS = `SELECT DISTINCT c.id FROM location_holds lh JOIN held_alerts h ON h.instance_id = lh.instance_id
  JOIN alert_instances a ON a.id = lh.instance_id JOIN alert_rules r ON r.key = a.rule_key
  CROSS JOIN LATERAL unnest(r.channel_ids) AS c (id)
  WHERE lh.incident_key = o.incident_key AND NOT h.has_ended AND a.state IN ('active', 'acknowledged') AND a.muted_by IS NULL
    AND NOT r.channel_ids <@ o.channel_ids AND c.id <> ALL (o.channel_ids)`;

/** Returns a page of the outages that last, whose incident is open or acknowledged, and that such channels have not heard of. */
export function readOutagesToTell(
  db: Knex,
  { afterKey, limit }: { afterKey: number; limit: number },
): Promise<{ key: number; teamId: TeamId }[]> {
  return queryRows(
    db,
    `SELECT o.key, o.team_id FROM location_outages o JOIN incidents i ON i.key = o.incident_key
     WHERE o.ended_at IS NULL AND o.key > ? AND i.state IN ('open', 'acknowledged') AND EXISTS (${ADDED_CHANNELS})
     ORDER BY o.key LIMIT ?`,
    [afterKey, limit],
  );
}

/** Returns the channels of an outage that lasts which have not heard of it; undefined: there are none. */
export async function findAddedChannels(
  trx: Knex,
  key: number,
): Promise<{ incidentKey: number; channelIds: ChannelId[] } | undefined> {
  const [row] = await queryRows<{ incidentKey: number; channelIds: ChannelId[] }>(
    trx,
    `SELECT o.incident_key, ARRAY(${ADDED_CHANNELS}) AS channel_ids FROM location_outages o
     WHERE o.key = ? AND o.ended_at IS NULL`,
    [key],
  );
  return row && row.channelIds.length > 0 ? row : undefined;
}

/** Returns the incidents among these that are a location's own, each with whether its outage lasts. */
export async function readLocationIncidents(
  db: Knex,
  incidentKeys: readonly number[],
): Promise<Map<number, { isOut: boolean }>> {
  if (incidentKeys.length === 0) return new Map();
  const rows = await queryRows<{ incidentKey: number; isOut: boolean }>(
    db,
    `SELECT incident_key, bool_or(ended_at IS NULL) AS is_out FROM location_outages WHERE incident_key = ANY(?)
     GROUP BY incident_key`,
    [[...incidentKeys]],
  );
  return new Map(rows.map(({ incidentKey, isOut }) => [incidentKey, { isOut }]));
}
