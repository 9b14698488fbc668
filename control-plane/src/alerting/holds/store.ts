/** SQL of alerts that are held back, and of the checks that theirs depend on. */
import type { AlertInstanceId, CheckId, ConditionType, TeamId } from "@svc/contract";
import type { Knex } from "knex";
import { queryRows } from "../../platform/db/rows.ts";

/** An open alert whose notifications are held back, of any team. Instants are Unix ms. */
export interface HeldRow {
  instanceId: AlertInstanceId;
  teamId: TeamId;
  checkKey: number;
  frequencySeconds: number;
  startedAtMs: number;
  causeId: AlertInstanceId | null;
  freeSinceMs: number | null;
}

/** Returns a page of the alerts that are held back, in the order of their ids. */
export function readHeld(
  db: Knex,
  { afterId, limit }: { afterId: string; limit: number },
): Promise<HeldRow[]> {
  return queryRows(
    db,
    `SELECT h.instance_id, h.team_id, i.check_key, c.frequency_seconds,
       (extract(epoch FROM i.started_at) * 1000)::bigint AS started_at_ms, h.cause_instance_id AS cause_id,
       (extract(epoch FROM h.free_since) * 1000)::bigint AS free_since_ms
     FROM held_alerts h JOIN alert_instances i ON i.id = h.instance_id JOIN checks c ON c.key = i.check_key
     WHERE NOT h.has_ended AND i.state IN ('active', 'acknowledged') AND h.instance_id > ?
     ORDER BY h.instance_id LIMIT ?`,
    [afterId, limit],
  );
}

/** Marks the held alerts that are over; nobody is notified of them any more. */
export async function markEndedHolds(db: Knex): Promise<void> {
  await db.raw(
    `UPDATE held_alerts h SET has_ended = true FROM alert_instances i
     WHERE NOT h.has_ended AND i.id = h.instance_id AND i.state NOT IN ('active', 'acknowledged')`,
  );
}

/** A check on which another one depends, directly or through others. */
export interface DependencyRow {
  /** The check that depends on it. */
  checkKey: number;
  dependencyKey: number;
  dependencyId: CheckId;
  /** Its open alert about failing runs; null: it has none. */
  instanceId: AlertInstanceId | null;
  startedAtMs: number | null;
  isHeld: boolean | null;
}

/**
 * Returns the running checks that these depend on, each once for each check. Of their alerts those count whose rule is about
 * failing runs and names a channel: where nobody is notified of a failure, nothing is held back because of it.
 */
export function readDependencyRows(
  db: Knex,
  checkKeys: readonly number[],
  conditionTypes: readonly ConditionType[],
): Promise<DependencyRow[]> {
  if (checkKeys.length === 0) return Promise.resolve([]);
  return queryRows(
    db,
    `WITH RECURSIVE above (check_key, team_id, id) AS (
       SELECT c.key, c.team_id, d.id FROM checks c CROSS JOIN LATERAL unnest(c.depends_on) AS d (id)
       WHERE c.key = ANY(CAST(:checkKeys AS bigint[]))
       UNION
       SELECT a.check_key, a.team_id, d.id FROM above a JOIN checks c ON c.id = a.id AND c.team_id = a.team_id
       CROSS JOIN LATERAL unnest(c.depends_on) AS d (id)
     )
     SELECT a.check_key, c.key AS dependency_key, c.id AS dependency_id, f.instance_id,
       (extract(epoch FROM f.started_at) * 1000)::bigint AS started_at_ms, f.is_held
     FROM above a JOIN checks c ON c.id = a.id AND c.team_id = a.team_id AND c.key <> a.check_key
     LEFT JOIN LATERAL (
       SELECT i.id AS instance_id, i.started_at, EXISTS (SELECT FROM held_alerts h WHERE h.instance_id = i.id) AS is_held
       FROM alert_instances i JOIN alert_rules r ON r.key = i.rule_key
       WHERE i.check_key = c.key AND i.state IN ('active', 'acknowledged') AND cardinality(r.channel_ids) > 0
         AND EXISTS (SELECT FROM jsonb_array_elements(r.conditions) AS n (condition)
                     WHERE n.condition ->> 'type' = ANY(CAST(:conditionTypes AS text[])))
       ORDER BY is_held, i.started_at LIMIT 1
     ) f ON true
     WHERE c.enabled AND NOT c.paused
     ORDER BY a.check_key, c.key`,
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

/** Ends a hold. @returns false when it has been ended already */
export async function deleteHold(trx: Knex, instanceId: AlertInstanceId): Promise<boolean> {
  return (await trx("heldAlerts").where({ instanceId, hasEnded: false }).delete()) > 0;
}

/** Returns the alerts that are, or to their end were, held back because of these, oldest first. */
export async function readHeldUnder(
  db: Knex,
  { teamId, causeIds, limit }: { teamId: TeamId; causeIds: readonly AlertInstanceId[]; limit: number },
): Promise<AlertInstanceId[]> {
  const rows = await queryRows<{ instanceId: AlertInstanceId }>(
    db,
    `SELECT instance_id FROM held_alerts WHERE team_id = :teamId AND cause_instance_id = ANY(:causeIds)
     ORDER BY instance_id LIMIT :limit`,
    { teamId, causeIds: [...causeIds], limit },
  );
  return rows.map(({ instanceId }) => instanceId);
}
