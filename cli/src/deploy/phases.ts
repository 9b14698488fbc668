/**
 * The phases of a deploy in their order: channels first and last, deletions before what takes their name. A channel
 * whose type changed is created under its name after the old one gave that name up; the old one is deleted when nothing
 * refers to it any more.
 */

import type { DesiredMonitor } from "@svc/as-code/config";
import type {
  AlertChange,
  ChannelChange,
  CheckChange,
  PatternChange,
  Plan,
  PlannedChange,
  PolicyChange,
  Remote,
  SloChange,
  StatusPageChange,
  WindowChange,
} from "@svc/as-code/plan";
import { type ApiClient, type Check, type CheckId, isId, refuseCondition } from "@svc/contract";
import {
  alertBody,
  channelUpdate,
  checkUpdate,
  hasOwnIncidentSettings,
  newCheck,
  sloBody,
  statusPageBody,
  windowBody,
} from "./request-bodies.ts";
import { ResourceIds } from "./resource-ids.ts";
import { writeIncidentPolicy, writeRota } from "./write-on-duty.ts";

/** One phase of a deploy; its changes are sent at once, in any order. */
export interface Phase {
  covers(change: PlannedChange): boolean;
  /** Sends the change, or the part of it that belongs to this phase. */
  run(change: PlannedChange): Promise<void>;
}

/** The service, its state before the deploy, and the callback for created checks. */
export interface PhaseTools {
  api: ApiClient;
  remote: Remote;
  onCheckCreated(check: Check): void;
}

interface PhaseContext extends PhaseTools {
  ids: ResourceIds;
  plan: Plan;
}

/** Returns the phases; they share the ids that earlier phases create, so each list serves one deploy. */
export function phasesOf(plan: Plan, tools: PhaseTools): Phase[] {
  const { api } = tools;
  const context: PhaseContext = { ...tools, ids: new ResourceIds(tools.remote, plan), plan };
  return [
    writing("channel", (change) => writeChannel(context, change)),
    writing(
      "channel",
      ({ name, desired }) => api.updateChannel(context.ids.get("channel", name), { ...desired?.incident }),
      ({ remoteId, desired }) => remoteId === null && hasOwnIncidentSettings(desired),
    ),
    deleting("slo", (id) => api.deleteSlo(id)),
    deleting("alert", (id) => api.deleteAlertRule(id)),
    deleting("alert_policy", (id) => api.deleteAlertPolicy(id)),
    deleting("status_page", (id) => api.deleteStatusPage(id)),
    deleting("check", (id) => api.deleteCheck(id)),
    deleting("third_party_pattern", (id) => api.deleteThirdPartyPattern(id)),
    writing(
      "alert",
      (change) => writeAlert(context, change),
      (change) => isLeftBehind(change, context),
    ),
    writing(
      "check",
      (change) => writeCheck(context, change),
      ({ sendsCheck }) => sendsCheck,
    ),
    writing(
      "check",
      (change) => dropDependencies(context, change),
      ({ dropsDependencies }) => dropsDependencies,
    ),
    writing(
      "check",
      ({ name, desired }) =>
        api.updateCheck(context.ids.get("check", name), { dependsOn: dependenciesOf(context, desired) }),
      ({ sendsDependencies }) => sendsDependencies,
    ),
    writing(
      "check",
      ({ name, desired }) => api.setLabels(context.ids.get("check", name), desired?.labels ?? []),
      ({ sendsLabels }) => sendsLabels,
    ),
    writing(
      "alert",
      (change) => writeAlert(context, change),
      (change) => !isLeftBehind(change, context),
    ),
    writing("alert_policy", (change) => writePolicy(context, change)),
    deleting("incident_policy", () => api.setIncidentPolicy({ steps: [] })),
    writing("rota", (change) => writeRota(context, change)),
    writing("incident_policy", (change) => writeIncidentPolicy(context, change)),
    deleting("rota", (id) => api.deleteRota(id)),
    writing("third_party_pattern", (change) => writePattern(context, change)),
    writing("slo", (change) => writeSlo(context, change)),
    writing("status_page", (change) => writeStatusPage(context, change)),
    writing("maintenance_window", (change) => writeWindow(context, change)),
    deleting("maintenance_window", (id) => api.deleteMaintenanceWindow(id)),
    deleting("channel", (id) => api.deleteChannel(id)),
  ];
}

/**
 * True when the service's rule could never fire for its check as the config has it: the service refuses that check until the
 * rule is changed.
 */
function isLeftBehind({ remoteId, desired, monitor }: AlertChange, { remote, plan }: PhaseContext): boolean {
  if (remoteId === null || !desired) return false;
  const rule = remote.alerts.find(({ id }) => id === remoteId);
  const check = plan.changes.find(({ kind, name }) => kind === "check" && name === monitor) as
    | CheckChange
    | undefined;
  const watched = check?.desired;
  return (
    rule !== undefined &&
    watched !== undefined &&
    rule.conditions.some((one) => refuseCondition(one, watched))
  );
}

type ChangeOf<Kind extends PlannedChange["kind"]> = Extract<PlannedChange, { kind: Kind }>;

function writing<Kind extends PlannedChange["kind"]>(
  kind: Kind,
  write: (change: ChangeOf<Kind>) => Promise<unknown>,
  isSent: (change: ChangeOf<Kind>) => boolean = () => true,
): Phase {
  const isWritten = (change: PlannedChange): change is ChangeOf<Kind> =>
    change.kind === kind && (change.type === "create" || change.type === "update");
  return {
    covers: (change) => isWritten(change) && isSent(change),
    async run(change) {
      if (isWritten(change)) await write(change);
    },
  };
}

function deleting(kind: PlannedChange["kind"], remove: (id: string) => Promise<unknown>): Phase {
  return {
    covers: (change) => change.kind === kind && change.type === "delete",
    async run({ remoteId }) {
      if (remoteId !== null) await remove(remoteId);
    },
  };
}

async function writeChannel(context: PhaseContext, change: ChannelChange): Promise<void> {
  const { api, ids } = context;
  const { name, desired, remoteId } = change;
  if (!desired) return;
  if (remoteId !== null) {
    await api.updateChannel(remoteId, channelUpdate(desired));
    return;
  }
  if (change.replacesAnother) await giveUpName(context, name);
  const { id } = await api.createChannel({ name, channel: desired.config });
  ids.add("channel", name, id);
}

/** Renames the channel that has this name; it keeps working until nothing refers to it. */
async function giveUpName({ api, remote }: PhaseContext, name: string): Promise<void> {
  const former = remote.channels.find((channel) => channel.name === name);
  if (!former) return;
  await api.updateChannel(former.id, { name: `${name.slice(0, 60)} (replaced ${former.id.slice(-8)})` });
}

async function writeCheck(
  { api, ids, onCheckCreated }: PhaseContext,
  { name, desired, remoteId }: CheckChange,
): Promise<void> {
  if (!desired) return;
  if (remoteId !== null) {
    await api.updateCheck(remoteId, checkUpdate(desired));
    return;
  }
  const check = await api.createCheck(newCheck(desired));
  onCheckCreated(check);
  ids.add("check", name, check.id);
}

function dependenciesOf({ ids }: PhaseContext, desired: DesiredMonitor | undefined): CheckId[] {
  return (desired?.dependsOn ?? []).map(
    (one) => (isId("check", one) ? one : ids.get("check", one)) as CheckId,
  );
}

/** Leaves the check with those of its dependencies that it keeps. */
async function dropDependencies(context: PhaseContext, { remoteId, desired }: CheckChange): Promise<void> {
  if (remoteId === null) return;
  const current = context.remote.checks.find(({ id }) => id === remoteId)?.dependsOn ?? [];
  const wanted = new Set<string>(dependenciesOf(context, desired));
  await context.api.updateCheck(remoteId, { dependsOn: current.filter((id) => wanted.has(id)) });
}

async function writeAlert({ api, ids }: PhaseContext, change: AlertChange): Promise<void> {
  const { desired, remoteId, monitor, channelIds = [] } = change;
  if (!desired) {
    if (remoteId !== null)
      await api.updateAlertRule(remoteId, { channelIds: ids.renewedChannels(channelIds) });
    return;
  }
  const rule = alertBody(desired, ids.channels(desired.channels));
  if (remoteId !== null) await api.updateAlertRule(remoteId, rule);
  else await api.createAlertRule(ids.get("check", monitor), rule);
}

async function writePolicy({ api, ids }: PhaseContext, change: PolicyChange): Promise<void> {
  const { desired, remoteId, channelIds = [] } = change;
  if (!desired) {
    if (remoteId !== null)
      await api.updateAlertPolicy(remoteId, { channelIds: ids.renewedChannels(channelIds) });
    return;
  }
  const { channels, ...policy } = desired;
  const body = { ...policy, channelIds: ids.channels(channels) };
  if (remoteId !== null) await api.updateAlertPolicy(remoteId, body);
  else await api.createAlertPolicy(body);
}

async function writePattern({ api, ids }: PhaseContext, { name, desired }: PatternChange): Promise<void> {
  if (!desired) return;
  const { id } = await api.createThirdPartyPattern(desired);
  ids.add("third_party_pattern", name, id);
}

async function writeSlo({ api, ids }: PhaseContext, change: SloChange): Promise<void> {
  const { desired, remoteId, channelIds = [] } = change;
  if (!desired) {
    if (remoteId !== null) await api.updateSlo(remoteId, { channelIds: ids.renewedChannels(channelIds) });
    return;
  }
  const slo = sloBody(desired, {
    ...(desired.pattern === undefined
      ? { sloType: "check", checkId: ids.get("check", desired.monitor) }
      : { sloType: "third_party", patternId: ids.get("third_party_pattern", desired.pattern) }),
    channelIds: ids.channels(desired.channels),
  });
  if (remoteId !== null) await api.updateSlo(remoteId, slo);
  else await api.createSlo(slo);
}

async function writeWindow({ api, ids }: PhaseContext, { desired, remoteId }: WindowChange): Promise<void> {
  if (!desired) return;
  const window = windowBody(desired, (monitor) => ids.get("check", monitor));
  if (remoteId !== null) await api.updateMaintenanceWindow(remoteId, window);
  else await api.createMaintenanceWindow(window);
}

async function writeStatusPage(
  { api, ids }: PhaseContext,
  { desired, remoteId }: StatusPageChange,
): Promise<void> {
  if (!desired) return;
  const page = statusPageBody(desired, (monitor) => ids.get("check", monitor));
  if (remoteId !== null) await api.updateStatusPage(remoteId, page);
  else await api.createStatusPage(page);
}
