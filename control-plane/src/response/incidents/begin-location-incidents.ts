/**
 * Takes in alerts that are held back because of a location: the first of an outage opens the location's incident, the others are listed in it.
 * Such an incident has no members of its own, unless incidents that began before the location was known to be cut off are folded into it.
 */
import { type ChannelId, groupBy, newId } from "@svc/contract";
import type { Knex } from "knex";
import { worstOf } from "../../alerting/evaluation/severity.ts";
import { endOutageOfClosed } from "../../alerting/holds/outage-store.ts";
import type { QueuedHeldAlert } from "../../outbox/held-alert-queue-store.ts";
import { fingerprintHash } from "./fingerprint.ts";
import { foldIntoIncident } from "./fold-incidents.ts";
import { type KnownOutage, loadOutages, severityChange, withTotals } from "./known-outage.ts";
import { isActive } from "./lifecycle.ts";
import { loadProfiles } from "./load-profiles.ts";
import { hypothesisOfLocations, summaryOfLocations, titleOfLocations } from "./location-incident.ts";
import {
  addOutageChannels,
  findActiveIncidentOfLocation,
  insertOutage,
  listHeldAlerts,
  type NamedLocation,
  readListedLocations,
  readNamedLocations,
  relistHeldAlerts,
} from "./location-outage-store.ts";
import type { MemberProfile } from "./member-profile.ts";
import { readMemberIds } from "./member-store.ts";
import { observationsOf } from "./observations.ts";
import { OPENED } from "./open-incidents.ts";
import type { IncidentReport } from "./report.ts";
import type { IncidentRow } from "./row.ts";
import { insertIncidents, readIncidentRows, readRecurrences, updateIncidents } from "./store.ts";
import type { TeamBatch } from "./team-batch.ts";
import { writeReports } from "./write-reports.ts";

/** Takes in alerts that are held back because of locations. */
export async function beginLocationIncidents(
  trx: Knex,
  batch: TeamBatch,
  held: readonly QueuedHeldAlert[],
): Promise<void> {
  if (held.length === 0) return;
  const outages = await loadOutages(trx, batch.teamId);
  const byLocation = groupBy(held, ({ locationKeys }) => {
    return locationKeys.find((key) => outages.has(key)) ?? (locationKeys[0] as number);
  });
  for (const location of await readNamedLocations(trx, [...byLocation.keys()])) {
    const alerts = byLocation.get(location.locationKey) ?? [];
    const outage = outages.get(location.locationKey);
    if (outage && isActive(outage.incident.state)) {
      await joinOutage(trx, batch, { outage, alerts });
      continue;
    }
    // Somebody has closed its incident.
    if (outage) await endOutageOfClosed(trx, outage.key, batch.nowMs);
    await beginOutage(trx, batch, { location, alerts, closedKey: outage?.incidentKey });
  }
}

/** Lists the alerts in the incident of the outage. Only channels that have not heard of it are notified, unless an alert is more severe. */
async function joinOutage(
  trx: Knex,
  { nowMs }: TeamBatch,
  { outage, alerts }: { outage: KnownOutage; alerts: readonly QueuedHeldAlert[] },
): Promise<void> {
  const named = await namingMore(trx, outage.incident, { locationKey: outage.locationKey, alerts });
  await listHeldAlerts(trx, outage.incidentKey, idsOf(alerts));
  const channelIds = channelsOf(alerts).filter((id) => !outage.channelIds.includes(id));
  const severity = worstOf([outage.incident.severity, ...severitiesOf(alerts)]);
  const incident = { ...named, severity };
  const instanceIds = await readMemberIds(trx, incident.key);
  const report = { incident, actorId: null, instanceIds, channelIds, alerts, areAlertsHeld: true };
  const reports: IncidentReport[] = [];
  if (channelIds.length > 0) {
    await addOutageChannels(trx, outage.key, channelIds);
    reports.push({ ...report, type: "alert_attached", isForNamedAlone: true });
  }
  const isGraver = severity !== outage.incident.severity;
  if (isGraver || named !== outage.incident)
    await updateIncidents(trx, [{ ...incident, updatedAt: new Date(nowMs).toISOString() }]);
  if (isGraver) reports.push({ ...report, ...severityChange(outage.incident) });
  await writeReports(trx, reports, nowMs);
}

interface BeginningOutage {
  location: NamedLocation;
  alerts: readonly QueuedHeldAlert[];
  /** The incident that was closed during the outage; undefined: none was. */
  closedKey?: number | undefined;
}

async function beginOutage(
  trx: Knex,
  batch: TeamBatch,
  { location, alerts, closedKey }: BeginningOutage,
): Promise<void> {
  const { teamId, nowMs } = batch;
  const { locationKey, locationId } = location;
  const earlier = await findActiveIncidentOfLocation(trx, teamId, locationKey);
  const before = earlier
    ? (await readIncidentRows(trx, [earlier.incidentKey]))[0]
    : await openIncident(trx, batch, { location, alerts });
  if (!before) return;
  const startedAtMs = Math.min(...alerts.map(({ payload }) => Date.parse(payload.startedAt)));
  const moved = await foldIntoIncident(trx, batch, { targetKey: before.key, locationId, startedAtMs });
  const named = earlier ? await namingMore(trx, before, { locationKey, alerts }) : before;
  const relisted = await relistHeldAlerts(trx, { fromKey: closedKey, toKey: before.key });
  const severities = [...severitiesOf(alerts), ...relisted.severities];
  const { incident, instanceIds } = await withTotals(trx, named, { severities, nowMs });
  const known = [...(earlier?.channelIds ?? []), ...relisted.channelIds];
  const channelIds = [...new Set([...known, ...channelsOf(alerts), ...channelsOf(moved)])];
  await insertOutage(trx, { teamId, locationKey, incidentKey: incident.key, channelIds, atMs: nowMs });
  await listHeldAlerts(trx, incident.key, idsOf(alerts));
  const report = { incident, actorId: null, instanceIds, channelIds, areAlertsHeld: true };
  const all = [...alerts, ...moved.map(({ alert }) => alert)];
  const reports: IncidentReport[] = [{ ...report, alerts: all, type: earlier ? "alert_attached" : "opened" }];
  if (earlier && incident.severity !== before.severity)
    reports.push({ ...report, ...severityChange(before), alerts });
  await writeReports(trx, reports, nowMs);
}

/** Alerts that begin at the location of an incident, and maybe at others. */
interface ArrivingAlerts {
  locationKey: number;
  alerts: readonly QueuedHeldAlert[];
}

/** Returns the incident with words that name the locations of the arriving alerts, too; as it is when it covers these already. */
async function namingMore(
  trx: Knex,
  incident: IncidentRow,
  { locationKey, alerts }: ArrivingAlerts,
): Promise<IncidentRow> {
  const covered = new Set([locationKey, ...(await readListedLocations(trx, incident.key))]);
  const arriving = alerts.flatMap(({ locationKeys }) => locationKeys).filter((key) => !covered.has(key));
  if (arriving.length === 0) return incident;
  const names = await namesOf(trx, locationKey, [...covered, ...arriving]);
  const hypothesis = { ...incident.hypothesis, summary: summaryOfLocations(names) };
  return { ...incident, title: titleOfLocations(names), hypothesis };
}

/** Returns the names of the locations, that of the first one first. */
async function namesOf(trx: Knex, firstKey: number, locationKeys: readonly number[]): Promise<string[]> {
  const named = await readNamedLocations(trx, [firstKey, ...locationKeys]);
  const isFirst = (location: NamedLocation) => location.locationKey === firstKey;
  return [...named.filter(isFirst), ...named.filter((location) => !isFirst(location))].map(
    ({ locationName }) => locationName,
  );
}

async function openIncident(
  trx: Knex,
  batch: TeamBatch,
  { location, alerts }: BeginningOutage,
): Promise<IncidentRow> {
  const profiles = await loadProfiles(trx, batch, alerts);
  const { locationId, locationKey } = location;
  const dimensions = [`location:${locationId}`];
  const names = await namesOf(
    trx,
    locationKey,
    alerts.flatMap(({ locationKeys }) => locationKeys),
  );
  const draft: Omit<IncidentRow, "key"> = {
    ...OPENED,
    id: newId("incident"),
    teamId: batch.teamId,
    openedAt: new Date(batch.nowMs).toISOString(),
    title: titleOfLocations(names),
    severity: worstOf(severitiesOf(alerts)),
    dimensions,
    fingerprintHash: fingerprintHash(dimensions),
    hypothesis: hypothesisOfLocations({ locationId, names }, alerts.length),
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

function idsOf(alerts: readonly QueuedHeldAlert[]) {
  return alerts.map(({ instanceId }) => instanceId);
}

function severitiesOf(alerts: readonly QueuedHeldAlert[]) {
  return alerts.map(({ payload }) => payload.severity);
}

function channelsOf(alerts: readonly Pick<QueuedHeldAlert, "channelIds">[]): ChannelId[] {
  return [...new Set(alerts.flatMap(({ channelIds }) => channelIds))];
}
