import type { DesiredAlert, DesiredMonitor } from "../config/desired.ts";
import { alertFields, alertKey, changedAt, type Names, remoteAlertFields } from "./compared-fields.ts";
import type { RemoteAlert } from "./fetch-remote.ts";
import { areEqual } from "./field-changes.ts";
import { type Change, comparison, type PlanContext } from "./planned-change.ts";

/** Alert rules belong to their monitor: what it no longer has is deleted, without --prune. */
export function planAlerts(context: PlanContext): Change[] {
  const { desired, remote } = context;
  // Rules that an SLO generated follow their SLO, channels included.
  const written = remote.alerts.filter(({ sloId }) => sloId === null);
  const byCheck = groupedByCheck(written);
  const changes = desired.monitors.flatMap((monitor) => {
    const checkId = context.checkIdOf(monitor.name);
    return planMonitorAlerts(context, monitor, checkId === undefined ? [] : (byCheck.get(checkId) ?? []));
  });
  const planned = new Set(changes.map(({ remoteId }) => remoteId));
  const others = written.filter(({ id, checkId }) => !planned.has(id) && !context.deletedChecks.has(checkId));
  return [...changes, ...others.flatMap((alert) => repointed(context, alert))];
}

function planMonitorAlerts(
  context: PlanContext,
  { name: monitor, alerts }: DesiredMonitor,
  existing: readonly RemoteAlert[],
): Change[] {
  const names = namesOf(context);
  const matches = matchAlerts(alerts, existing, names);
  const changes: Change[] = alerts.map((desired, i) => {
    const name = alertKey(monitor, desired.name, i);
    const alert = matches.get(desired);
    const work = { kind: "alert" as const, desired, monitor };
    if (!alert) return { type: "create", kind: "alert", name, remoteId: null, fieldChanges: [], work };
    return comparison(context, {
      kind: "alert",
      name,
      remoteId: alert.id,
      updatedAt: changedAt(alert),
      work,
      before: remoteAlertFields(alert, names),
      after: alertFields(desired),
      isForced: alert.channelIds.some((id) => context.replacedChannels.has(id)),
    });
  });
  const kept = new Set([...matches.values()].map(({ id }) => id));
  for (const [i, alert] of existing.entries())
    if (!kept.has(alert.id)) changes.push(dropped(context, monitor, alert, i));
  return changes;
}

/** Deletes a rule; one that someone made or changed since the last deploy is not dropped silently. */
function dropped({ state }: PlanContext, monitor: string, alert: RemoteAlert, index: number): Change {
  const deployed = state.find("alert", alert.id);
  const isKnownMonitor = state.find("check", alert.checkId) !== undefined;
  const drift = deployed
    ? deployed.updatedAt === changedAt(alert)
      ? undefined
      : ("conflict" as const)
    : isKnownMonitor
      ? ("drift" as const)
      : undefined;
  return {
    type: "delete",
    kind: "alert",
    name: alertKey(monitor, alert.name, index),
    remoteId: alert.id,
    fieldChanges: [],
    work: { kind: "alert", monitor },
    ...(drift ? { drift } : {}),
  };
}

/** By name, then by equal content, then in order: an unnamed rule that was edited stays the same rule. */
function matchAlerts(
  desired: readonly DesiredAlert[],
  existing: readonly RemoteAlert[],
  names: Names,
): Map<DesiredAlert, RemoteAlert> {
  const matches = new Map<DesiredAlert, RemoteAlert>();
  const free = new Set(existing);
  const match = (accepts: (alert: DesiredAlert, remote: RemoteAlert) => boolean) => {
    for (const alert of desired) {
      if (matches.has(alert)) continue;
      const found = [...free].find((remote) => accepts(alert, remote));
      if (!found) continue;
      matches.set(alert, found);
      free.delete(found);
    }
  };
  match((alert, remote) => areEqual(alertFields(alert), remoteAlertFields(remote, names)));
  match((alert, remote) => alert.name !== null && alert.name === remote.name);
  match((alert, remote) => alert.name === null && remote.name === null);
  return matches;
}

/** A rule beyond the config that tells a channel which is made anew: it shall tell the new one. */
function repointed(context: PlanContext, alert: RemoteAlert): Change[] {
  if (!alert.channelIds.some((id) => context.replacedChannels.has(id))) return [];
  const monitor = context.checkName(alert.checkId);
  return [
    {
      type: "update",
      kind: "alert",
      name: alertKey(monitor, alert.name, 0),
      remoteId: alert.id,
      fieldChanges: [],
      work: { kind: "alert", monitor, channelIds: alert.channelIds },
    },
  ];
}

function namesOf({ channelName, checkName }: PlanContext): Names {
  return { channel: channelName, check: checkName };
}

function groupedByCheck(alerts: readonly RemoteAlert[]): Map<string, RemoteAlert[]> {
  const groups = new Map<string, RemoteAlert[]>();
  for (const alert of alerts) groups.set(alert.checkId, [...(groups.get(alert.checkId) ?? []), alert]);
  return groups;
}
