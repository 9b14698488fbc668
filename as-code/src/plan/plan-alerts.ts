import type { DesiredAlert, DesiredMonitor } from "../config/desired.ts";
import type { ListedAlertRule } from "../records.ts";
import { compareResource } from "./compare-resource.ts";
import { alertFields, alertKey, changedAt, type NameLookup, remoteAlertFields } from "./compared-fields.ts";
import { matchAlerts } from "./match-alerts.ts";
import type { AlertChange, ChannelIndex, CheckIndex, Drift, PlanInput } from "./planned-change.ts";

interface Context {
  input: PlanInput;
  channels: ChannelIndex;
  names: NameLookup;
}

/**
 * Plans the alert rules. Rules belong to their monitor: a rule that the monitor no longer has is deleted, without
 * --prune.
 */
export function planAlerts(
  input: PlanInput,
  { channels, checks }: { channels: ChannelIndex; checks: CheckIndex },
): AlertChange[] {
  const { desired, remote } = input;
  const context: Context = { input, channels, names: { channel: channels.nameOf, check: checks.nameOf } };
  // Rules that an SLO generated follow their SLO, channels included.
  const written = remote.alerts.filter(({ sloId }) => sloId === null);
  const byCheck = groupByCheck(written);
  const changes = desired.monitors.flatMap((monitor) => {
    const checkId = checks.idOf(monitor.name);
    return planMonitorAlerts(context, monitor, checkId === undefined ? [] : (byCheck.get(checkId) ?? []));
  });
  const planned = new Set(changes.map(({ remoteId }) => remoteId));
  const others = written.filter(({ id }) => !planned.has(id));
  const goesAlong = ({ checkId }: ListedAlertRule) => checks.isDeleted(checkId);
  return [
    ...changes,
    ...others.filter(goesAlong).map((alert) => goingAlong(context, byCheck, alert)),
    ...others.filter((alert) => !goesAlong(alert)).flatMap((alert) => redirectedOf(context, alert)),
  ];
}

/** Plans the deletion of a rule that goes with its check, which is deleted, or created again with the rules of the config. */
function goingAlong(
  { input, names }: Context,
  byCheck: ReadonlyMap<string, readonly ListedAlertRule[]>,
  alert: ListedAlertRule,
): AlertChange {
  const monitor = names.check(alert.checkId);
  const index = byCheck.get(alert.checkId)?.indexOf(alert) ?? 0;
  return deletionOf({ input }, { alert, name: alertKey(monitor, alert.name, index), monitor });
}

function planMonitorAlerts(
  context: Context,
  { name: monitor, alerts }: DesiredMonitor,
  existing: readonly ListedAlertRule[],
): AlertChange[] {
  const matches = matchAlerts(alerts, existing, context.names);
  const matchedIds = new Set([...matches.values()].map(({ id }) => id));
  return [
    ...alerts.map((desired, i) => {
      const name = alertKey(monitor, desired.name, i);
      return planAlert(context, { desired, name, monitor, existing: matches.get(desired) });
    }),
    ...existing.flatMap((alert, i) =>
      matchedIds.has(alert.id)
        ? []
        : deletionOf(context, { alert, name: alertKey(monitor, alert.name, i), monitor }),
    ),
  ];
}

function planAlert(
  { input, channels, names }: Context,
  {
    desired,
    name,
    monitor,
    existing,
  }: { desired: DesiredAlert; name: string; monitor: string; existing: ListedAlertRule | undefined },
): AlertChange {
  if (!existing)
    return { kind: "alert", type: "create", name, remoteId: null, fieldChanges: [], desired, monitor };
  const step = compareResource(input, {
    kind: "alert",
    name,
    remoteId: existing.id,
    updatedAt: changedAt(existing),
    before: remoteAlertFields(existing, names),
    after: alertFields(desired),
    isForced: existing.channelIds.some(channels.isReplaced),
  });
  return { ...step, kind: "alert", desired, monitor };
}

function deletionOf(
  { input }: Pick<Context, "input">,
  { alert, name, monitor }: { alert: ListedAlertRule; name: string; monitor: string },
): AlertChange {
  const drift = driftOfDropped(input, alert);
  return {
    kind: "alert",
    type: "delete",
    name,
    remoteId: alert.id,
    fieldChanges: [],
    monitor,
    ...(drift ? { drift } : {}),
  };
}

/**
 * Returns the drift of a rule that the plan deletes: `conflict` when someone changed it since the last deploy, `drift` when
 * someone else created it on a monitor of this config, else undefined.
 */
function driftOfDropped({ state }: PlanInput, alert: ListedAlertRule): Drift | undefined {
  const deployed = state.find("alert", alert.id);
  if (deployed) return deployed.updatedAt === changedAt(alert) ? undefined : "conflict";
  const isOfKnownMonitor = state.find("check", alert.checkId) !== undefined;
  return isOfKnownMonitor ? "drift" : undefined;
}

/**
 * Plans the update of a rule that the config does not manage, when the deploy replaces a channel of the rule by a new
 * one.
 */
function redirectedOf({ channels, names }: Context, alert: ListedAlertRule): AlertChange[] {
  if (!alert.channelIds.some(channels.isReplaced)) return [];
  const monitor = names.check(alert.checkId);
  return [
    {
      kind: "alert",
      type: "update",
      name: alertKey(monitor, alert.name, 0),
      remoteId: alert.id,
      fieldChanges: [],
      monitor,
      channelIds: alert.channelIds,
    },
  ];
}

function groupByCheck(alerts: readonly ListedAlertRule[]): Map<string, ListedAlertRule[]> {
  const groups = new Map<string, ListedAlertRule[]>();
  for (const alert of alerts) {
    const group = groups.get(alert.checkId);
    if (group) group.push(alert);
    else groups.set(alert.checkId, [alert]);
  }
  return groups;
}
