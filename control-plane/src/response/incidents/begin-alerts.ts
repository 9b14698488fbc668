/** Takes in alerts that began: each opens an incident or joins one. */
import { groupBy } from "@svc/contract";
import type { Knex } from "knex";
import type { QueuedAlert } from "../../outbox/incident-queue-store.ts";
import { readActiveIncidents } from "./active-incident-store.ts";
import { correlate } from "./correlate.ts";
import { dimensionsOf } from "./dimensions.ts";
import { foldIncidents } from "./fold-incidents.ts";
import { joinIncidents } from "./join-incidents.ts";
import { loadFailingLocations } from "./load-failing-locations.ts";
import { loadProfiles } from "./load-profiles.ts";
import type { FailingLocations, MemberProfile } from "./member-profile.ts";
import { readMembers } from "./member-store.ts";
import { openIncidents } from "./open-incidents.ts";
import type { AlertGroup, ProfiledAlert } from "./profiled-alert.ts";
import type { TeamBatch } from "./team-batch.ts";

/** Places alerts in incidents, and reports the consequences. Alerts that are in an incident already stay where they are. */
export async function beginAlerts(
  trx: Knex,
  batch: TeamBatch,
  queued: readonly QueuedAlert[],
): Promise<void> {
  const beginning = await withoutMembers(trx, queued);
  if (beginning.length === 0) return;
  const profiles = await loadProfiles(trx, batch, beginning);
  const failing = await loadFailingLocations(trx, batch, profiles.values());
  const alerts = beginning.map((alert) =>
    profiledAlert(alert, profiles.get(alert.instanceId) as MemberProfile, failing),
  );
  const moved = await foldIncidents(trx, batch, { failing, alerts });
  const groups = groupsOf(alerts, correlate(alerts, await readActiveIncidents(trx, batch.teamId, alerts)));
  const beginningBatch = { ...batch, failing, moved };
  const isNew = ({ key }: AlertGroup) => key < 0;
  const opened = await openIncidents(trx, beginningBatch, groups.filter(isNew));
  const known = groups.filter((group) => !isNew(group));
  const grouped = new Set(known.map(({ key }) => key));
  await joinIncidents(trx, beginningBatch, [
    ...opened.flatMap(({ row, rest }) => (rest.length > 0 ? [{ key: row.key, alerts: rest }] : [])),
    ...known,
    ...[...moved.keys()].filter((key) => !grouped.has(key)).map((key) => ({ key, alerts: [] })),
  ]);
}

/** Returns the alerts that are in no incident yet, each instance once. */
async function withoutMembers(trx: Knex, queued: readonly QueuedAlert[]): Promise<QueuedAlert[]> {
  const members = await readMembers(
    trx,
    queued.map(({ instanceId }) => instanceId),
  );
  const beginning = queued.filter(({ instanceId }) => !members.has(instanceId));
  return [...new Map(beginning.map((alert) => [alert.instanceId, alert])).values()];
}

function profiledAlert(
  { instanceId, payload, channelIds }: QueuedAlert,
  profile: MemberProfile,
  failing: FailingLocations,
): ProfiledAlert {
  return {
    instanceId,
    payload,
    channelIds,
    profile,
    severity: payload.severity,
    ruleId: payload.rule.id,
    startedAtMs: Date.parse(payload.startedAt),
    dimensions: dimensionsOf(profile, failing),
  };
}

function groupsOf(alerts: readonly ProfiledAlert[], placements: ReturnType<typeof correlate>): AlertGroup[] {
  const byInstance = new Map(alerts.map((alert) => [alert.instanceId, alert]));
  return [...groupBy(placements, ({ incidentKey }) => incidentKey)].map(([key, ofIncident]) => ({
    key,
    alerts: ofIncident.map(({ alert }) => byInstance.get(alert.instanceId) as ProfiledAlert),
  }));
}
