/** SQL of alerts that are held back, and of the checks that theirs depend on. */
import type { AlertInstanceId, CheckId, ConditionType, HoldReason, TeamId } from "@svc/contract";
import type { Knex } from "knex";
import { longestRunSql } from "../../checks/longest-run-sql.ts";
import { queryRows } from "../../platform/db/rows.ts";
import { CUT_OFF_KEYS } from "./outage-store.ts";

/** An open alert whose notifications are held back, of any team. Instants are Unix ms. */
export interface HeldRow {
  instanceId: AlertInstanceId;
  teamId: TeamId;
  checkKey: number;
  frequencySeconds: number;
  /** Time limit of a run with its retries. */
  longestRunMs: number;
  /** True when its check is switched on and not paused. */
  isRunning: boolean;
  startedAtMs: number;
  causeId: AlertInstanceId | null;
  freeSinceMs: number | null;
  reason: HoldReason;
  /** Where its check failed as it began; empty unless the reason is a location. */
  locationKeys: number[];
  /** True when one of these is guarded. */
  isGuarded: boolean;
  /** Locations of the team's whose outage lasts, as far as is known. */
  cutOffKeys: number[];
  /** True when the incident of its location lists it; false until that has been opened. */
  isInIncident: boolean;
  /** Since when it waits for that; null: it never did. */
  queuedAtMs: number | null;
  isMuted: boolean;
  /** Types of the conditions of its rule. */
  conditionTypes: ConditionType[];
}

/** A page of alerts that are held back for certain reasons. `nowMs`: Unix ms. */
interface HeldPage {
  reasons: readonly HoldReason[];
  afterId: string;
  limit: number;
  nowMs: number;
}

/** Returns a page of the alerts that are held back for these reasons, in the order of their ids. */
export function readHeld(db: Knex, { reasons, afterId, limit, nowMs }: HeldPage): Promise<HeldRow[]> {
  return queryRows(
    db,
    `SELECT h.instance_id, h.team_id, i.check_key, c.frequency_seconds, ${longestRunSql("c")} AS longest_run_ms,
       c.enabled AND NOT c.paused AS is_running,
       (extract(epoch FROM i.started_at) * 1000)::bigint AS started_at_ms, h.cause_instance_id AS cause_id,
       (extract(epoch FROM h.free_since) * 1000)::bigint AS free_since_ms, h.reason,
       coalesce(lh.location_keys, '{}') AS location_keys, lh.incident_key IS NOT NULL AS is_in_incident,
       EXISTS (SELECT FROM locations g WHERE g.key = ANY(lh.location_keys) AND g.is_guarded) AS is_guarded,
       (extract(epoch FROM coalesce(lh.queued_at, CASE WHEN lh.payload IS NOT NULL THEN i.started_at END)) * 1000)::bigint AS queued_at_ms,
       i.muted_by IS NOT NULL AS is_muted, ${CUT_OFF_KEYS} AS cut_off_keys,
       ARRAY(SELECT n.condition ->> 'type' FROM alert_rules r, jsonb_array_elements(r.conditions) AS n (condition)
             WHERE r.key = i.rule_key) AS condition_types
     FROM held_alerts h JOIN alert_instances i ON i.id = h.instance_id JOIN checks c ON c.key = i.check_key
     LEFT JOIN location_holds lh ON lh.instance_id = h.instance_id
     WHERE NOT h.has_ended AND h.reason = ANY(?) AND i.state IN ('active', 'acknowledged') AND h.instance_id > ?
     ORDER BY h.instance_id LIMIT ?`,
    [new Date(nowMs), new Date(nowMs), [...reasons], afterId, limit],
  );
}

/** Marks the alerts, held for these reasons, that are over; nobody is notified of them any more. */
export async function markEndedHolds(db: Knex, reasons: readonly HoldReason[]): Promise<void> {
  await db.raw(
    `UPDATE held_alerts h SET has_ended = true FROM alert_instances i
     WHERE NOT h.has_ended AND h.reason = ANY(?) AND i.id = h.instance_id AND i.state NOT IN ('active', 'acknowledged')`,
    [[...reasons]],
  );
}

/** A check of those that checks depend on, or one that depends on them. */
export interface GraphRow {
  checkKey: number;
  checkId: CheckId;
  dependsOn: CheckId[];
  /** True when it is switched on and not paused. */
  isRunning: boolean;
}

/** Returns these checks and all that they depend on, directly and through others, each once. Ids of checks are unique across teams. */
export function readGraph(db: Knex, checkKeys: readonly number[]): Promise<GraphRow[]> {
  return queryRows(
    db,
    `WITH RECURSIVE above (team_id, id) AS (
       SELECT team_id, id FROM checks WHERE key = ANY(CAST(:checkKeys AS bigint[]))
       UNION
       SELECT a.team_id, d.id FROM above a JOIN checks c ON c.id = a.id AND c.team_id = a.team_id
       CROSS JOIN LATERAL unnest(c.depends_on) AS d (id)
     )
     SELECT c.key AS check_key, c.id AS check_id, c.depends_on, c.enabled AND NOT c.paused AS is_running
     FROM above a JOIN checks c ON c.id = a.id AND c.team_id = a.team_id`,
    { checkKeys: [...checkKeys] },
  );
}

/** The open alert of a check about its failing runs. */
export interface FailureAlertRow {
  checkKey: number;
  instanceId: AlertInstanceId;
  startedAtMs: number;
  isHeld: boolean;
}

/**
 * Returns for each of these checks its oldest open alert, one that is not held back before one that is; checks without any are left out.
 * Alerts count whose rule is about failing runs and names a channel: where nobody is notified of a failure, nothing is held back because
 * of it. An alert that is held back because of a location says nothing about its check.
 */
export function readFailureAlerts(
  db: Knex,
  checkKeys: readonly number[],
  conditionTypes: readonly ConditionType[],
): Promise<FailureAlertRow[]> {
  if (checkKeys.length === 0) return Promise.resolve([]);
  return queryRows(
    db,
    `SELECT DISTINCT ON (check_key) * FROM (
       SELECT i.check_key, i.id AS instance_id, (extract(epoch FROM i.started_at) * 1000)::bigint AS started_at_ms,
         EXISTS (SELECT FROM held_alerts h WHERE h.instance_id = i.id) AS is_held
       FROM alert_instances i JOIN alert_rules r ON r.key = i.rule_key
       WHERE i.check_key = ANY(CAST(:checkKeys AS bigint[])) AND i.state IN ('active', 'acknowledged')
         AND cardinality(r.channel_ids) > 0
         AND NOT EXISTS (SELECT FROM location_holds lh WHERE lh.instance_id = i.id)
         AND EXISTS (SELECT FROM jsonb_array_elements(r.conditions) AS n (condition)
                     WHERE n.condition ->> 'type' = ANY(CAST(:conditionTypes AS text[])))) f
     ORDER BY check_key, is_held, started_at_ms`,
    { checkKeys: [...checkKeys], conditionTypes: [...conditionTypes] },
  );
}

/** Stores under which alert a held alert stands, or since when under none. */
export async function updateHold(
  trx: Knex,
  instanceId: AlertInstanceId,
  { causeId, freeSinceMs }: { causeId?: AlertInstanceId; freeSinceMs: number | null },
): Promise<void> {
  await trx("heldAlerts")
    .where({ instanceId })
    .update({
      ...(causeId !== undefined && { causeInstanceId: causeId }),
      freeSince: freeSinceMs === null ? null : new Date(freeSinceMs),
    });
}

/**
 * Holds an alert, that was held back because of its locations, back because of the checks that its check depends on: as one that began just so.
 * @returns false when its check depends on none, or the hold is not because of locations
 */
export async function turnIntoDependencyHold(trx: Knex, instanceId: AlertInstanceId): Promise<boolean> {
  const turned = await queryRows(
    trx,
    `UPDATE held_alerts h SET reason = 'dependency', cause_instance_id = NULL, free_since = NULL
     FROM alert_instances i JOIN checks c ON c.key = i.check_key
     WHERE h.instance_id = ? AND h.reason = 'location' AND NOT h.has_ended AND i.id = h.instance_id AND c.depends_on <> '{}'
     RETURNING h.instance_id`,
    [instanceId],
  );
  if (turned.length === 0) return false;
  await trx("locationHolds").where({ instanceId }).delete();
  return true;
}

/** Ends a hold. @returns false when it has been ended already */
export async function deleteHold(trx: Knex, instanceId: AlertInstanceId): Promise<boolean> {
  return (await trx("heldAlerts").where({ instanceId, hasEnded: false }).delete()) > 0;
}

/** The alerts of an incident, and the incident, which may be a location's. */
export interface HeldUnder {
  teamId: TeamId;
  causeIds: readonly AlertInstanceId[];
  incidentKey: number;
  limit: number;
}

/** Returns the alerts that are, or to their end were, held back because of these, or because of the incident's location, oldest first. */
export async function readHeldUnder(
  db: Knex,
  { teamId, causeIds, incidentKey, limit }: HeldUnder,
): Promise<AlertInstanceId[]> {
  const rows = await queryRows<{ instanceId: AlertInstanceId }>(
    db,
    `SELECT instance_id FROM held_alerts WHERE team_id = :teamId AND cause_instance_id = ANY(:causeIds)
     UNION SELECT instance_id FROM location_holds WHERE team_id = :teamId AND incident_key = :incidentKey
     ORDER BY instance_id LIMIT :limit`,
    { teamId, causeIds: [...causeIds], incidentKey, limit },
  );
  return rows.map(({ instanceId }) => instanceId);
}
