/** SQL of the health of private locations as it was last reported, and of the watch over them. */
import type { ChannelId, LocationId, TeamId } from "@svc/contract";
import type { Knex } from "knex";
import { queryRows } from "../../platform/db/rows.ts";
import type { ReportedHealth } from "./judge-health.ts";

/** A private location with its reported health. */
export interface WatchedLocation {
  key: number;
  id: LocationId;
  teamId: TeamId;
  name: string;
  displayName: string;
  channelIds: ChannelId[];
  /** Undefined for a location that was not watched before. */
  reported: ReportedHealth | undefined;
}

/** Reads private locations behind a key, in the order of their keys. */
export async function readWatchedLocations(
  db: Knex,
  afterKey: number,
  limit: number,
): Promise<WatchedLocation[]> {
  const rows = await queryRows<Omit<WatchedLocation, "reported"> & Nullable<ReportedHealth>>(
    db,
    `SELECT l.key, l.id, l.team_id, l.name, l.display_name, l.channel_ids, h.health, h.better_since_ms, h.changes_ms
     FROM locations l LEFT JOIN location_health h ON h.location_key = l.key
     WHERE l.team_id IS NOT NULL AND l.deleted_at IS NULL AND l.key > ? ORDER BY l.key LIMIT ?`,
    [afterKey, limit],
  );
  return rows.map(({ health, betterSinceMs, changesMs, ...location }) => ({
    ...location,
    reported:
      health === null ? undefined : { health, betterSinceMs, changesMs: (changesMs ?? []).map(Number) },
  }));
}

type Nullable<T> = { [Property in keyof T]: T[Property] | null };

/** Stores the health of a location that is watched for the first time. Harmless to repeat. */
export async function insertReported(db: Knex, key: number, health: ReportedHealth["health"]): Promise<void> {
  await db("locationHealth").insert({ locationKey: key, health }).onConflict("locationKey").ignore();
}

/**
 * Replaces the reported health of a location, if it is still the one that the decision was made from.
 * @returns whether it was, and the location is there; of several replicas one gets true
 */
export async function replaceReported(
  trx: Knex,
  key: number,
  { from, to }: { from: ReportedHealth; to: ReportedHealth },
): Promise<boolean> {
  const rows = await queryRows(
    trx,
    `UPDATE location_health SET health = :health, better_since_ms = :betterSince, changes_ms = :changes
     WHERE location_key = :key AND health = :fromHealth AND changes_ms = CAST(:fromChanges AS bigint[])
       AND EXISTS (SELECT FROM locations WHERE key = :key AND deleted_at IS NULL)
     RETURNING 1`,
    {
      key,
      health: to.health,
      betterSince: to.betterSinceMs,
      changes: [...to.changesMs],
      fromHealth: from.health,
      fromChanges: [...from.changesMs],
    },
  );
  return rows.length > 0;
}

/** Returns the number of the team's enabled checks that run at a location. */
export async function countChecksAt(
  db: Knex,
  { teamId, id }: Pick<WatchedLocation, "teamId" | "id">,
): Promise<number> {
  const [row] = await queryRows<{ count: number }>(
    db,
    "SELECT count(*)::integer AS count FROM checks WHERE team_id = ? AND enabled AND ? = ANY(location_ids)",
    [teamId, id],
  );
  return row?.count ?? 0;
}

const WATCHED_UNTIL = "location health";
const WATCHED_SINCE = "location health, since";

/**
 * Notes that locations are being watched, and returns since when they have been without a longer pause.
 * @param pauseMsMax longest pause between two passes that doesn't interrupt the watch, ms
 * @returns Unix ms
 */
export async function noteWatch(db: Knex, nowMs: number, pauseMsMax: number): Promise<number> {
  const rows: { job: string; doneUntilMs: number }[] = await db("jobProgress").whereIn("job", [
    WATCHED_UNTIL,
    WATCHED_SINCE,
  ]);
  const known = new Map(rows.map(({ job, doneUntilMs }) => [job, Number(doneUntilMs)]));
  const until = known.get(WATCHED_UNTIL);
  const isInterrupted = until === undefined || nowMs - until > pauseMsMax;
  const sinceMs = isInterrupted ? nowMs : (known.get(WATCHED_SINCE) ?? nowMs);
  await db("jobProgress")
    .insert([
      { job: WATCHED_UNTIL, doneUntilMs: nowMs },
      { job: WATCHED_SINCE, doneUntilMs: sinceMs },
    ])
    .onConflict("job")
    .merge();
  return sinceMs;
}
