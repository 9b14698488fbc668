/** Turns the service's resources into a config. Pure but for the names that `placeholders` gives. */
import {
  type AlertPolicy,
  assertionSchema,
  type Channel,
  type ChannelDefinition,
  type Check,
  type CheckType,
  channelConfigSchema,
  channelTypes,
  checkTypes,
  conditionSchema,
  durationText,
  handoverSchema,
  monitorDurationsOf,
  pushedTraitsOf,
  REQUEST_MARKS,
  type Slo,
  secretMarksOf,
} from "@svc/contract";
import { statusPageOf } from "./describe-status-page.ts";
import { windowOf } from "./describe-window.ts";
import { unixLines } from "./line-ends.ts";
import type { Placeholders } from "./placeholders.ts";
import type { DescribedRecords, ListedAlertRule } from "./records.ts";
import { deepText, freeText, mapText, namedSecretsIn, secretsIn } from "./rewrite-values.ts";
import { withoutDefaults } from "./without-defaults.ts";

type Fields = Record<string, unknown>;

/** The fields that alert rules and alert policies have in common. */
type FiringRule = Pick<AlertPolicy, "enabled" | "conditions" | "channelIds" | "confirm" | "recovery">;

interface PulledMonitor {
  /** Fields without the path of the script, which depends on where the script is written. */
  fields: Fields;
  /** The script: the field that takes its path, and its text. */
  script: { field: string; text: string } | undefined;
  name: string;
}

/** The parts of a pulled config, in the config's form. Names of channels are the keys of `alertChannels`. */
export interface PulledConfig {
  defaults: Fields;
  alertChannels: Fields;
  monitors: PulledMonitor[];
  thirdPartyPatterns: Fields[];
  slos: Fields[];
  alertPolicies: Fields[];
  rotas: Fields[];
  /** Empty: there is none. */
  incidentPolicy: Fields;
  statusPages: Fields[];
  /** Only the single-file layout can hold them. */
  maintenanceWindows: Fields[];
}

/**
 * Builds the config.
 * @param remote only the resources that are to be written
 */
export function configOf(remote: DescribedRecords, placeholders: Placeholders): PulledConfig {
  const { text } = placeholders;
  const references = (ids: readonly string[]) =>
    ids.flatMap((id) => {
      const channel = remote.channels.find((one) => one.id === id);
      return channel ? [text(`@${channel.name}`)] : [];
    });
  const firingFields = (rule: FiringRule): Fields => ({
    ...(rule.enabled ? {} : { enabled: false }),
    conditions: rule.conditions.map((one) => deepText(withoutDefaults(conditionSchema, one), placeholders)),
    channels: references(rule.channelIds),
    ...(rule.confirm ? { confirm: true } : {}),
    ...(rule.recovery.consecutiveSuccesses === 1 ? {} : { recovery: rule.recovery }),
  });
  const alertsByCheck = new Map<string, ListedAlertRule[]>();
  for (const alert of remote.alerts) {
    const alerts = alertsByCheck.get(alert.checkId);
    if (alerts) alerts.push(alert);
    else alertsByCheck.set(alert.checkId, [alert]);
  }
  const defaults = commonest(remote.checks);
  const nameById = new Map<string, string>(remote.checks.map(({ id, name }) => [id, name]));
  return {
    defaults,
    alertChannels: Object.fromEntries(
      sortedByName(remote.channels).map((channel) => [
        placeholders.key(channel.name),
        channelOf(channel, placeholders),
      ]),
    ),
    monitors: sortedByName(remote.checks).map((check) => {
      const alerts = [...(alertsByCheck.get(check.id) ?? [])].sort(byAge).map((alert) => ({
        ...(alert.name === null ? {} : { name: text(alert.name) }),
        ...firingFields(alert),
      }));
      const labels = remote.labels[check.id] ?? [];
      const dependsOn = (check.dependsOn ?? []).map((id) => nameById.get(id) ?? id).sort();
      return monitorOf(check, { defaults, placeholders, labels, alerts, dependsOn });
    }),
    thirdPartyPatterns: sortedByName(remote.patterns).map(({ name, hostPattern }) => ({
      name: text(name),
      hostPattern: text(hostPattern),
    })),
    slos: sortedByName(remote.slos).map((slo) => sloOf(slo, remote, { placeholders, references })),
    alertPolicies: sortedByName(remote.policies).map((policy) => ({
      name: text(policy.name),
      labels: [...policy.labels].sort(),
      ...firingFields(policy),
    })),
    rotas: sortedByName(remote.rotas).map((rota) => ({
      name: text(rota.name),
      ...(rota.timezone === "UTC" ? {} : { timezone: rota.timezone }),
      startsAt: rota.startsAt,
      handover: withoutDefaults(handoverSchema, rota.handover),
      members: rota.members.map(({ name, channelIds }) => ({
        name: text(name),
        channels: references(channelIds),
      })),
      ...(rota.overrides.length > 0
        ? { overrides: rota.overrides.map((one) => ({ ...one, member: text(one.member) })) }
        : {}),
    })),
    incidentPolicy: incidentPolicyOf(remote, { placeholders, references }),
    statusPages: [...remote.statusPages]
      .sort((a, b) => (a.slug < b.slug ? -1 : 1))
      .map((page) => statusPageOf(page, remote.checks, placeholders)),
    maintenanceWindows: sortedByName(remote.windows).map((window) =>
      windowOf(window, remote.checks, placeholders),
    ),
  };
}

function incidentPolicyOf(
  { incidentPolicy, rotas }: DescribedRecords,
  {
    placeholders: { text },
    references,
  }: { placeholders: Placeholders; references(ids: readonly string[]): string[] },
): Fields {
  if (!incidentPolicy?.steps.length) return {};
  return {
    steps: incidentPolicy.steps.map(({ afterMinutes, channelIds, rotaId }) => ({
      afterMinutes,
      ...(channelIds.length > 0 ? { channels: references(channelIds) } : {}),
      ...(rotaId === undefined ? {} : { rota: text(rotas.find(({ id }) => id === rotaId)?.name ?? rotaId) }),
    })),
  };
}

function channelOf(
  { name, config, incidentTemplate, incidentSubscribed }: Channel,
  placeholders: Placeholders,
): Fields {
  const { type, ...rest } = withoutDefaults(channelConfigSchema, config);
  const traits: Pick<ChannelDefinition, "secretFields" | "urlFields"> | undefined = channelTypes.find(
    String(type),
  );
  const marks: Record<string, unknown> = traits?.secretFields ?? {};
  const urlFields: readonly string[] = traits?.urlFields ?? [];
  return {
    type,
    ...mapText(rest, (field, value) => {
      if (marks[field]) return secretsIn(value, [name, field], placeholders);
      if (urlFields.includes(field)) return placeholders.url(String(value), name, field);
      return deepText(value, placeholders);
    }),
    ...(incidentSubscribed === false ? { incidentSubscribed } : {}),
    ...(incidentTemplate ? { incidentTemplate: deepText(incidentTemplate, placeholders) } : {}),
  };
}

function monitorOf(
  check: Check,
  {
    defaults,
    placeholders,
    labels,
    alerts,
    dependsOn,
  }: {
    defaults: Fields;
    placeholders: Placeholders;
    labels: readonly string[];
    alerts: readonly Fields[];
    /** Names of monitors of the config, and ids of checks beyond it. */
    dependsOn: readonly string[];
  },
): PulledMonitor {
  const { name, type, enabled, frequencySeconds, locations, retry, configJson } = check;
  const { configSchema, monitorConstants = {}, scriptField } = checkTypes.get(type);
  const written = withoutDefaults(configSchema, configJson);
  const script = scriptField === undefined ? undefined : written[scriptField];
  const config = Object.entries(written).filter(
    ([field]) => field !== scriptField && !(field in monitorConstants),
  );
  const frequency = durationText(frequencySeconds);
  const probing = {
    ...(frequency === defaults.frequency ? {} : { frequency }),
    ...(isSame(locations, defaults.locations) ? {} : { locations }),
  };
  const common = {
    name: placeholders.text(name),
    type,
    ...(pushedTraitsOf(type) ? {} : probing),
    ...(enabled ? {} : { enabled }),
    ...(labels.length > 0 ? { labels: [...labels].sort() } : {}),
  };
  const own = Object.fromEntries(
    config.map(
      ([field, value]) =>
        durationField(type, field, value) ?? [
          field,
          configField(field, value, { type, monitor: name, placeholders }),
        ],
    ),
  );
  return {
    name,
    fields: {
      ...common,
      ...own,
      ...(retry === null ? {} : { retry }),
      ...(dependsOn.length > 0 ? { dependsOn: dependsOn.map((one) => placeholders.text(one)) } : {}),
      ...(alerts.length > 0 ? { alerts } : {}),
    },
    script:
      scriptField !== undefined && typeof script === "string"
        ? { field: scriptField, text: placeholders.text(unixLines(script), "script") }
        : undefined,
  };
}

/** Returns the field of a monitor that holds a number of seconds as a duration; undefined for any other field. */
function durationField(type: CheckType, field: string, value: unknown): [string, string] | undefined {
  const [name] = Object.entries(monitorDurationsOf(type)).find(([, seconds]) => seconds === field) ?? [];
  return name === undefined ? undefined : [name, durationText(Number(value))];
}

/** Rewrites a field of a check's configuration. Its type says which part of it is secret. */
function configField(
  field: string,
  value: unknown,
  { type, monitor: about, placeholders }: { type: CheckType; monitor: string; placeholders: Placeholders },
): unknown {
  switch (secretMarksOf(type)[field]) {
    case "url":
      return placeholders.url(String(value), about, field);
    case "credential":
      return secretsIn(value, [about, field], placeholders);
    case "named":
      return namedSecretsIn(value, about, placeholders);
    case "headers":
      return placeholders.headers(value as Record<string, string>, about);
    case "auth":
      return placeholders.auth(value as Record<string, string>, about);
    case "requests":
      return (value as Fields[]).map((request) =>
        requestOf(request, [about, String(request.name)], placeholders),
      );
    default:
      return openField(field, value, placeholders);
  }
}

/** Rewrites a request in a list. References to values of the run are no secrets and stay. */
function requestOf(request: Fields, about: readonly string[], placeholders: Placeholders): Fields {
  return mapText(request, (field, value) => {
    switch (REQUEST_MARKS[field]) {
      case "url":
        return placeholders.url(String(value), ...about);
      case "headers":
        return placeholders.headers(value as Record<string, string>, ...about);
      case "auth":
        return placeholders.auth(value as Record<string, string>, ...about);
      default:
        return openField(field, value, placeholders);
    }
  });
}

/** Rewrites a field without credentials of its own, whose name says what it holds. */
function openField(field: string, value: unknown, placeholders: Placeholders): unknown {
  switch (field) {
    case "assertions":
      return assertionsOf(value, placeholders);
    case "steps":
      return (value as Fields[]).map((step) => ({
        ...(deepText(step, placeholders) as Fields),
        ...(step.assertions ? { assertions: assertionsOf(step.assertions, placeholders) } : {}),
      }));
    default:
      return deepText(value, placeholders);
  }
}

function assertionsOf(value: unknown, placeholders: Placeholders): unknown[] {
  return (value as Fields[]).map((one) =>
    mapText(withoutDefaults(assertionSchema, one), (field, item) =>
      field === "value" ? freeText(item, placeholders) : deepText(item, placeholders),
    ),
  );
}

function sloOf(
  slo: Slo,
  { checks, patterns }: DescribedRecords,
  {
    placeholders: { text },
    references,
  }: { placeholders: Placeholders; references(ids: readonly string[]): string[] },
): Fields {
  const channels = references(slo.channelIds);
  return {
    name: text(slo.name),
    ...(slo.patternId === null
      ? { monitor: text(checks.find(({ id }) => id === slo.checkId)?.name ?? "") }
      : { pattern: text(patterns.find(({ id }) => id === slo.patternId)?.name ?? "") }),
    target: `${slo.targetBasisPoints / 100}%`,
    window: `${slo.windowDays}d`,
    ...(slo.sliType === "availability" ? {} : { sliType: slo.sliType, perfThresholdMs: slo.perfThresholdMs }),
    ...(slo.burnRateAlertsEnabled ? {} : { burnRateAlerts: false }),
    ...(channels.length > 0 ? { channels } : {}),
    ...(slo.enabled ? {} : { enabled: false }),
  };
}

/** Returns the frequency and locations that most monitors have, to be written once as defaults. */
function commonest(all: readonly Check[]): Fields {
  const checks = all.filter(({ type }) => !pushedTraitsOf(type));
  if (checks.length === 0) return {};
  return {
    frequency: durationText(mostFrequent(checks.map(({ frequencySeconds }) => frequencySeconds))),
    locations: mostFrequent(checks.map(({ locations }) => locations)),
  };
}

function mostFrequent<T>(values: readonly T[]): T {
  const counts = new Map<string, { value: T; count: number }>();
  for (const value of values) {
    const entry = counts.get(JSON.stringify(value)) ?? { value, count: 0 };
    counts.set(JSON.stringify(value), { value, count: entry.count + 1 });
  }
  const [first] = [...counts.values()].sort((a, b) => b.count - a.count);
  return (first as { value: T }).value;
}

/** Sorts by name, so that another pull writes an equal text whatever order the service answers in. */
function sortedByName<T extends { name: string; id: string }>(list: readonly T[]): T[] {
  return [...list].sort((a, b) => compare(a.name, b.name) || compare(a.id, b.id));
}

function byAge(a: ListedAlertRule, b: ListedAlertRule): number {
  return compare(a.createdAt, b.createdAt) || compare(a.id, b.id);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
