/**
 * The phases of a deploy in their order: channels first and last, deletions before what takes their place. A channel whose type
 * changed is made under its name after the old one gave the name up; the old one goes when nothing refers to it any more.
 */
import { CHECK_TYPES, type Check, type NewCheck, type UpdateCheck, type UpdateSlo } from "@svc/contract";
import type { DesiredAlert, DesiredMonitor, DesiredSlo, DesiredWindow } from "../config/desired.ts";
import type { Change, Plan, Work } from "./planned-change.ts";
import type { ApplyTools } from "./send-with-retries.ts";

export interface Phase {
  takes(change: Change): boolean;
  run(change: Change): Promise<void>;
}

type WorkOf<Kind extends Work["kind"]> = Extract<Work, { kind: Kind }>;

/** Ids by name, growing as resources are made. */
interface Ids {
  channel: Map<string, string>;
  check: Map<string, string>;
}

/** @param createdChecks filled with what phase D makes */
export function phasesOf(plan: Plan, createdChecks: Check[], { api, remote }: ApplyTools): Phase[] {
  const ids = knownIds(plan);
  const deletion = (kind: Change["kind"], run: (id: string) => Promise<unknown>): Phase => ({
    takes: (change) => change.kind === kind && change.type === "delete",
    run: async ({ remoteId }) => void (await run(remoteId as string)),
  });
  const writing = <Kind extends Work["kind"]>(
    kind: Kind,
    run: (change: Change, work: WorkOf<Kind>) => Promise<unknown>,
    takes: (work: WorkOf<Kind>, change: Change) => boolean = () => true,
  ): Phase => ({
    takes: (change) =>
      change.kind === kind &&
      (change.type === "create" || change.type === "update") &&
      takes(change.work as WorkOf<Kind>, change),
    run: async (change) => void (await run(change, change.work as WorkOf<Kind>)),
  });
  const channelIds = (names: readonly string[]) => names.map((name) => idOf(ids.channel, name, "channel"));
  /** Of a resource beyond the config: the new ids of channels that were made anew. */
  const renewed = (old: readonly string[]) =>
    old.map((id) => {
      const name = remote.channels.find((channel) => channel.id === id)?.name;
      return (name !== undefined && ids.channel.get(name)) || id;
    });

  return [
    writing("channel", async ({ type, name, remoteId }, { desired, isReplaced }) => {
      if (!desired) return;
      if (type === "update") return api.updateChannel(remoteId as string, { channel: desired.config });
      if (isReplaced) await giveUpName(name);
      const { id } = await api.createChannel({ name, channel: desired.config });
      ids.channel.set(name, id);
    }),
    deletion("slo", (id) => api.deleteSlo(id)),
    deletion("alert", (id) => api.deleteAlertRule(id)),
    deletion("check", (id) => api.deleteCheck(id)),
    writing(
      "check",
      async ({ type, name, remoteId }, { desired }) => {
        if (!desired) return;
        if (type === "update") return api.updateCheck(remoteId as string, checkUpdate(desired));
        const check = await api.createCheck(newCheck(desired));
        createdChecks.push(check);
        ids.check.set(name, check.id);
      },
      ({ sendsCheck = true }) => sendsCheck,
    ),
    writing(
      "check",
      ({ name }, { desired }) => api.setLabels(idOf(ids.check, name, "monitor"), desired?.labels ?? []),
      ({ desired, sendsLabels }, { type }) =>
        type === "create" ? (desired?.labels ?? []).length > 0 : sendsLabels === true,
    ),
    writing("alert", async ({ remoteId }, { desired, monitor, channelIds: old }) => {
      if (!desired) return api.updateAlertRule(remoteId as string, { channelIds: renewed(old ?? []) });
      const rule = alertBody(desired, channelIds(desired.channels));
      if (remoteId !== null) return api.updateAlertRule(remoteId, rule);
      return api.createAlertRule(idOf(ids.check, monitor, "monitor"), rule);
    }),
    writing("slo", async ({ remoteId }, { desired, channelIds: old }) => {
      if (!desired) return api.updateSlo(remoteId as string, { channelIds: renewed(old ?? []) });
      const slo = sloBody(desired, idOf(ids.check, desired.monitor, "monitor"), channelIds(desired.channels));
      return remoteId !== null ? api.updateSlo(remoteId, slo) : api.createSlo(slo);
    }),
    writing("maintenance_window", async ({ remoteId }, { desired }) => {
      if (!desired) return;
      const window = windowBody(desired, (name) => idOf(ids.check, name, "monitor"));
      return remoteId !== null
        ? api.updateMaintenanceWindow(remoteId, window)
        : api.createMaintenanceWindow(window);
    }),
    deletion("maintenance_window", (id) => api.deleteMaintenanceWindow(id)),
    deletion("channel", (id) => api.deleteChannel(id)),
  ];

  /** The channel that stands under this name keeps working under another one until nothing refers to it. */
  async function giveUpName(name: string): Promise<void> {
    const old = remote.channels.find((channel) => channel.name === name);
    if (old) await api.updateChannel(old.id, { name: `${name.slice(0, 60)} (replaced ${old.id.slice(-8)})` });
  }

  function knownIds({ changes }: Plan): Ids {
    const deleted = new Set(changes.filter(({ type }) => type === "delete").map(({ remoteId }) => remoteId));
    const known = (list: readonly { id: string; name: string }[]) =>
      new Map(list.filter(({ id }) => !deleted.has(id)).map(({ id, name }) => [name, id]));
    const found: Ids = { channel: known(remote.channels), check: known(remote.checks) };
    // What a monitor was renamed from has its new name here.
    for (const { kind, name, remoteId, type } of changes)
      if (remoteId !== null && type !== "delete" && (kind === "channel" || kind === "check"))
        found[kind].set(name, remoteId);
    return found;
  }
}

function idOf(ids: ReadonlyMap<string, string>, name: string, kind: string): string {
  const id = ids.get(name);
  if (id === undefined) throw new Error(`the ${kind} "${name}" has not been made`);
  return id;
}

function newCheck({
  name,
  type,
  enabled,
  frequencySeconds,
  locations,
  retry,
  config,
}: DesiredMonitor): NewCheck {
  const { configKey } = CHECK_TYPES[type];
  return {
    name,
    type,
    enabled,
    frequencySeconds,
    locations,
    retry,
    [configKey]: config,
  } as unknown as NewCheck;
}

function checkUpdate({
  name,
  enabled,
  frequencySeconds,
  locations,
  retry,
  config,
}: DesiredMonitor): UpdateCheck {
  return { name, enabled, frequencySeconds, locations, retry, configJson: config };
}

function alertBody({ channels: _channels, ...rule }: DesiredAlert, channelIds: string[]) {
  return { ...rule, channelIds };
}

function sloBody(
  { monitor: _monitor, channels: _channels, ...slo }: DesiredSlo,
  checkId: string,
  channelIds: string[],
): Required<Pick<UpdateSlo, "windowDays" | "targetBasisPoints" | "name">> &
  typeof slo & {
    checkId: string;
    channelIds: string[];
  } {
  return { ...slo, checkId, channelIds };
}

function windowBody({ monitors, ...window }: DesiredWindow, idOfMonitor: (name: string) => string) {
  return { ...window, checkIds: monitors === "all" ? ("all" as const) : monitors.map(idOfMonitor) };
}
