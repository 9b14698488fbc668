/**
 * Takes in alerts that are held back because of a location: the first of an outage opens the location's incident, the others are listed in it.
 * Such an incident has no members of its own, unless incidents that began before the location was known to be cut off are folded into it.
 */
import { type ChannelId, groupBy, newId } from "@svc/contract";
import type { Knex } from "knex";
import { worstOf } from "../../alerting/evaluation/severity.ts";
import { type OutageRow, readOpenOutages } from "../../alerting/holds/outage-store.ts";
import type { QueuedAlert } from "../../outbox/incident-queue-store.ts";
import { fingerprintHash } from "./fingerprint.ts";
import { foldIntoIncident } from "./fold-incidents.ts";
import { loadProfiles } from "./load-profiles.ts";
import { hypothesisOfLocation, titleOfLocation } from "./location-incident.ts";
import {
  addOutageChannels,
  findActiveIncidentOfLocation,
  insertOutage,
  listHeldAlerts,
  type NamedLocation,
  readLocationHolds,
  readNamedLocations,
} from "./location-outage-store.ts";
import type { MemberProfile } from "./member-profile.ts";
import { observationsOf } from "./observations.ts";
import { OPENED } from "./open-incidents.ts";
import type { IncidentRow } from "./row.ts";
import { insertIncidents, readIncidentRows, readRecurrences, updateIncidents } from "./store.ts";
import type { TeamBatch } from "./team-batch.ts";
import { writeReports } from "./write-reports.ts";

/** Takes in those of the alerts that are held back because of locations. @returns the others, which are placed as ever */
export async function beginLocationIncidents(
  trx: Knex,
  batch: TeamBatch,
  queued: readonly QueuedAlert[],
): Promise<readonly QueuedAlert[]> {
  const holds = await readLocationHolds(
    trx,
    queued.map(({ instanceId }) => instanceId),
  );
  if (holds.size === 0) return queued;
  const outages = new Map(
    (await readOpenOutages(trx, batch.teamId)).map((outage) => [outage.locationKey, outage]),
  );
  const held = queued.filter(({ instanceId }) => holds.has(instanceId));
  const byLocation = groupBy(held, ({ instanceId }) => {
    const keys = holds.get(instanceId) ?? [];
    return keys.find((key) => outages.has(key)) ?? (keys[0] as number);
  });
  const locations = await readNamedLocations(trx, [...byLocation.keys()]);
  for (const location of locations) {
    const alerts = byLocation.get(location.locationKey) ?? [];
    const outage = outages.get(location.locationKey);
    if (outage) await joinOutage(trx, batch, { outage, alerts });
    else await beginOutage(trx, batch, { location, alerts });
  }
  return queued.filter(({ instanceId }) => !holds.has(instanceId));
}

/** Lists the alerts in the incident of the outage. Only channels that have not heard of it are notified. */
async function joinOutage(
  trx: Knex,
  { nowMs }: TeamBatch,
  { outage, alerts }: { outage: OutageRow; alerts: readonly QueuedAlert[] },
): Promise<void> {
  await listHeldAlerts(trx, outage.incidentKey, idsOf(alerts));
  const channelIds = channelsOf(alerts).filter((id) => !outage.channelIds.includes(id));
  if (channelIds.length === 0) return;
  await addOutageChannels(trx, outage.key, channelIds);
  const [incident] = await readIncidentRows(trx, [outage.incidentKey]);
  if (!incident) return;
  const report = { incident, actorId: null, instanceIds: [], channelIds, alerts, areAlertsHeld: true };
  await writeReports(trx, [{ ...report, type: "alert_attached", isForNamedAlone: true }], nowMs);
}

interface BeginningOutage {
  location: NamedLocation;
  alerts: readonly QueuedAlert[];
}

async function beginOutage(
  trx: Knex,
  batch: TeamBatch,
  { location, alerts }: BeginningOutage,
): Promise<void> {
  const { teamId, nowMs } = batch;
  const { locationKey } = location;
  const earlier = await findActiveIncidentOfLocation(trx, teamId, locationKey);
  const channelIds = [...new Set([...(earlier?.channelIds ?? []), ...channelsOf(alerts)])];
  const row = earlier
    ? await resumeIncident(trx, earlier.incidentKey, nowMs)
    : await openIncident(trx, batch, { location, alerts });
  if (!row) return;
  await insertOutage(trx, { teamId, locationKey, incidentKey: row.key, channelIds, atMs: nowMs });
  await listHeldAlerts(trx, row.key, idsOf(alerts));
  const report = { incident: row, actorId: null, instanceIds: [], channelIds, alerts, areAlertsHeld: true };
  await writeReports(trx, [{ ...report, type: earlier ? "alert_attached" : "opened" }], nowMs);
  const startedAtMs = Math.min(...alerts.map(({ payload }) => Date.parse(payload.startedAt)));
  await foldIntoIncident(trx, batch, { targetKey: row.key, locationId: location.locationId, startedAtMs });
}

/** A location that is cut off again before its incident was over goes on with that one. */
async function resumeIncident(trx: Knex, key: number, nowMs: number): Promise<IncidentRow | undefined> {
  const [before] = await readIncidentRows(trx, [key]);
  if (!before) return undefined;
  const row = { ...before, quietSince: null, updatedAt: new Date(nowMs).toISOString() };
  await updateIncidents(trx, [row]);
  return row;
}

async function openIncident(
  trx: Knex,
  batch: TeamBatch,
  { location, alerts }: BeginningOutage,
): Promise<IncidentRow> {
  const profiles = await loadProfiles(trx, batch, alerts);
  const dimensions = [`location:${location.locationId}`];
  const draft: Omit<IncidentRow, "key"> = {
    ...OPENED,
    id: newId("incident"),
    teamId: batch.teamId,
    openedAt: new Date(batch.nowMs).toISOString(),
    title: titleOfLocation(location.locationName),
    severity: worstOf(alerts.map(({ payload }) => payload.severity)),
    dimensions,
    fingerprintHash: fingerprintHash(dimensions),
    hypothesis: hypothesisOfLocation(location, alerts.length),
    observations: observationsOf(
      alerts.map(({ instanceId, payload }) => ({
        profile: profiles.get(instanceId) as MemberProfile,
        startedAtMs: Date.parse(payload.startedAt),
      })),
    ),
    memberCount: 0,
    openMemberCount: 0,
  };
  const recurrences = await readRecurrences(trx, batch, [draft]);
  draft.recurrenceOf = recurrences.get(draft.id) ?? [];
  const keys = await insertIncidents(trx, [draft]);
  return { ...draft, key: keys.get(draft.id) as number };
}

function idsOf(alerts: readonly QueuedAlert[]) {
  return alerts.map(({ instanceId }) => instanceId);
}

function channelsOf(alerts: readonly QueuedAlert[]): ChannelId[] {
  return [...new Set(alerts.flatMap(({ channelIds }) => channelIds))];
}
