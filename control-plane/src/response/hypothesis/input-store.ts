/** SQL of the surroundings of an incident: other checks on its hosts, maintenance windows, runners. */
import {
  type CheckId,
  HOUR_MS,
  type LocationId,
  MINUTE_MS,
  STATUS_CODES,
  type TeamId,
  wholeMs,
} from "@svc/contract";
import type { Knex } from "knex";
import { targetSql } from "../../checks/target-sql.ts";
import { perRow } from "../../platform/db/engine-sql.ts";
import { queryRows } from "../../platform/db/rows.ts";
import { newestToMs } from "../../platform/db/slot-bindings.ts";
import { CHANGE_LOOK_BACK_MS, type LocationRunners, type Neighbour } from "./input.ts";

/** Age of a runner's last heartbeat from which on the runner does not count as alive. */
const HEARTBEAT_AGE_MS = MINUTE_MS;
/** Number of hosts beyond which other checks on them explain nothing. */
const HOSTS_MAX = 20;
const NEIGHBOURS_PER_HOST = 20;
const RESULT_AGE_MS = HOUR_MS;
/**
 * Pattern whose first group is the host of a URL, or of a target that is a host alone. A binding, since a question mark
 * in the statement would be one.
 */
const HOST_PATTERN = "^(?:[a-zA-Z]+://)?(?:[^/@]*@)?([^/:?#]+)";

/** Another check on a failing host, with its id. */
export interface NeighbourRow extends Neighbour {
  checkId: CheckId;
}

/** The team and the hosts whose checks are read, as of an instant (Unix ms). */
export interface NeighboursInput {
  teamId: TeamId;
  hosts: readonly string[];
  nowMs: number;
}

/** Returns the team's checks on these hosts. A check fails when the newest result of any location is not a success. */
export function readNeighbours(db: Knex, { teamId, hosts, nowMs }: NeighboursInput): Promise<NeighbourRow[]> {
  if (hosts.length === 0 || hosts.length > HOSTS_MAX) return Promise.resolve([]);
  return queryRows(
    db,
    `SELECT c.id AS check_id, c.name AS check_name, h.host, bool_or(n.status <> ${STATUS_CODES.success}) AS is_failing
     FROM unnest(CAST(:hosts AS text[])) AS h (host)
     CROSS JOIN LATERAL (
       SELECT key, id, name FROM checks WHERE team_id = :teamId AND enabled
         AND lower(substring(${targetSql("checks")} FROM :hostPattern)) = h.host
       ORDER BY key LIMIT ${NEIGHBOURS_PER_HOST}) c
     JOIN check_revisions v ON v.check_key = c.key AND v.effective_until_ms IS NULL
     CROSS JOIN LATERAL unnest(v.location_keys) AS p (location_key)
     CROSS JOIN LATERAL ${perRow(db, {
       as: "n",
       columns: "status smallint",
       select: `SELECT status FROM results WHERE check_key = {c.key} AND location_key = {p.location_key}
         AND slot_ms BETWEEN {:fromMs} AND {:newestToMs} ORDER BY slot_ms DESC LIMIT 1`,
     })}
     GROUP BY c.id, c.name, h.host ORDER BY c.id`,
    {
      teamId,
      hosts: [...hosts],
      fromMs: wholeMs(nowMs - RESULT_AGE_MS),
      newestToMs: newestToMs(nowMs),
      hostPattern: HOST_PATTERN,
    },
  );
}

/** A maintenance window of a check. */
export interface WindowRow {
  checkId: CheckId;
  name: string;
  /** Unix ms. */
  endsAtMs: number;
}

/** The checks whose maintenance windows are read. */
export interface RecentWindowsInput {
  teamId: TeamId;
  checkIds: readonly CheckId[];
  /** Unix ms. */
  untilMs: number;
}

/** Returns the windows that held for these checks at some time in the {@link CHANGE_LOOK_BACK_MS} before an instant. */
export function readRecentWindows(
  db: Knex,
  { teamId, checkIds, untilMs }: RecentWindowsInput,
): Promise<WindowRow[]> {
  return queryRows(
    db,
    `SELECT c.id AS check_id, w.name, max((extract(epoch FROM o.ends_at) * 1000)::bigint) AS ends_at_ms
     FROM maintenance_occurrences o
     JOIN maintenance_windows w ON w.key = o.window_key AND w.team_id = :teamId
     JOIN checks c ON c.team_id = w.team_id AND c.id = ANY(CAST(:checkIds AS text[]))
     WHERE o.ends_at > :from AND o.starts_at <= :until
       AND (w.is_for_all_checks
            OR EXISTS (SELECT FROM maintenance_window_checks m WHERE m.window_key = w.key AND m.check_key = c.key))
     GROUP BY c.id, w.id, w.name ORDER BY w.name`,
    {
      teamId,
      checkIds: [...checkIds],
      from: new Date(untilMs - CHANGE_LOOK_BACK_MS),
      until: new Date(untilMs),
    },
  );
}

/** Returns these locations with the number of their runners that are alive. */
export function readRunners(
  db: Knex,
  locationIds: readonly LocationId[],
  nowMs: number,
): Promise<LocationRunners[]> {
  if (locationIds.length === 0) return Promise.resolve([]);
  return queryRows(
    db,
    `SELECT l.id AS location_id, l.display_name AS location_name, count(r.key)::integer AS alive_count
     FROM locations l LEFT JOIN runners r ON l.key = ANY(r.location_keys) AND r.last_heartbeat_at > ?
     WHERE l.id = ANY(?) GROUP BY l.id, l.display_name ORDER BY l.id`,
    [new Date(nowMs - HEARTBEAT_AGE_MS), [...locationIds]],
  );
}
