/** SQL of incident policies, and of the steps that incidents have come to. */
import type { ChannelId, IncidentId, IncidentPolicyStep, RotaId, TeamId } from "@svc/contract";
import type { Knex } from "knex";
import { queryRows } from "../../platform/db/rows.ts";

/** The policy of a team. `updatedAt` is ISO 8601. */
export interface IncidentPolicyRow {
  steps: IncidentPolicyStep[];
  updatedAt: string;
}

/** Returns the team's policy; undefined when there is none. */
export async function findIncidentPolicy(db: Knex, teamId: TeamId): Promise<IncidentPolicyRow | undefined> {
  const [row] = await queryRows<IncidentPolicyRow>(
    db,
    "SELECT steps, updated_at FROM incident_policies WHERE team_id = ?",
    [teamId],
  );
  return row;
}

/** Stores the team's policy in place of the one that there may be; without steps there is none afterwards. */
export async function storeIncidentPolicy(
  trx: Knex,
  teamId: TeamId,
  { steps, updatedAt }: IncidentPolicyRow,
): Promise<void> {
  if (steps.length === 0) {
    await trx("incidentPolicies").where({ teamId }).delete();
    return;
  }
  await trx("incidentPolicies")
    .insert({ teamId, steps: JSON.stringify(steps), updatedAt })
    .onConflict("teamId")
    .merge();
}

/** Returns the names of those channels that take alerts only, and so no incident event. */
export async function namesOfAlertsOnly(db: Knex, channelIds: readonly string[]): Promise<string[]> {
  const rows = await queryRows<{ name: string }>(
    db,
    "SELECT name FROM notification_channels WHERE id = ANY(?) AND NOT incident_subscribed ORDER BY key",
    [[...channelIds]],
  );
  return rows.map(({ name }) => name);
}

/** The newest step of the policy that an open incident has come to and that was not carried out. */
export interface DueStep {
  id: IncidentId;
  key: number;
  teamId: TeamId;
  /** When the incident was opened or reopened, ISO 8601. */
  unacknowledgedSince: string;
  afterMinutes: number;
  channelIds: ChannelId[];
  /** null: the step names none. */
  rotaId: RotaId | null;
}

/**
 * Returns the due steps of open incidents. An incident whose open alerts all are acknowledged has somebody who looks after it, unless it is
 * that of a location whose outage lasts, whose held alerts are no members. Steps before the newest due one are passed over, so that an outage of the service is not
 * followed by all of them at once. Teams take turns: first the oldest incident of each, then the second oldest of each, so that a team
 * with very many incidents delays no other one.
 */
export function readDueSteps(
  db: Knex,
  { now, id, limit }: { now: Date; id?: IncidentId; limit: number },
): Promise<DueStep[]> {
  return queryRows(
    db,
    `SELECT i.id, i.key, i.team_id, opening.unacknowledged_since, step.after_minutes, step.channel_ids, step.rota_id
     FROM incident_policies p
     JOIN incidents i ON i.team_id = p.team_id AND i.state = 'open'
     CROSS JOIN LATERAL (
       SELECT coalesce(max(e.created_at), i.opened_at) AS unacknowledged_since FROM incident_events e
       WHERE e.incident_key = i.key AND e.type = 'reopened') opening
     CROSS JOIN LATERAL (
       SELECT CAST(s ->> 'afterMinutes' AS integer) AS after_minutes, s -> 'channelIds' AS channel_ids,
         s ->> 'rotaId' AS rota_id
       FROM jsonb_array_elements(p.steps) s
       WHERE opening.unacknowledged_since + CAST(s ->> 'afterMinutes' AS integer) * interval '1 minute' <= :now
       ORDER BY 1 DESC LIMIT 1) step
     WHERE NOT EXISTS (
       SELECT FROM incident_escalations d WHERE d.incident_key = i.key
         AND d.unacknowledged_since = opening.unacknowledged_since AND d.after_minutes >= step.after_minutes)
       AND (coalesce((SELECT bool_or(m.acknowledged_at IS NULL) FROM incident_members m
         WHERE m.incident_key = i.key AND m.ended_at IS NULL), TRUE)
         OR EXISTS (SELECT FROM location_outages o WHERE o.incident_key = i.key AND o.ended_at IS NULL))
       ${id === undefined ? "" : "AND i.id = :id"}
     ORDER BY row_number() OVER (PARTITION BY i.team_id ORDER BY i.key), i.key LIMIT :limit`,
    { now, limit, ...(id !== undefined && { id }) },
  );
}

/** Records that a step was carried out, and the channels that it notified. */
export async function insertEscalation(trx: Knex, step: DueStep, nowMs: number): Promise<void> {
  await trx("incidentEscalations").insert({
    incidentKey: step.key,
    unacknowledgedSince: step.unacknowledgedSince,
    afterMinutes: step.afterMinutes,
    channelIds: step.channelIds,
    createdAt: new Date(nowMs),
  });
}
