/**
 * SQL of locations, their runner keys and their runners. A team sees the hosted locations and its own; `visibleTo` is the one
 * place of that rule. A deleted location stays as a row, because results name it, and nobody sees it.
 */
import {
  type IncidentId,
  type Location,
  type LocationId,
  PUSH_LOCATION_ID,
  type RunnerId,
  type RunnerKeyId,
  type TeamId,
  wholeMs,
} from "@svc/contract";
import type { Knex } from "knex";
import { queryRows } from "../../platform/db/rows.ts";
import type { ListPart } from "../../platform/http/record-list.ts";
import { ACTIVE_HEARTBEAT_MS, DEGRADED_HEARTBEAT_MS, locationHealth } from "./health.ts";
import { type LocationLife, LocationModel, RunnerKeyModel, type RunnerRow } from "./row.ts";

function visibleTo(db: Knex, teamId: TeamId) {
  return LocationModel.query(db)
    .whereNull("deletedAt")
    .where((either) => either.whereNull("teamId").orWhere({ teamId }));
}

/** Returns the hosted locations in the order in which they were seeded, then the team's own. */
export async function listLocationRows(
  db: Knex,
  teamId: TeamId,
  { after, rowsMax, offset, includeDeprecated }: ListPart & { includeDeprecated: boolean },
): Promise<LocationModel[]> {
  const query = visibleTo(db, teamId).limit(rowsMax).offset(offset);
  if (after) void query.whereRaw("(CAST(team_id IS NOT NULL AS integer), key) > (?, ?)", [...after]);
  if (!includeDeprecated) void query.where({ status: "active" });
  return query.orderByRaw("team_id IS NOT NULL, key");
}

/** Returns a location that the team may see; undefined when there is none with this id. */
export async function findLocationRow(
  db: Knex,
  teamId: TeamId,
  id: LocationId,
): Promise<LocationModel | undefined> {
  return visibleTo(db, teamId).findOne({ id });
}

/** Returns a location, locked until the transaction ends: nobody else changes it, deletes it or begins to use it. */
export async function lockLocationRow(
  trx: Knex,
  teamId: TeamId,
  id: LocationId,
): Promise<LocationModel | undefined> {
  return visibleTo(trx, teamId).findOne({ id }).forUpdate();
}

/**
 * Returns the locations with these ids that the team can see, in no particular order. Its private ones are locked against deletion
 * until the transaction ends; hosted ones can't be deleted, and locking them would make every writer meet there.
 */
export async function locationRowsForUse(
  trx: Knex,
  teamId: TeamId,
  ids: readonly string[],
): Promise<LocationModel[]> {
  const hosted = await visibleTo(trx, teamId).whereIn("id", ids).whereNull("teamId");
  const own = await visibleTo(trx, teamId)
    .whereIn("id", ids)
    .whereNotNull("teamId")
    .orderBy("key")
    .forShare();
  return [...hosted, ...own];
}

/** Returns the location of pushed checks. */
export async function pushLocationRow(db: Knex): Promise<LocationModel> {
  return LocationModel.query(db)
    .findOne({ id: PUSH_LOCATION_ID as LocationId })
    .throwIfNotFound();
}

/** Returns the outages that last of locations as the team's checks see them, by the location's key. */
export async function readLocationOutages(
  db: Knex,
  teamId: TeamId,
): Promise<Map<number, NonNullable<Location["outage"]>>> {
  const rows = await queryRows<{ locationKey: number; since: string; incidentId: IncidentId }>(
    db,
    `SELECT o.location_key, o.began_at AS since, i.id AS incident_id
     FROM location_outages o JOIN incidents i ON i.key = o.incident_key WHERE o.team_id = ? AND o.ended_at IS NULL`,
    [teamId],
  );
  return new Map(rows.map(({ locationKey, ...outage }) => [locationKey, outage]));
}

/** Stores a new location, and returns it with its defaults. */
export async function insertLocation(db: Knex, row: Partial<LocationModel>): Promise<LocationModel> {
  return LocationModel.query(db).insert(row).returning("*");
}

/** Updates the given columns of a location, and returns its new row. */
export async function patchLocation(
  db: Knex,
  key: number,
  patch: Partial<LocationModel>,
): Promise<LocationModel> {
  return LocationModel.query(db).patchAndFetchById(key, patch);
}

/** Stores the health with which the events of a new location begin. */
export async function insertReportedHealth(
  trx: Knex,
  locationKey: number,
  health: Location["health"],
): Promise<void> {
  await trx("locationHealth").insert({ locationKey, health });
}

/** Hides the location, deletes its runner keys and releases its channels. */
export async function markLocationDeleted(trx: Knex, key: number, deletedAt: string): Promise<void> {
  await LocationModel.query(trx).findById(key).patch({ deletedAt, channelIds: [] });
  await RunnerKeyModel.query(trx).delete().where({ locationKey: key });
}

/** Returns the name of a check that runs at the location; undefined when none does. */
export async function findCheckUsing(
  db: Knex,
  teamId: TeamId,
  locationId: LocationId,
): Promise<string | undefined> {
  const [row] = await queryRows<{ name: string }>(
    db,
    "SELECT name FROM checks WHERE team_id = ? AND ? = ANY(location_ids) ORDER BY key LIMIT 1",
    [teamId, locationId],
  );
  return row?.name;
}

/** Returns heartbeats and health of the team's private locations, by location key. */
export function readLocationLives(
  db: Knex,
  teamId: TeamId,
  nowMs: number,
): Promise<Map<number, LocationLife>> {
  return readLives(db, nowMs, { condition: "l.team_id = :teamId", bindings: { teamId } });
}

/** Does the work of {@link readLocationLives} for private locations of any teams, by their keys. */
export function readLivesOfLocations(
  db: Knex,
  keys: readonly number[],
  nowMs: number,
): Promise<Map<number, LocationLife>> {
  return readLives(db, nowMs, {
    condition: "l.key = ANY(:keys) AND l.team_id IS NOT NULL",
    bindings: { keys: [...keys] },
  });
}

/**
 * A slot is missed when runners gave it back and nobody else could run it, or when none of the live runners can run a check of
 * its type.
 */
async function readLives(
  db: Knex,
  nowMs: number,
  { condition, bindings }: { condition: string; bindings: Record<string, unknown> },
): Promise<Map<number, LocationLife>> {
  const rows = await queryRows<{ key: number; lastHeartbeat: string | null; hasMissedSlots: boolean }>(
    db,
    `SELECT l.key, (SELECT max(r.last_heartbeat_at) FROM runners r WHERE r.location_key = l.key) AS last_heartbeat,
       EXISTS (
         SELECT FROM checks c JOIN missed_slots m ON m.check_key = c.key AND m.location_key = l.key
         WHERE c.team_id = l.team_id AND l.id = ANY(c.location_ids)
           -- Slow targets, and a service without its database, say nothing about the runners.
           AND m.reason NOT IN ('previous_run', 'service_unavailable')
           -- The slot was due at this location later by its stagger.
           AND m.slot_ms >= :missedSinceMs - (array_position(c.location_ids, l.id) - 1)::bigint
                              * c.frequency_seconds * 1000 / cardinality(c.location_ids)
       ) OR EXISTS (
         SELECT FROM checks c WHERE c.team_id = l.team_id AND c.enabled AND l.id = ANY(c.location_ids)
           AND NOT EXISTS (SELECT FROM runners r WHERE r.location_key = l.key AND c.type = ANY(r.capabilities)
                             AND r.last_heartbeat_at > :activeSince)
       ) AS has_missed_slots
     FROM locations l WHERE ${condition} AND l.deleted_at IS NULL`,
    {
      ...bindings,
      missedSinceMs: wholeMs(nowMs - DEGRADED_HEARTBEAT_MS),
      activeSince: new Date(nowMs - ACTIVE_HEARTBEAT_MS),
    },
  );
  return new Map(
    rows.map(({ key, lastHeartbeat, hasMissedSlots }) => {
      const heartbeatAgeMs = lastHeartbeat === null ? undefined : nowMs - Date.parse(lastHeartbeat);
      return [key, { health: locationHealth({ heartbeatAgeMs, hasMissedSlots }), lastHeartbeat }];
    }),
  );
}

/** Largest number of runners that a location's list shows. */
const RUNNERS_LISTED_MAX = 500;

/** Returns the location's runners, those heard of last first. The database's clock, which gave the leases, judges them. */
export function listRunnerRows(db: Knex, locationKey: number): Promise<RunnerRow[]> {
  return queryRows(
    db,
    `SELECT id, hostname, version, capabilities, accepting, draining, stats, last_heartbeat_at,
       lease_until > clock_timestamp() AS has_lease
     FROM runners WHERE location_key = ? ORDER BY last_heartbeat_at DESC, key LIMIT ?`,
    [locationKey, RUNNERS_LISTED_MAX],
  );
}

/** A runner with the location where it is. */
export interface TeamRunnerRow extends RunnerRow {
  key: number;
  locationId: LocationId;
}

/** Returns a part of the list of the runners of the team's private locations, oldest first. */
export function listTeamRunnerRows(
  db: Knex,
  teamId: TeamId,
  { after, rowsMax, offset }: ListPart,
): Promise<TeamRunnerRow[]> {
  const [afterKey = 0] = after ?? [];
  return queryRows(
    db,
    `SELECT r.key, l.id AS location_id, r.id, r.hostname, r.version, r.capabilities, r.accepting, r.draining, r.stats,
       r.last_heartbeat_at, r.lease_until > clock_timestamp() AS has_lease
     FROM locations l JOIN runners r ON r.location_key = l.key
     WHERE l.team_id = :teamId AND l.deleted_at IS NULL AND r.key > :afterKey
     ORDER BY r.key LIMIT :rowsMax OFFSET :offset`,
    { teamId, afterKey, rowsMax, offset },
  );
}

/** A time at which a runner was connected to a location, Unix ms. */
export interface PresenceRow {
  runnerId: RunnerId;
  hostname: string;
  fromMs: number;
  untilMs: number;
}

/** Returns the newest presences of runners at a location that end at `fromMs` or later, newest first. */
export function listPresenceRows(
  db: Knex,
  locationKey: number,
  { fromMs, limit }: { fromMs: number; limit: number },
): Promise<PresenceRow[]> {
  return queryRows(
    db,
    `SELECT r.id AS runner_id, r.hostname, p.from_ms, p.until_ms
     FROM runner_presence p JOIN runners r ON r.key = p.runner_key
     WHERE p.location_key = :locationKey AND p.until_ms >= :fromMs
     ORDER BY p.from_ms DESC, p.runner_key LIMIT :limit`,
    { locationKey, fromMs: wholeMs(fromMs), limit },
  );
}

/** Returns a location's runner keys, oldest first. */
export async function listRunnerKeyRows(db: Knex, locationKey: number): Promise<RunnerKeyModel[]> {
  return RunnerKeyModel.query(db).where({ locationKey }).orderBy("createdAt").orderBy("id");
}

/** Stores a new runner key, and returns it with its defaults. */
export async function insertRunnerKey(db: Knex, row: Partial<RunnerKeyModel>): Promise<RunnerKeyModel> {
  return RunnerKeyModel.query(db).insert(row).returning("*");
}

/** Deletes a key of the location. Returns the key as it was; undefined when there was none. */
export async function deleteRunnerKeyRow(
  db: Knex,
  locationKey: number,
  id: RunnerKeyId,
): Promise<RunnerKeyModel | undefined> {
  const [deleted] = await RunnerKeyModel.query(db).delete().where({ locationKey, id }).returning("*");
  return deleted;
}

/** Deletes the runner keys of all the team's locations. */
export async function deleteRunnerKeysOfTeam(trx: Knex, teamId: TeamId): Promise<void> {
  await RunnerKeyModel.query(trx)
    .delete()
    .whereIn("locationKey", trx("locations").where({ teamId }).select("key"));
}
