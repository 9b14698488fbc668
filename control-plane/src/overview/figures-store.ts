/** SQL of an overview's figures beside checks and slots: one statement each, bounded by what the team may store. */
import {
  type CheckId,
  DAY_MS,
  HOUR_MS,
  type LocationId,
  MINUTE_MS,
  OVERVIEW_LATEST_MAX,
  type Overview,
  type Severity,
  type TeamId,
  wholeMs,
} from "@svc/contract";
import type { Knex } from "knex";
import { perRow } from "../platform/db/engine-sql.ts";
import { queryRows } from "../platform/db/rows.ts";
import { BUCKET_MS, hourOf } from "../results/rollups/buckets.ts";

/** Counts open alerts by severity, and open incidents as one more row. */
export function countOpen(
  db: Knex,
  teamId: TeamId,
): Promise<{ what: Severity | "incident"; count: number; unacknowledged: number }[]> {
  return queryRows(
    db,
    `SELECT i.severity AS what, count(*)::integer AS count,
       (count(*) FILTER (WHERE i.state = 'active'))::integer AS unacknowledged FROM checks c
     JOIN alert_instances i ON i.check_key = c.key AND i.state IN ('active', 'acknowledged')
     WHERE c.team_id = :teamId GROUP BY 1
     UNION ALL SELECT 'incident', count(*)::integer, (count(*) FILTER (WHERE state = 'open'))::integer FROM incidents
     WHERE team_id = :teamId AND state IN ('open', 'acknowledged')`,
    { teamId },
  );
}

/** Reads the newest open incidents. */
export function readOpenIncidents(
  db: Knex,
  teamId: TeamId,
  limit: number,
): Promise<Overview["openIncidents"]> {
  return queryRows(
    db,
    `SELECT id, title, severity, state, opened_at, actor_name(acknowledged_by) AS acknowledged_by_name,
       hypothesis ->> 'summary' AS hypothesis
     FROM incidents WHERE team_id = :teamId AND state IN ('open', 'acknowledged')
     ORDER BY opened_at DESC, key DESC LIMIT :limit`,
    { teamId, limit },
  );
}

/** Reads the newest alerts, incidents, deployments and changes, each of them by its own index. */
export function readLatest(db: Knex, teamId: TeamId): Promise<Overview["latest"]> {
  return queryRows(
    db,
    `SELECT * FROM (
       (SELECT 'alert' AS kind, i.id, i.started_at AS at, i.state AS what, c.name, NULL AS type
        FROM alert_instances i JOIN checks c ON c.key = i.check_key
        WHERE i.team_id = :teamId ORDER BY i.started_at DESC, i.id DESC LIMIT :limit)
       UNION ALL
       (SELECT 'incident', id, opened_at, state, title, NULL FROM incidents
        WHERE team_id = :teamId ORDER BY opened_at DESC, key DESC LIMIT :limit)
       UNION ALL
       (SELECT 'deployment', id, created_at, 'deployed', service || ' ' || version, NULL FROM deployments
        WHERE team_id = :teamId ORDER BY created_at DESC, key DESC LIMIT :limit)
       UNION ALL
       (SELECT 'change', resource_id, created_at, action, coalesce(name, resource_id), type FROM changes
        WHERE team_id = :teamId ORDER BY key DESC LIMIT :limit)) latest
     ORDER BY at DESC LIMIT :limit`,
    { teamId, limit: OVERVIEW_LATEST_MAX },
  );
}

/** Time over which the present response time is a mean. */
const PRESENT_MS = 15 * MINUTE_MS;
const USUAL_DAYS = 7;

/**
 * Reads the mean response times of the last minutes and of this hour on the last seven days, ms, over the check locations that
 * have both; those of the last minutes alone when no location has both. Undefined: there are no results.
 */
export async function readResponseTimes(
  db: Knex,
  teamId: TeamId,
  { nowMs, rolledUpUntilMs }: { nowMs: number; rolledUpUntilMs: number },
): Promise<{ nowMs: number; usualMs: number | null } | undefined> {
  const hours = Array.from({ length: USUAL_DAYS }, (_, day) => `{:hourMs} - ${(day + 1) * DAY_MS}::bigint`);
  const mean = (as: string, seconds: number, condition: string) =>
    perRow(db, {
      as,
      columns: "mean_ms numeric",
      select: `SELECT sum(response_time_sum_us) / nullif(sum(success_count + failure_count + error_count + timeout_count), 0) / 1000.0 AS mean_ms
        FROM rollups WHERE bucket_seconds = ${seconds} AND check_key = {c.key} AND location_key = {l.key} AND ${condition}`,
    });
  const [row] = await queryRows<{ present: number | null; compared: number | null; usual: number | null }>(
    db,
    `SELECT avg(n.mean_ms)::float8 AS present, (avg(n.mean_ms) FILTER (WHERE u.mean_ms IS NOT NULL))::float8 AS compared,
       avg(u.mean_ms)::float8 AS usual
     FROM checks c
     JOIN LATERAL (SELECT key FROM locations WHERE id = ANY (c.location_ids)) l ON true
     JOIN LATERAL ${mean("n", BUCKET_MS / 1000, "bucket_ms >= {:presentMs} AND bucket_ms < {:rolledUpUntilMs}")}
       ON n.mean_ms IS NOT NULL
     LEFT JOIN LATERAL ${mean("u", HOUR_MS / 1000, `bucket_ms IN (${hours.join(", ")})`)} ON true
     WHERE c.team_id = :teamId AND c.enabled`,
    {
      teamId,
      hourMs: wholeMs(hourOf(nowMs)),
      presentMs: wholeMs(rolledUpUntilMs - PRESENT_MS),
      rolledUpUntilMs: wholeMs(rolledUpUntilMs),
    },
  );
  if (!row || row.present === null || rolledUpUntilMs < nowMs - HOUR_MS) return undefined;
  return { nowMs: row.compared ?? row.present, usualMs: row.usual };
}

/** Reads channels whose newest delivery failed, with how many of their last three did. */
export function readFailingChannels(
  db: Knex,
  teamId: TeamId,
): Promise<{ id: string; name: string; failed: number }[]> {
  return queryRows(
    db,
    `SELECT c.id, c.name, d.failed FROM notification_channels c CROSS JOIN LATERAL (
       SELECT (count(*) FILTER (WHERE status = 'failed'))::integer AS failed, (array_agg(status ORDER BY key DESC))[1] AS newest
       FROM (SELECT key, status FROM notification_deliveries WHERE channel_key = c.key AND status IN ('delivered', 'failed')
             ORDER BY key DESC LIMIT 3) three) d
     WHERE c.team_id = :teamId AND d.newest = 'failed' ORDER BY d.failed DESC, c.key`,
    { teamId },
  );
}

/** Counts the hosts whose certificate ends before an instant, and names the one that ends first. */
export async function readEndingCertificates(
  db: Knex,
  teamId: TeamId,
  beforeMs: number,
): Promise<{ count: number; next: { checkId: CheckId; host: string; validToMs: number } | null }> {
  const [row] = await queryRows<{
    count: number;
    first: { checkId: CheckId; host: string; validToMs: number } | null;
  }>(
    db,
    `SELECT count(*)::integer AS count,
       (array_agg(jsonb_build_object('checkId', e.id, 'host', e.host, 'validToMs', e.valid_to) ORDER BY e.valid_to))[1] AS first
     FROM (SELECT c.id, t.host, min((v.value ->> 'validToMs')::bigint) AS valid_to
       FROM checks c JOIN tracked_certificates t ON t.check_key = c.key
       CROSS JOIN LATERAL jsonb_each(t.views) v
       JOIN locations l ON l.key = v.key::integer AND l.id = ANY (c.location_ids)
       WHERE c.team_id = :teamId AND c.enabled GROUP BY 1, 2) e
     WHERE e.valid_to < :beforeMs`,
    { teamId, beforeMs: wholeMs(beforeMs) },
  );
  return { count: row?.count ?? 0, next: row?.first ?? null };
}

/** A location that checks of the team run at. */
export interface UsedLocation {
  key: number;
  id: string;
  name: string;
  status: "active" | "deprecated" | "retired";
  /** Runners that hold a lease; null at hosted locations, which several runners of the operator serve. */
  runnerCount: number | null;
}

/** Reads the locations that enabled checks of the team run at. */
export function readUsedLocations(db: Knex, teamId: TeamId): Promise<UsedLocation[]> {
  return queryRows(
    db,
    `SELECT l.key, l.id, l.display_name AS name, l.status,
       CASE WHEN l.team_id IS NOT NULL THEN (SELECT count(*)::integer FROM runners r
         WHERE r.location_key = l.key AND r.lease_until > clock_timestamp()) END AS runner_count
     FROM (SELECT DISTINCT unnest(location_ids) AS id FROM checks WHERE team_id = :teamId AND enabled) u
     JOIN locations l ON l.id = u.id ORDER BY l.key`,
    { teamId },
  );
}

/** Names of locations by their keys. */
export async function readLocationsByKey(
  db: Knex,
  keys: readonly number[],
): Promise<Map<number, { id: LocationId; name: string }>> {
  const rows = await queryRows<{ key: number; id: LocationId; name: string }>(
    db,
    "SELECT key, id, display_name AS name FROM locations WHERE key = ANY(CAST(:keys AS integer[]))",
    { keys: `{${keys.join(",")}}` },
  );
  return new Map(rows.map(({ key, id, name }) => [key, { id, name }]));
}

/**
 * Counts enabled checks without an enabled alert rule, and enabled rules of which no channel can tell anybody, neither by the alert
 * nor by its incident; each with the checks of the first three.
 */
export function readUnannounced(
  db: Knex,
  teamId: TeamId,
  { isMailSetUp }: { isMailSetUp: boolean },
): Promise<
  {
    kind: "check_without_rule" | "rule_without_channel";
    count: number;
    subjects: { id: string; name: string }[];
  }[]
> {
  const first = `count(*)::integer AS count, (array_agg(jsonb_build_object('id', id, 'name', name) ORDER BY key))[1:3] AS subjects`;
  return queryRows(
    db,
    `SELECT 'check_without_rule' AS kind, ${first} FROM checks c
     WHERE team_id = :teamId AND enabled AND NOT EXISTS (
       SELECT FROM alert_rules r WHERE r.check_key = c.key AND r.enabled AND r.deleted_at IS NULL)
     HAVING count(*) > 0
     UNION ALL
     SELECT 'rule_without_channel', ${first} FROM (
       SELECT r.key, c.id, c.name FROM alert_rules r JOIN checks c ON c.key = r.check_key
       WHERE r.team_id = :teamId AND r.enabled AND r.deleted_at IS NULL AND c.enabled AND NOT EXISTS (
         SELECT FROM notification_channels n WHERE n.team_id = r.team_id
           AND (n.id = ANY (r.channel_ids) OR n.incident_subscribed) AND (n.type <> 'email' OR :isMailSetUp))) r
     HAVING count(*) > 0`,
    { teamId, isMailSetUp },
  );
}

/** Reads which first steps the team has done. */
export async function readSetUp(db: Knex, teamId: TeamId): Promise<Overview["setUp"]> {
  const [row] = await queryRows<Overview["setUp"]>(
    db,
    `SELECT EXISTS (SELECT FROM notification_channels WHERE team_id = :teamId) AS channel,
       EXISTS (SELECT FROM checks c JOIN alert_rules r ON r.check_key = c.key AND r.deleted_at IS NULL
               WHERE c.team_id = :teamId) AS rule,
       EXISTS (SELECT FROM deploy_baselines WHERE team_id = :teamId) AS deploy`,
    { teamId },
  );
  return row ?? { channel: false, rule: false, deploy: false };
}
