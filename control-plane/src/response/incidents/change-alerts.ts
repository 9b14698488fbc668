/** Takes in transitions of alerts that are members: acknowledged, escalated, recovered, resolved. */
import { type AlertInstanceId, groupBy } from "@svc/contract";
import type { Knex } from "knex";
import { worstOf } from "../../alerting/evaluation/severity.ts";
import { isAlertEnd } from "../../outbox/announce-alert.ts";
import type { QueuedAlert } from "../../outbox/incident-queue-store.ts";
import { isActive, severityOf } from "./lifecycle.ts";
import { readLocationIncidents } from "./location-outage-store.ts";
import { type MemberState, readMembers, updateMembers } from "./member-store.ts";
import { type MemberTotals, readTotals } from "./member-totals-store.ts";
import { notifyAlone } from "./notify-alone.ts";
import type { AlertReport, Report } from "./report.ts";
import type { IncidentRow } from "./row.ts";
import { readIncidentRows, updateIncidents } from "./store.ts";
import type { TeamBatch } from "./team-batch.ts";
import { writeReports } from "./write-reports.ts";

/** Most ends of one incident's alerts at once that are notified singly. Nobody reads a hundred notifications. */
const SINGLE_ENDS_MAX = 3;

/** A transition of a member's alert. */
interface MemberChange {
  alert: QueuedAlert;
  member: MemberState;
  /** True when no other member is left open (ends) or unacknowledged (any other transition). */
  isLast: boolean;
}

/** Applies the transitions in their order, and reports the consequences. */
export async function changeAlerts(
  trx: Knex,
  { teamId, nowMs }: TeamBatch,
  queued: readonly QueuedAlert[],
): Promise<void> {
  if (queued.length === 0) return;
  const members = await readMembers(
    trx,
    queued.map(({ instanceId }) => instanceId),
  );
  await notifyAlone(
    trx,
    teamId,
    queued.filter(({ instanceId }) => !members.has(instanceId)),
  );
  const keys = [...new Set([...members.values()].map(({ incidentKey }) => incidentKey))];
  if (keys.length === 0) return;
  const rows = new Map((await readIncidentRows(trx, keys)).map((row) => [row.key, row]));
  const before = await readTotals(trx, keys, { withSample: false });
  const changes = applyChanges(queued, members, before);
  await updateMembers(trx, [...members.values()]);
  const totals = await readTotals(trx, keys, { withSample: false });
  const ofLocations = await readLocationIncidents(trx, keys);
  const reports: Report[] = [];
  const changed: IncidentRow[] = [];
  for (const [key, ofIncident] of groupBy(changes, ({ member }) => member.incidentKey)) {
    const row = rows.get(key);
    const after = totals.get(key);
    if (!row || !after) continue;
    const isOut = ofLocations.get(key)?.isOut === true;
    const changedRow = incidentAfter(row, after, nowMs);
    const incident = isOut ? whileOut(changedRow, row) : changedRow;
    changed.push(incident);
    reports.push(...reportsOf({ changes: ofIncident, before: row, incident, totals: after, isOut }));
  }
  await updateIncidents(trx, changed);
  await writeReports(trx, reports, nowMs);
}

/**
 * Applies the transitions to the members, which are modified.
 * @param totals of the incidents before the transitions
 */
function applyChanges(
  queued: readonly QueuedAlert[],
  members: ReadonlyMap<AlertInstanceId, MemberState>,
  totals: ReadonlyMap<number, MemberTotals>,
): MemberChange[] {
  const left = new Map(
    [...totals].map(([key, { openCount, unacknowledgedCount }]) => [key, { openCount, unacknowledgedCount }]),
  );
  return queued.flatMap((alert) => {
    const member = members.get(alert.instanceId);
    const count = member && left.get(member.incidentKey);
    if (!member || !count) return [];
    const { occurredAt, severity } = alert.payload;
    const wasUnacknowledged = member.endedAt === null && member.acknowledgedAt === null;
    if (alert.kind === "escalated") member.severity = severity;
    if (alert.kind === "acknowledged") member.acknowledgedAt ??= occurredAt;
    const ends = isAlertEnd(alert.kind) && member.endedAt === null;
    if (ends) {
      member.endedAt = occurredAt;
      count.openCount--;
    }
    if (wasUnacknowledged && (ends || alert.kind === "acknowledged")) count.unacknowledgedCount--;
    const isLast = isAlertEnd(alert.kind) ? count.openCount === 0 : count.unacknowledgedCount === 0;
    return [{ alert, member, isLast }];
  });
}

function incidentAfter(
  row: IncidentRow,
  { openCount, memberCount, openSeverities }: MemberTotals,
  nowMs: number,
): IncidentRow {
  const now = new Date(nowMs).toISOString();
  return {
    ...row,
    memberCount,
    openMemberCount: openCount,
    updatedAt: now,
    severity: isActive(row.state) ? severityOf(openSeverities, row.severity) : row.severity,
    quietSince: openCount === 0 ? (row.quietSince ?? now) : null,
  };
}

/** Returns the incident of a location whose outage lasts: it is not quiet, and no less severe, since the alerts that are held back are no members. */
function whileOut(incident: IncidentRow, before: IncidentRow): IncidentRow {
  return { ...incident, quietSince: null, severity: worstOf([before.severity, incident.severity]) };
}

interface ReportsInput {
  changes: readonly MemberChange[];
  before: IncidentRow;
  incident: IncidentRow;
  totals: MemberTotals;
  /** True when the incident is that of a location whose outage lasts: it is not over with its last member. */
  isOut: boolean;
}

/** Returns the reports about one incident and its alerts. */
function reportsOf({ changes, before, incident, totals, isOut }: ReportsInput): Report[] {
  const { instanceIds, channelIds } = totals;
  const event = { incident, instanceIds, channelIds, actorId: null };
  const ends = changes.filter(({ alert }) => isAlertEnd(alert.kind)).map(({ alert }) => alert);
  const reports: Report[] = changes
    .filter(({ alert }) => !isAlertEnd(alert.kind) || ends.length <= SINGLE_ENDS_MAX)
    .map(({ alert, isLast }): AlertReport => ({ ...alert, incident, isLast }));
  if (ends.length > SINGLE_ENDS_MAX) reports.push({ ...event, type: "alerts_recovered", alerts: ends });
  if (incident.severity !== before.severity)
    reports.push({
      ...event,
      type: "severity_changed",
      detail: { previousSeverity: before.severity },
      alerts: changes.filter(({ alert }) => alert.kind === "escalated").map(({ alert }) => alert),
    });
  // The page of an incident that is over ended with the incident.
  if (incident.openMemberCount === 0 && ends.length > 0 && isActive(incident.state) && !isOut)
    reports.push({ ...event, type: "members_recovered", alerts: ends.slice(-1) });
  return reports;
}
