/**
 * SQL by which single instances are read and changed. Every statement for a caller names the team, so another team's
 * instance does not exist.
 */
import {
  type AlertInstanceId,
  type AlertInstancesFilter,
  type AlertState,
  isId,
  type TeamId,
} from "@svc/contract";
import type { Knex } from "knex";
import { queryRows } from "../../platform/db/rows.ts";
import type { ListPart } from "../../platform/http/record-list.ts";
import type { MutedBy } from "../evaluation/transitions.ts";
import type { InstanceDetailRow } from "./row.ts";

const SELECT = `
  SELECT i.id, r.id AS rule_id, c.id AS check_id, i.team_id, i.state, i.severity, i.triggering_result_id,
    i.triggering_trace_id, i.recovery_result_id, i.started_at, i.acknowledged_at, i.acknowledged_by,
    actor_name(i.acknowledged_by) AS acknowledged_by_name, i.recovered_at,
    i.resolved_at, i.notification_count, i.was_announced, i.muted_by,
    i.has_untold_escalation AS has_unannounced_escalation, i.muted_until, i.context, i.rule_key, i.check_key, r.slo_key,
    r.name AS rule_name, c.name AS check_name, r.channel_ids,
    h.reason AS held_reason, h.cause_instance_id AS held_cause_id, h.free_since AS held_free_since,
    hc.id AS held_check_id, hc.name AS held_check_name,
    hl.id AS held_location_id, ARRAY(SELECT n.display_name
      FROM unnest(lh.location_keys) WITH ORDINALITY AS k (key, nth) JOIN locations n ON n.key = k.key
      ORDER BY k.nth) AS held_location_names, hn.id AS held_incident_id
  FROM alert_instances i JOIN alert_rules r ON r.key = i.rule_key LEFT JOIN checks c ON c.key = i.check_key
  LEFT JOIN held_alerts h ON h.instance_id = i.id LEFT JOIN alert_instances hi ON hi.id = h.cause_instance_id
  LEFT JOIN checks hc ON hc.key = hi.check_key LEFT JOIN location_holds lh ON lh.instance_id = i.id
  LEFT JOIN locations hl ON hl.key = lh.location_keys[1] LEFT JOIN incidents hn ON hn.key = lh.incident_key`;

const IS_OPEN = "i.state IN ('active', 'acknowledged')";

/** Conditions of the list's filters, by their names in the query. */
const FILTERS: Readonly<Record<keyof AlertInstancesFilter, string>> = {
  state: "i.state = ANY(:state)",
  severity: "i.severity = ANY(:severity)",
  checkId: "i.check_key = (SELECT key FROM checks WHERE id = :checkId)",
  label: "EXISTS (SELECT FROM check_labels l WHERE l.check_key = i.check_key AND l.label = :label)",
  from: "i.started_at >= CAST(:from AS timestamptz)",
  to: "i.started_at < CAST(:to AS timestamptz)",
};

/** Returns a part of the list of the team's instances that the filter names, newest first. */
export function listInstanceRows(
  db: Knex,
  teamId: TeamId,
  { after, rowsMax, offset, ...filter }: AlertInstancesFilter & ListPart,
): Promise<InstanceDetailRow[]> {
  const given = Object.entries(filter).filter(([, value]) => value !== undefined);
  return queryRows(
    db,
    `${SELECT} WHERE i.team_id = :teamId
       ${given.map(([name]) => `AND ${FILTERS[name as keyof AlertInstancesFilter]}`).join(" ")}
       ${after ? "AND (i.started_at, i.id) < (CAST(:startedAt AS timestamptz), :id)" : ""}
     ORDER BY i.started_at DESC, i.id DESC LIMIT :rowsMax OFFSET :offset`,
    {
      teamId,
      rowsMax,
      offset,
      ...Object.fromEntries(given),
      ...(after && { startedAt: after[0], id: after[1] }),
    },
  );
}

/** Returns an alert instance of the team; undefined when the team has none with this id. */
export async function findInstanceRow(
  db: Knex,
  teamId: TeamId,
  id: AlertInstanceId,
): Promise<InstanceDetailRow | undefined> {
  if (!isId("alertInstance", id)) return undefined;
  const [row] = await queryRows<InstanceDetailRow>(db, `${SELECT} WHERE i.team_id = ? AND i.id = ?`, [
    teamId,
    id,
  ]);
  return row;
}

/** Returns the open instances of a rule: one at most. */
export function readOpenInstancesOfRule(db: Knex, ruleKey: number): Promise<InstanceDetailRow[]> {
  return queryRows(db, `${SELECT} WHERE i.rule_key = ? AND ${IS_OPEN}`, [ruleKey]);
}

/** Returns a check's instances that are not over. */
export function readOpenInstancesOfCheck(db: Knex, checkKey: number): Promise<InstanceDetailRow[]> {
  return queryRows(db, `${SELECT} WHERE i.check_key = ? AND ${IS_OPEN}`, [checkKey]);
}

/**
 * Returns the keys of the checks that have an open instance and that no location in service runs, at most `limit`.
 * @param checkKey only this check is looked at; undefined: all are
 */
export async function readOpenChecksOutOfService(
  db: Knex,
  { limit, checkKey }: { limit: number; checkKey?: number },
): Promise<number[]> {
  const rows = await queryRows<{ checkKey: number }>(
    db,
    `SELECT DISTINCT i.check_key
     FROM alert_instances i JOIN check_revisions r ON r.check_key = i.check_key AND r.effective_until_ms IS NULL
     WHERE ${IS_OPEN} ${checkKey === undefined ? "" : "AND i.check_key = :checkKey"}
       AND EXISTS (SELECT FROM locations WHERE status = 'retired' AND key = ANY(r.location_keys))
       AND NOT EXISTS (SELECT FROM locations WHERE status <> 'retired' AND key = ANY(r.location_keys))
     ORDER BY 1 LIMIT :limit`,
    { limit, ...(checkKey !== undefined && { checkKey }) },
  );
  return rows.map((row) => row.checkKey);
}

/** A page of the muted instances, in the order of their ids. `nowMs`: Unix ms. */
export interface MutedInstancesPage {
  nowMs: number;
  /** The page begins after this id. */
  afterId: string;
  limit: number;
}

/** Returns open instances of all teams whose mute is over by its time, or that a maintenance window mutes; by id. */
export function readMutedInstances(
  db: Knex,
  { nowMs, afterId, limit }: MutedInstancesPage,
): Promise<InstanceDetailRow[]> {
  return queryRows(
    db,
    `${SELECT} WHERE i.muted_by IS NOT NULL AND ${IS_OPEN}
       AND (i.muted_by = 'window' OR i.muted_until <= ?) AND i.id > ? ORDER BY i.id LIMIT ?`,
    [new Date(nowMs), afterId, limit],
  );
}

/** Returns the team's instances with these ids, oldest first. */
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

/** Columns of an instance that a verb may change. */
export interface InstancePatch {
  state?: AlertState;
  acknowledgedAt?: Date;
  acknowledgedBy?: string | null;
  resolvedAt?: Date;
  mutedBy?: MutedBy | null;
  mutedUntil?: Date | null;
  wasAnnounced?: boolean;
  hasUnannouncedEscalation?: boolean;
}

/** Updates the given columns of an alert instance. */
export async function patchInstanceRow(trx: Knex, id: AlertInstanceId, patch: InstancePatch): Promise<void> {
  const { hasUnannouncedEscalation: hasUntoldEscalation, ...columns } = patch;
  await trx("alertInstances")
    .where({ id })
    .update({ ...columns, ...(hasUntoldEscalation !== undefined && { hasUntoldEscalation }) });
}
