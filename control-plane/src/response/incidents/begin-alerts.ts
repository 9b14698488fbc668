/** Alerts that began: each opens an incident or joins one. */
import { newId, type Severity, type TeamId } from "@svc/contract";
import type { Knex } from "knex";
import type { QueuedAlert } from "../../outbox/incident-queue-store.ts";
import { loadContext } from "../hypothesis/load-context.ts";
import { type AlertToPlace, correlate } from "./correlate.ts";
import { type DescribedMembers, type Description, describe, incidentFactsOf } from "./describe.ts";
import { type Dimension, dimensionsOf } from "./dimensions.ts";
import type { FailingLocations, MemberFacts } from "./facts.ts";
import { foldIncidents, type MovedAlerts } from "./fold-incidents.ts";
import { groupBy } from "./group-by.ts";
import { loadFailingLocations, loadMembers } from "./load-members.ts";
import {
  insertMembers,
  type MemberRow,
  readActiveIncidents,
  readMembers,
  readTotals,
} from "./member-store.ts";
import type { IncidentRow } from "./row.ts";
import { insertIncidents, readIncidentRows, readRecurrences, updateIncidents } from "./store.ts";
import { type AboutAlert, type Happened, writeHappened } from "./write-events.ts";

/** An alert with what is known of it. */
interface KnownAlert extends AlertToPlace, AboutAlert {
  severity: Severity;
  channelIds: string[];
  facts: MemberFacts;
}

/** Places them, and writes and tells what follows. Alerts that are in an incident already stay where they are. */
export async function beginAlerts(
  trx: Knex,
  teamId: TeamId,
  queued: readonly QueuedAlert[],
  nowMs: number,
): Promise<void> {
  const placed = await readMembers(
    trx,
    queued.map(({ instanceId }) => instanceId),
  );
  const beginning = [
    ...new Map(
      queued.filter(({ instanceId }) => !placed.has(instanceId)).map((alert) => [alert.instanceId, alert]),
    ).values(),
  ];
  if (beginning.length === 0) return;
  const facts = await loadMembers(trx, teamId, beginning, nowMs);
  const failing = await loadFailingLocations(trx, teamId, facts.values(), nowMs);
  const alerts = beginning.map((alert) => knownAlert(alert, facts, failing));
  const moved = await foldIncidents(trx, teamId, failing, alerts, nowMs);
  const placements = correlate(alerts, await readActiveIncidents(trx, teamId, alerts));
  const byInstance = new Map(alerts.map((alert) => [alert.instanceId, alert]));
  const byIncident = groupBy(placements, ({ incidentKey }) => incidentKey);
  const groups = [...byIncident].map(([key, ofIncident]) => ({
    key,
    alerts: ofIncident.map(({ alert }) => byInstance.get(alert.instanceId) as KnownAlert),
  }));
  const isNew = ({ key }: Group) => key < 0;
  const batch = { teamId, failing, moved, nowMs };
  const opened = await openIncidents(trx, batch, groups.filter(isNew));
  const joined = [
    ...opened.flatMap(({ row, rest }) => (rest.length > 0 ? [{ key: row.key, alerts: rest }] : [])),
    ...groups.filter((group) => !isNew(group)),
    ...[...moved.keys()].filter((key) => !byIncident.has(key)).map((key) => ({ key, alerts: [] })),
  ];
  await joinIncidents(trx, batch, joined);
}

interface Group {
  key: number;
  alerts: KnownAlert[];
}

interface Batch {
  teamId: TeamId;
  failing: FailingLocations;
  /** What joined besides the alerts that began. */
  moved: MovedAlerts;
  nowMs: number;
}

function knownAlert(
  { instanceId, payload, channelIds }: QueuedAlert,
  facts: ReadonlyMap<string, MemberFacts>,
  failing: FailingLocations,
): KnownAlert {
  const own = facts.get(instanceId) as MemberFacts;
  return {
    ...{ instanceId, payload, channelIds, facts: own, severity: payload.severity },
    ...{ ruleId: payload.rule.id, startedAtMs: Date.parse(payload.startedAt) },
    dimensions: dimensionsOf(own, failing),
  };
}

/** Opens one for the first alert of each group. @returns them with the alerts that are still to join */
async function openIncidents(
  trx: Knex,
  { teamId, failing, nowMs }: Batch,
  groups: readonly Group[],
): Promise<{ row: IncidentRow; rest: KnownAlert[] }[]> {
  if (groups.length === 0) return [];
  const firsts = groups.map(({ alerts }) => alerts[0] as KnownAlert);
  const members = firsts.map((first) => membersOfOne(first));
  const complete = await loadContext(trx, teamId, members.map(incidentFactsOf), failing, nowMs);
  const drafts = firsts.map((first, i): Omit<IncidentRow, "key"> => {
    const described = members[i] as DescribedMembers;
    return {
      ...{ id: newId("incident"), teamId, state: "open", openedAt: new Date(nowMs).toISOString() },
      ...describe(described, complete(incidentFactsOf(described)), first.severity),
      ...NOTHING_YET,
    };
  });
  const recurrences = await readRecurrences(trx, teamId, drafts, nowMs);
  for (const draft of drafts) draft.recurrenceOf = recurrences.get(draft.id) ?? [];
  const keys = await insertIncidents(trx, drafts);
  const rows = drafts.map((draft) => ({ ...draft, key: keys.get(draft.id) as number }));
  await insertMembers(
    trx,
    firsts.map((first, i) => memberRow(first, (rows[i] as IncidentRow).key, 1)),
  );
  await writeHappened(
    trx,
    firsts.map((first, i) => ({
      ...{ type: "opened", incident: rows[i] as IncidentRow, actorId: null, about: [first] },
      ...{ instanceIds: [first.instanceId], channelIds: first.channelIds },
    })),
    nowMs,
  );
  return groups.map(({ alerts }, i) => ({ row: rows[i] as IncidentRow, rest: alerts.slice(1) }));
}

const NOTHING_YET = {
  recurrenceOf: [] as string[],
  mergedInto: null,
  acknowledgedAt: null,
  acknowledgedBy: null,
  quietSince: null,
  resolvedAt: null,
  closedAt: null,
  closedBy: null,
  updatedAt: null,
};

async function joinIncidents(
  trx: Knex,
  { teamId, failing, moved, nowMs }: Batch,
  groups: readonly Group[],
): Promise<void> {
  if (groups.length === 0) return;
  const keys = groups.map(({ key }) => key);
  const before = new Map((await readIncidentRows(trx, keys)).map((row) => [row.key, row]));
  await insertMembers(
    trx,
    groups.flatMap(({ key, alerts }) =>
      alerts.map((alert, i) => memberRow(alert, key, (before.get(key)?.memberCount ?? 0) + i + 1)),
    ),
  );
  const totals = await readTotals(trx, keys);
  const complete = await loadContext(trx, teamId, [...totals.values()].map(incidentFactsOf), failing, nowMs);
  const happened: Happened[] = [];
  const changed: IncidentRow[] = [];
  for (const { key, alerts } of groups) {
    const [row, members] = [before.get(key), totals.get(key)];
    if (!row || !members) continue;
    const description: Description = describe(members, complete(incidentFactsOf(members)), row.severity);
    const incident = { ...row, ...description, quietSince: null, updatedAt: new Date(nowMs).toISOString() };
    const event = { incident, ...members, actorId: null };
    changed.push(incident);
    happened.push({ ...event, type: "alert_attached", about: [...(moved.get(key) ?? []), ...alerts] });
    if (incident.severity !== row.severity)
      happened.push({ ...event, type: "severity_changed", detail: { previousSeverity: row.severity } });
  }
  await updateIncidents(trx, changed);
  await writeHappened(trx, happened, nowMs);
}

/** What is known of an incident with one member. */
function membersOfOne({ facts, severity, dimensions, startedAtMs }: KnownAlert): DescribedMembers {
  return {
    ...{ memberCount: 1, openCount: 1, checkCount: 1, openSeverities: [severity] },
    firstStartedAt: new Date(startedAtMs).toISOString(),
    dimensionCounts: new Map(dimensions.map((dimension: Dimension) => [dimension, 1])),
    sample: [{ facts, startedAtMs }],
  };
}

function memberRow(alert: KnownAlert, incidentKey: number, position: number): MemberRow {
  const { instanceId, ruleId, severity, channelIds, dimensions, facts, startedAtMs } = alert;
  return {
    ...{ instanceId, incidentKey, position, ruleId, severity, channelIds, facts, checkId: facts.checkId },
    ...{ startedAt: new Date(startedAtMs).toISOString(), acknowledgedAt: null, endedAt: null },
    dimensions: [...dimensions],
  };
}
