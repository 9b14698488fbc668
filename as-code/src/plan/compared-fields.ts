/**
 * Brings the config's and the service's resources into one shape that can be compared: fields by the names that plans
 * show, with names in position of ids.
 */

import {
  type AlertPolicy,
  type Channel,
  type ChannelConfig,
  type Check,
  type CheckType,
  channelConfigSchema,
  checkTypes,
  type DeployedKind,
  type IncidentPolicy,
  type MaintenanceWindow,
  parseInstant,
  type Rota,
  type Slo,
  type StatusPage,
  type ThirdPartyPattern,
} from "@svc/contract";
import type {
  DesiredAlert,
  DesiredChannel,
  DesiredIncidentPolicy,
  DesiredMonitor,
  DesiredPattern,
  DesiredPolicy,
  DesiredRota,
  DesiredSlo,
  DesiredStatusPage,
  DesiredWindow,
} from "../config/desired.ts";
import { unixLines } from "../line-ends.ts";
import type { ListedAlertRule } from "../records.ts";

/** Values of a resource by field name. */
export type Fields = Record<string, unknown>;

/** Names of channels and checks by id. */
export interface NameLookup {
  channel(id: string): string;
  check(id: string): string;
}

/** Names of whatever an SLO refers to, by id. */
export interface SloNameLookup extends NameLookup {
  pattern(id: string): string;
}

/** Returns the settings of a channel of the config as a plan compares them. */
export function channelFields({ config, incident }: DesiredChannel): Fields {
  return { ...configFields(config), ...incidentFields(incident) };
}

/** Returns the settings of a channel of the service as a plan compares them. */
export function remoteChannelFields({ config, incidentTemplate, incidentSubscribed }: Channel): Fields {
  return { ...configFields(config), ...incidentFields({ incidentTemplate, incidentSubscribed }) };
}

function configFields(config: Fields): Fields {
  // Parsing fills defaults in: a field left out on one side equals its default written on the other.
  const parsed = channelConfigSchema.safeParse(config);
  return { ...(parsed.success ? (parsed.data as ChannelConfig) : config) };
}

/** Returns only what differs from the defaults: the hashes of former deploys don't cover these fields. */
function incidentFields(
  incident: Partial<Pick<Channel, "incidentTemplate" | "incidentSubscribed">> = {},
): Fields {
  const { incidentTemplate, incidentSubscribed } = incident;
  return {
    ...(incidentTemplate ? { incidentTemplate } : {}),
    ...(incidentSubscribed === false ? { incidentSubscribed } : {}),
  };
}

/** Returns the fields that monitors and checks have in common, in the order in which plans list them. */
function commonFields({
  type,
  name,
  enabled,
  frequencySeconds,
  locations,
  retry,
}: Pick<Check, "type" | "name" | "enabled" | "frequencySeconds" | "locations" | "retry">): Fields {
  return { type, name, enabled, frequencySeconds, locations, retry };
}

/** Returns a monitor's fields as a plan compares them. */
export function monitorFields(monitor: DesiredMonitor): Fields {
  const { type, labels, config } = monitor;
  return {
    ...commonFields(monitor),
    ...withoutConstants(type, config).fields,
    ...dependencyFields(monitor.dependsOn),
    ...(labels === undefined ? {} : { labels }),
  };
}

/** Returns no field where there is nothing to depend on: the hashes of former deploys don't cover it. */
function dependencyFields(dependsOn: readonly string[]): Fields {
  return dependsOn.length === 0 ? {} : { dependsOn: [...dependsOn].sort() };
}

/**
 * Returns a check's fields as a plan compares them. Line ends of its script are no difference: the config's are those of Unix.
 * @param labels labels of the check; undefined when the config doesn't manage them
 * @param nameOf names a check that this one depends on as the config does
 */
export function checkFields(
  check: Check,
  labels: readonly string[] | undefined,
  nameOf: (id: string) => string,
): Fields {
  const { fields, deviating } = withoutConstants(check.type, withUnixLines(check));
  return {
    ...commonFields(check),
    ...fields,
    ...deviating,
    ...dependencyFields((check.dependsOn ?? []).map(nameOf)),
    ...(labels === undefined ? {} : { labels: [...labels].sort() }),
  };
}

function withUnixLines({ type, configJson }: Check): Fields {
  const scriptField = checkTypes.find(type)?.scriptField;
  const script = scriptField === undefined ? undefined : configJson[scriptField];
  return typeof script === "string"
    ? { ...configJson, [scriptField as string]: unixLines(script) }
    : configJson;
}

/**
 * Takes the fields out that every monitor of the type has with one value, and that nobody writes in a config.
 * @returns the other fields, and those that have another value than every monitor
 */
function withoutConstants(type: CheckType, config: Fields): { fields: Fields; deviating: Fields } {
  const constants = checkTypes.find(type)?.monitorConstants ?? {};
  const entries = Object.entries(config);
  return {
    fields: Object.fromEntries(entries.filter(([field]) => !(field in constants))),
    deviating: Object.fromEntries(
      entries.filter(([field, value]) => field in constants && value !== constants[field]),
    ),
  };
}

/** Returns the fields of an alert of the config as a plan compares them. */
export function alertFields(alert: DesiredAlert): Fields {
  return { ...alert, channels: [...alert.channels].sort() };
}

/** Returns the fields of an alert rule of the service as a plan compares them, with the names of its channels. */
export function remoteAlertFields(alert: ListedAlertRule, names: NameLookup): Fields {
  const { name, enabled, conditions, channelIds, confirm, recovery } = alert;
  return { name, enabled, conditions, confirm, recovery, channels: channelIds.map(names.channel).sort() };
}

/** Returns the fields of a third-party pattern of either side as a plan compares them. */
export function patternFields({ hostPattern }: DesiredPattern | ThirdPartyPattern): Fields {
  return { hostPattern };
}

/** Returns the fields of an SLO of the config as a plan compares them. */
export function sloFields({ name: _name, ...slo }: DesiredSlo): Fields {
  return { ...slo, channels: [...slo.channels].sort() };
}

/** Returns the fields of an SLO of the service as a plan compares them, with the names of its subject and channels. */
export function remoteSloFields(slo: Slo, names: SloNameLookup): Fields {
  const { targetBasisPoints, windowDays, burnRateAlertsEnabled, enabled, sliType, perfThresholdMs } = slo;
  return {
    targetBasisPoints,
    windowDays,
    burnRateAlertsEnabled,
    enabled,
    sliType,
    perfThresholdMs,
    ...(slo.checkId === null ? {} : { monitor: names.check(slo.checkId) }),
    ...(slo.patternId === null ? {} : { pattern: names.pattern(slo.patternId) }),
    channels: slo.channelIds.map(names.channel).sort(),
  };
}

/** Returns the fields of an alert policy of the config as a plan compares them. */
export function policyFields({ name: _name, ...policy }: DesiredPolicy): Fields {
  return { ...policy, channels: [...policy.channels].sort() };
}

/** Returns the fields of an alert policy of the service as a plan compares them, with the names of its channels. */
export function remotePolicyFields(policy: AlertPolicy, names: Pick<NameLookup, "channel">): Fields {
  const { labels, enabled, conditions, channelIds, confirm, recovery } = policy;
  const channels = channelIds.map(names.channel).sort();
  return { labels: [...labels].sort(), enabled, conditions, confirm, recovery, channels };
}

/** Returns the fields of a maintenance window of the config as a plan compares them; instants in UTC. */
export function windowFields({ name: _name, monitors, ...window }: DesiredWindow): Fields {
  const iso = (text: string) => new Date(parseInstant(text, window.timezone)).toISOString();
  return {
    ...window,
    startsAt: iso(window.startsAt),
    endsAt: iso(window.endsAt),
    checks: monitors === "all" ? "all" : [...monitors].sort(),
  };
}

/** Returns the fields of a maintenance window of the service as a plan compares them, with the names of its monitors. */
export function remoteWindowFields(window: MaintenanceWindow, names: NameLookup): Fields {
  const { mode, startsAt, endsAt, recurring, recurrenceRule, timezone, checkIds } = window;
  return {
    mode,
    startsAt,
    endsAt,
    recurring,
    recurrenceRule,
    timezone,
    checks: checkIds === "all" ? "all" : checkIds.map(names.check).sort(),
  };
}

/** Returns the fields of a rota of the config as a plan compares them; instants in UTC. */
export function rotaFields({ name: _name, ...rota }: DesiredRota): Fields {
  const iso = (text: string) => new Date(parseInstant(text, rota.timezone)).toISOString();
  return {
    ...rota,
    startsAt: iso(rota.startsAt),
    members: rota.members.map(({ name, channels }) => ({ name, channels: [...channels].sort() })),
    overrides: rota.overrides.map(({ from, to, member }) => ({ from: iso(from), to: iso(to), member })),
  };
}

/** Returns the fields of a rota of the service as a plan compares them, with the names of its channels. */
export function remoteRotaFields(rota: Rota, names: Pick<NameLookup, "channel">): Fields {
  const { timezone, startsAt, handover, overrides } = rota;
  const members = rota.members.map(({ name, channelIds }) => ({
    name,
    channels: channelIds.map(names.channel).sort(),
  }));
  return { timezone, startsAt, handover, members, overrides };
}

/** Returns the fields of the config's incident policy as a plan compares them. */
export function incidentPolicyFields({ steps }: DesiredIncidentPolicy): Fields {
  return { steps: steps.map((step) => ({ ...step, channels: [...step.channels].sort() })) };
}

/** Returns the fields of the service's incident policy as a plan compares them, with the names of channels and rotas. */
export function remoteIncidentPolicyFields(
  { steps }: IncidentPolicy,
  names: Pick<NameLookup, "channel"> & { rota(id: string): string },
): Fields {
  return {
    steps: steps.map(({ afterMinutes, channelIds, rotaId }) => ({
      afterMinutes,
      channels: channelIds.map(names.channel).sort(),
      ...(rotaId !== undefined && { rota: names.rota(rotaId) }),
    })),
  };
}

/** Returns the fields of a status page of the config as a plan compares them. */
export function statusPageFields({ slug: _slug, ...page }: DesiredStatusPage): Fields {
  return { ...page };
}

/** Returns the fields of a status page of the service as a plan compares them, with the names of its monitors. */
export function remoteStatusPageFields(page: StatusPage, names: Pick<NameLookup, "check">): Fields {
  const { title, description, isPublished, subscriptions, components } = page;
  return {
    title,
    description,
    isPublished,
    subscriptions,
    components: components.map(({ name, checkId, labels }) => ({
      name,
      ...(checkId === undefined ? {} : { monitor: names.check(checkId) }),
      ...(labels === undefined ? {} : { labels: [...labels].sort() }),
    })),
  };
}

/**
 * Returns the ISO instant of a resource's last change, by the service's clock; of one that can't change, of its
 * creation.
 */
export function changedAt(resource: { createdAt: string; updatedAt?: string | null }): string {
  return resource.updatedAt ?? resource.createdAt;
}

/** Returns a rule's name in plans and state: its monitor's name, and its own or its number in the monitor's list. */
export function alertKey(monitor: string, name: string | null, index: number): string {
  return `${monitor} / ${name ?? `rule ${index + 1}`}`;
}

/** Words for the kinds of resources in plans and messages. */
export const KIND_WORDS: Record<DeployedKind, string> = {
  channel: "channel",
  check: "monitor",
  alert: "alert",
  third_party_pattern: "third-party pattern",
  slo: "SLO",
  maintenance_window: "maintenance window",
  alert_policy: "alert policy",
  rota: "rota",
  incident_policy: "incident policy",
  status_page: "status page",
};
