/** SQL of what else the hypothesis looks at: other checks on the same hosts, maintenance, runners. */
import { HOUR_MS, MINUTE_MS, STATUS_CODES, type TeamId } from "@svc/contract";
import type { Knex } from "knex";
import { queryRows } from "../../platform/db/rows.ts";
import { CHANGE_LOOK_BACK_MS, type RunnerFact } from "./finding.ts";

const HEARTBEAT_AGE_MS = MINUTE_MS;
/** With more hosts than this at once, what else is on them explains nothing. */
const HOSTS_MAX = 20;
const NEIGHBOURS_PER_HOST = 20;
const RESULT_AGE_MS = HOUR_MS;
/** The host of a URL, for PostgreSQL: its first group. A binding, since a question mark in the statement would be one. */
const HOST_PATTERN = "^[a-zA-Z]+://(?:[^/@]*@)?([^/:?#]+)";

export interface NeighbourRow {
  checkId: string;
  checkName: string;
  host: string;
  isFailing: boolean;
}

/** Checks of the team on these hosts, with whether any location's newest result is a failure. */
export function readNeighbours(
  db: Knex,
  teamId: TeamId,
  hosts: readonly string[],
  nowMs: number,
): Promise<NeighbourRow[]> {
  if (hosts.length === 0 || hosts.length > HOSTS_MAX) return Promise.resolve([]);
  return queryRows(
    db,
    `SELECT c.id AS "checkId", c.name AS "checkName", h.host, bool_or(n.status <> ${STATUS_CODES.success}) AS "isFailing"
     FROM unnest(CAST(:hosts AS text[])) AS h (host)
     CROSS JOIN LATERAL (
       SELECT key, id, name FROM checks WHERE team_id = :teamId AND enabled
         AND lower(substring(coalesce(config ->> 'url', config ->> 'endpoint') FROM :hostPattern)) = h.host
       ORDER BY key LIMIT ${NEIGHBOURS_PER_HOST}) c
     JOIN check_revisions v ON v.check_key = c.key AND v.effective_until_ms IS NULL
     CROSS JOIN LATERAL unnest(v.location_keys) AS p (location_key)
     CROSS JOIN LATERAL (SELECT status FROM results WHERE check_key = c.key AND location_key = p.location_key
       AND slot_ms >= :fromMs ORDER BY slot_ms DESC LIMIT 1) n
     GROUP BY c.id, c.name, h.host ORDER BY c.id`,
    { teamId, hosts: [...hosts], fromMs: nowMs - RESULT_AGE_MS, hostPattern: HOST_PATTERN },
  );
}

/** Windows that held for these checks at some time shortly before. */
export function readRecentWindows(
  db: Knex,
  teamId: TeamId,
  checkIds: readonly string[],
  untilMs: number,
): Promise<{ checkId: string; name: string; endsAtMs: number }[]> {
  return queryRows(
    db,
    `SELECT c.id AS "checkId", w.name, max((extract(epoch FROM o.ends_at) * 1000)::bigint) AS "endsAtMs"
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

/** Runners that are alive at these locations, by the locations' ids. */
export function readRunners(db: Knex, locationIds: readonly string[], nowMs: number): Promise<RunnerFact[]> {
  if (locationIds.length === 0) return Promise.resolve([]);
  return queryRows(
    db,
    `SELECT l.id AS "locationId", l.display_name AS "locationName", count(r.key)::integer AS "aliveCount"
     FROM locations l LEFT JOIN runners r ON l.key = ANY(r.location_keys) AND r.last_heartbeat_at > ?
     WHERE l.id = ANY(?) GROUP BY l.id, l.display_name ORDER BY l.id`,
    [new Date(nowMs - HEARTBEAT_AGE_MS), [...locationIds]],
  );
}
