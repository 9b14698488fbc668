/** SQL by which instances are read. Every statement names the team, so another team's instance does not exist. */
import { type AlertInstanceEvent, type AlertInstancesQuery, isId, type TeamId } from "@svc/contract";
import type { Knex } from "knex";
import { queryRows } from "../../platform/db/rows.ts";
import type { InstanceDetailRow } from "./row.ts";

const SELECT = `
  SELECT i.id, r.id AS "ruleId", c.id AS "checkId", i.team_id AS "teamId", i.state, i.severity,
    i.triggering_result_id AS "triggeringResultId", i.triggering_trace_id AS "triggeringTraceId",
    i.recovery_result_id AS "recoveryResultId", i.started_at AS "startedAt", i.acknowledged_at AS "acknowledgedAt",
    i.acknowledged_by AS "acknowledgedBy", i.recovered_at AS "recoveredAt", i.resolved_at AS "resolvedAt",
    i.notification_count AS "notificationCount", i.was_announced AS "wasAnnounced", i.muted_by AS "mutedBy",
    i.has_untold_escalation AS "hasUntoldEscalation",
    i.muted_until AS "mutedUntil", i.context, i.rule_key AS "ruleKey", i.check_key AS "checkKey",
    r.name AS "ruleName", c.name AS "checkName", r.channel_ids AS "channelIds"
  FROM alert_instances i JOIN alert_rules r ON r.key = i.rule_key JOIN checks c ON c.key = i.check_key`;

/** Newest first. */
export function listInstanceRows(
  db: Knex,
  teamId: TeamId,
  { state, checkId, limit, offset }: AlertInstancesQuery,
): Promise<InstanceDetailRow[]> {
  return queryRows(
    db,
    `${SELECT} WHERE i.team_id = :teamId
       ${state ? "AND i.state = ANY(:state)" : ""} ${checkId === undefined ? "" : "AND i.check_key = (SELECT key FROM checks WHERE id = :checkId)"}
     ORDER BY i.started_at DESC, i.id DESC LIMIT :limit OFFSET :offset`,
    { teamId, limit, offset, ...(state ? { state } : {}), ...(checkId === undefined ? {} : { checkId }) },
  );
}

export async function findInstanceRow(
  db: Knex,
  teamId: TeamId,
  id: string,
): Promise<InstanceDetailRow | undefined> {
  if (!isId("alertInstance", id)) return undefined;
  const [row] = await queryRows<InstanceDetailRow>(db, `${SELECT} WHERE i.team_id = ? AND i.id = ?`, [
    teamId,
    id,
  ]);
  return row;
}

/** The open instances of a rule: one at most. */
export function readOpenInstancesOfRule(db: Knex, ruleKey: number): Promise<InstanceDetailRow[]> {
  return queryRows(db, `${SELECT} WHERE i.rule_key = ? AND i.state IN ('active', 'acknowledged')`, [ruleKey]);
}

export function readOpenInstancesOfCheck(db: Knex, checkKey: number): Promise<InstanceDetailRow[]> {
  return queryRows(db, `${SELECT} WHERE i.check_key = ? AND i.state IN ('active', 'acknowledged')`, [
    checkKey,
  ]);
}

/** Muted ones whose time is up, and those that a maintenance window mutes, by id from after one on. */
export function readMutedInstances(
  db: Knex,
  nowMs: number,
  { afterId, limit }: { afterId: string; limit: number },
): Promise<InstanceDetailRow[]> {
  return queryRows(
    db,
    `${SELECT} WHERE i.muted_by IS NOT NULL AND i.state IN ('active', 'acknowledged')
       AND (i.muted_by = 'window' OR i.muted_until <= ?) AND i.id > ? ORDER BY i.id LIMIT ?`,
    [new Date(nowMs), afterId, limit],
  );
}

/** Oldest first. */
export function readInstanceEvents(db: Knex, instanceId: string): Promise<AlertInstanceEvent[]> {
  return queryRows(
    db,
    `SELECT id, instance_id AS "instanceId", type, actor_id AS "actorId", created_at AS "createdAt"
     FROM alert_events WHERE instance_id = ? ORDER BY created_at, id`,
    [instanceId],
  );
}

/** Those of the team with these ids, oldest first. */
export function readInstancesById(
  db: Knex,
  teamId: TeamId,
  ids: readonly string[],
): Promise<InstanceDetailRow[]> {
  return queryRows(db, `${SELECT} WHERE i.team_id = ? AND i.id = ANY(?) ORDER BY i.started_at, i.id`, [
    teamId,
    [...ids],
  ]);
}
