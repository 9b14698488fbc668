/** What happened to alerts that are members: acknowledged, escalated, recovered, resolved; and what of it changes the incident. */
import type { TeamId } from "@svc/contract";
import type { Knex } from "knex";
import type { QueuedAlert } from "../../outbox/incident-queue-store.ts";
import { groupBy } from "./group-by.ts";
import { isActive, severityOf } from "./lifecycle.ts";
import {
  type MemberState,
  type MemberTotals,
  readMembers,
  readTotals,
  updateMembers,
} from "./member-store.ts";
import type { IncidentRow } from "./row.ts";
import { readIncidentRows, updateIncidents } from "./store.ts";
import { enqueueAsAlerts } from "./tell-unplaced.ts";
import { type AlertTold, type Happened, writeHappened } from "./write-events.ts";

/** More ends of one incident's alerts at once are told together: nobody reads a hundred messages. */
const ENDS_TOLD_SINGLY = 3;

/** A change of an alert that is a member. */
interface MemberChange {
  alert: QueuedAlert;
  member: MemberState;
  isLast: boolean;
}

/** Applies them in their order, and writes and tells what follows. */
export async function changeAlerts(
  trx: Knex,
  teamId: TeamId,
  queued: readonly QueuedAlert[],
  nowMs: number,
): Promise<void> {
  if (queued.length === 0) return;
  const members = await readMembers(
    trx,
    queued.map(({ instanceId }) => instanceId),
  );
  await enqueueAsAlerts(
    trx,
    teamId,
    queued.filter(({ instanceId }) => !members.has(instanceId)),
  );
  const keys = [...new Set([...members.values()].map(({ incidentKey }) => incidentKey))];
  if (keys.length === 0) return;
  const rows = new Map((await readIncidentRows(trx, keys)).map((row) => [row.key, row]));
  const counts = await readTotals(trx, keys, false);
  const changes = applyChanges(queued, members, counts);
  await updateMembers(trx, [...members.values()]);
  const totals = await readTotals(trx, keys, false);
  const happened: (Happened | AlertTold)[] = [];
  const changed: IncidentRow[] = [];
  for (const [key, ofIncident] of groupBy(changes, ({ member }) => member.incidentKey)) {
    const [row, after] = [rows.get(key), totals.get(key)];
    if (!row || !after) continue;
    const incident = incidentAfter(row, after, nowMs);
    changed.push(incident);
    happened.push(...tellingsOf(ofIncident, incident, row, after));
  }
  await updateIncidents(trx, changed);
  await writeHappened(trx, happened, nowMs);
}

/** Changes the members, and says of each change whether others are left in the state that it ends. */
function applyChanges(
  queued: readonly QueuedAlert[],
  members: ReadonlyMap<string, MemberState>,
  counts: ReadonlyMap<number, MemberTotals>,
): MemberChange[] {
  const left = new Map(
    [...counts].map(([key, { openCount, unacknowledgedCount }]) => [key, { openCount, unacknowledgedCount }]),
  );
  return queued.flatMap((alert) => {
    const member = members.get(alert.instanceId);
    const count = member && left.get(member.incidentKey);
    if (!member || !count) return [];
    const { occurredAt, severity } = alert.payload;
    const wasUnacknowledged = member.endedAt === null && member.acknowledgedAt === null;
    if (alert.kind === "escalated") member.severity = severity;
    if (alert.kind === "acknowledged") member.acknowledgedAt ??= occurredAt;
    const ends = isEnd(alert) && member.endedAt === null;
    if (ends) {
      member.endedAt = occurredAt;
      count.openCount--;
    }
    if (wasUnacknowledged && (ends || alert.kind === "acknowledged")) count.unacknowledgedCount--;
    const isLast = isEnd(alert) ? count.openCount === 0 : count.unacknowledgedCount === 0;
    return [{ alert, member, isLast }];
  });
}

function isEnd({ kind }: QueuedAlert): boolean {
  return kind === "recovered" || kind === "resolved";
}

function incidentAfter(
  row: IncidentRow,
  { openCount, memberCount, openSeverities }: MemberTotals,
  nowMs: number,
): IncidentRow {
  const now = new Date(nowMs).toISOString();
  return {
    ...row,
    ...{ memberCount, openMemberCount: openCount, updatedAt: now },
    severity: isActive(row.state) ? severityOf(openSeverities, row.severity) : row.severity,
    quietSince: openCount === 0 ? (row.quietSince ?? now) : null,
  };
}

function tellingsOf(
  changes: readonly MemberChange[],
  incident: IncidentRow,
  before: IncidentRow,
  { instanceIds, channelIds }: MemberTotals,
): (Happened | AlertTold)[] {
  const event = { incident, instanceIds, channelIds, actorId: null };
  const ends = changes.filter(({ alert }) => isEnd(alert));
  const told: (Happened | AlertTold)[] = changes
    .filter(({ alert }) => !isEnd(alert) || ends.length <= ENDS_TOLD_SINGLY)
    .map(({ alert, isLast }) => ({ ...alert, incident, isLast }));
  if (ends.length > ENDS_TOLD_SINGLY)
    told.push({ ...event, type: "alerts_recovered", about: ends.map(({ alert }) => alert) });
  if (incident.severity !== before.severity)
    told.push({
      ...{ ...event, type: "severity_changed", detail: { previousSeverity: before.severity } },
      about: changes.filter(({ alert }) => alert.kind === "escalated").map(({ alert }) => alert),
    });
  // Of an incident that is over, the page has ended with it.
  if (incident.openMemberCount === 0 && ends.length > 0 && isActive(incident.state))
    told.push({ ...event, type: "members_recovered", about: ends.slice(-1).map(({ alert }) => alert) });
  return told;
}
