/** Resolves inheritance: monitor over group over defaults, then the API's own defaults. */

import {
  type CheckType,
  type ConfigAlert,
  type ConfigDefaults,
  type ConfigGroup,
  type ConfigIncidentPolicy,
  type ConfigMonitor,
  type ConfigRota,
  type ConfigSlo,
  checkTypes,
  describeIssue,
  durationSeconds,
  monitorDurationsOf,
  PUSH_LOCATION_ID,
  pushedFrequencySeconds,
  pushedTraitsOf,
  type Retry,
  refuseCondition,
  type SvcConfig,
  splitConfigChannel,
  targetBasisPoints,
  windowDays,
} from "@svc/contract";
import { certificateProblems } from "@svc/contract/certificates";
import { writtenProblems } from "@svc/contract/written-problems";
import type * as z from "zod";
import type { ConfigFormat } from "../layout.ts";
import type { ConfigTree } from "./config-tree.ts";
import type {
  Desired,
  DesiredAlert,
  DesiredIncidentPolicy,
  DesiredMonitor,
  DesiredRota,
  DesiredSlo,
  DesiredStatusPage,
  DesiredWindow,
} from "./desired.ts";
import type { ConfigPath } from "./positions.ts";
import { type Problem, pathText } from "./problem.ts";

const FREQUENCY_FALLBACK = "5m";
const LOCATIONS_FALLBACK = ["loc_us_east", "loc_eu_central"];

/** A valid config with its scripts, before inheritance. */
export interface ResolveInput {
  tree: ConfigTree;
  /** Texts of scripts by the path of their monitor. */
  scripts: ReadonlyMap<string, string>;
  format: ConfigFormat;
  folder: string;
}

/** Resolves a config that its schema accepts. Problems are those of monitors whose inherited fields don't fit together. */
export function resolveConfig(
  config: SvcConfig,
  input: ResolveInput,
): { desired: Desired; problems: Problem[] } {
  const { format, folder } = input;
  const resolved = monitorsWithGroups(config).map((one) => resolveGrouped(one, config.defaults ?? {}, input));
  const desired: Desired = {
    project: config.project,
    renamedFrom: config.renamedFrom,
    format,
    folder,
    monitors: resolved.map(({ monitor }) => monitor),
    channels: Object.entries(config.alertChannels ?? {}).map(([name, written]) => {
      const { channel, incident } = splitConfigChannel(written);
      return { name, config: channel, incident };
    }),
    patterns: config.thirdPartyPatterns ?? [],
    slos: (config.slos ?? []).map(resolveSlo),
    policies: (config.alertPolicies ?? []).map(({ name, labels, ...rule }) => ({
      ...resolveAlert(rule),
      name,
      labels: [...labels].sort(),
    })),
    rotas: (config.rotas ?? []).map(resolveRota),
    incidentPolicy: config.incidentPolicy && resolveIncidentPolicy(config.incidentPolicy),
    statusPages: (config.statusPages ?? []).map(resolveStatusPage),
    windows: format === "directory" ? undefined : (config.maintenanceWindows ?? []).map(resolveWindow),
    notes: resolved.flatMap(({ notes }) => notes),
  };
  return { desired, problems: resolved.flatMap(({ problems }) => problems) };
}

interface GroupedMonitor {
  monitor: ConfigMonitor;
  path: ConfigPath;
  group?: ConfigGroup;
}

function monitorsWithGroups({ monitors = [], groups = [] }: SvcConfig): GroupedMonitor[] {
  return [
    ...monitors.map((monitor, i) => ({ monitor, path: ["monitors", i] })),
    ...groups.flatMap((group, g) =>
      group.monitors.map((monitor, i) => ({ monitor, path: ["groups", g, "monitors", i], group })),
    ),
  ];
}

function resolveGrouped(
  { monitor, path, group }: GroupedMonitor,
  defaults: ConfigDefaults,
  { tree, scripts }: ResolveInput,
): { monitor: DesiredMonitor; problems: Problem[]; notes: Problem[] } {
  const shownPath = pathText(path);
  const resolved = resolveMonitor(monitor, { group, defaults, script: scripts.get(shownPath) });
  const holder = alertsHolder(path, { monitor, group });
  return {
    monitor: { ...resolved.monitor, position: tree.positionOf(path), path: shownPath },
    problems: [
      ...resolved.issues.map((issue) =>
        tree.problem([...path, ...(issue.path as ConfigPath)], issue.message),
      ),
      ...(resolved.issues.length > 0 ? [] : conditionProblems(resolved.monitor, holder, tree)),
      ...locationProblems(
        resolved.monitor,
        [...locationsHolder(path, { monitor, group }), "locations"],
        tree,
      ),
    ],
    notes: resolved.issues.length > 0 ? [] : notesOn(resolved.monitor, path, tree),
  };
}

function notesOn(
  { type, config }: Pick<DesiredMonitor, "type" | "config">,
  path: ConfigPath,
  tree: ConfigTree,
): Problem[] {
  const { monitorNotes }: { monitorNotes?(config: never): { field: string; note: string }[] } =
    checkTypes.get(type);
  return (monitorNotes?.(config as never) ?? []).map(({ field, note }) =>
    tree.problem([...path, field], note),
  );
}

/** Returns the path of what the monitor's alert rules are written in: itself, its group or `defaults`. */
function alertsHolder(
  path: ConfigPath,
  { monitor, group }: Pick<GroupedMonitor, "monitor" | "group">,
): ConfigPath {
  if (monitor.alerts) return path;
  return group?.alerts ? path.slice(0, 2) : ["defaults"];
}

/** Returns the path of what the monitor's locations are written in: itself, its group or `defaults`. */
function locationsHolder(
  path: ConfigPath,
  { monitor, group }: Pick<GroupedMonitor, "monitor" | "group">,
): ConfigPath {
  if ("locations" in monitor && monitor.locations) return path;
  return group?.locations ? path.slice(0, 2) : ["defaults"];
}

/** Refuses the location of reports for a monitor that is probed: no runner serves it. */
function locationProblems(
  { name, type, locations }: Pick<DesiredMonitor, "name" | "type" | "locations">,
  path: ConfigPath,
  tree: ConfigTree,
): Problem[] {
  if (pushedTraitsOf(type)) return [];
  return locations.flatMap((id, i) =>
    id === PUSH_LOCATION_ID
      ? [tree.problem([...path, i], `${id} is for monitors that report by themselves; "${name}" is probed`)]
      : [],
  );
}

/** Lists the conditions that can never hold for their monitor. */
function conditionProblems(
  { name, type, config, alerts }: Pick<DesiredMonitor, "name" | "type" | "config" | "alerts">,
  holder: ConfigPath,
  tree: ConfigTree,
): Problem[] {
  return alerts.flatMap((alert, a) =>
    alert.conditions.flatMap((condition, c) => {
      const reason = refuseCondition(condition, { type, config });
      const of = holder.includes("monitors") ? "" : ` (monitor "${name}" inherits it)`;
      return reason === undefined
        ? []
        : [tree.problem([...holder, "alerts", a, "conditions", c], `${reason}${of}`)];
    }),
  );
}

function resolveMonitor(
  monitor: ConfigMonitor,
  {
    group,
    defaults,
    script,
  }: { group: ConfigGroup | undefined; defaults: ConfigDefaults; script: string | undefined },
): { monitor: Omit<DesiredMonitor, "position" | "path">; issues: readonly z.core.$ZodIssue[] } {
  const { monitorFields, monitorConstants, scriptField, configSchema } = checkTypes.get(monitor.type);
  const inherited = (defaults as Partial<Record<string, object>>)[monitor.type];
  const own = Object.fromEntries(Object.entries(monitor).filter(([field]) => field in monitorFields));
  const withScript = scriptField === undefined ? {} : { [scriptField]: script };
  const config = withSeconds(monitor.type, { ...inherited, ...own, ...monitorConstants, ...withScript });
  const schema: z.ZodType = configSchema;
  const parsed = schema.safeParse(config, { error: describeIssue });
  const cascaded = cascadedFields(monitor, { group, defaults });
  return {
    issues: withWrittenIssues(parsed.error?.issues ?? [], {
      type: monitor.type,
      config,
      parsed: parsed.data,
    }),
    monitor: {
      name: monitor.name,
      type: monitor.type,
      enabled: monitor.enabled ?? true,
      ...(parsed.success
        ? (pushedFields(monitor.type, parsed.data as Record<string, unknown>) ?? cascaded)
        : cascaded),
      // By way of JSON, as the service keeps it: undefined fields are left out.
      config: JSON.parse(JSON.stringify(parsed.success ? parsed.data : {})),
      dependsOn: [...(monitor.dependsOn ?? [])].sort(),
      labels: monitor.labels === undefined ? undefined : [...monitor.labels].sort(),
      alerts: (monitor.alerts ?? group?.alerts ?? defaults.alerts ?? []).map(resolveAlert),
      renamedFrom: monitor.renamedFrom,
    },
  };
}

/** Returns the issues with those of what is written beyond the schema, where none is known of a field yet. */
function withWrittenIssues(
  issues: readonly z.core.$ZodIssue[],
  { type, config, parsed }: { type: string; config: Readonly<Record<string, unknown>>; parsed: unknown },
): readonly z.core.$ZodIssue[] {
  const more =
    parsed === undefined
      ? certificateProblems(config).map(({ field, message }) => ({ path: [field], message }))
      : writtenProblems(type, parsed as Record<string, unknown>);
  return [
    ...issues,
    ...more
      .filter(({ path }) => !issues.some((issue) => issue.path[0] === path[0]))
      .map(({ path, message }) => ({ code: "custom" as const, path: [...path], message, input: undefined })),
  ];
}

/** The fields that say how a monitor is probed. */
type ProbingFields = Pick<DesiredMonitor, "frequencySeconds" | "locations" | "retry">;

function cascadedFields(
  monitor: ConfigMonitor,
  { group, defaults }: { group: ConfigGroup | undefined; defaults: ConfigDefaults },
): ProbingFields {
  const own = monitor as Pick<ConfigGroup, "frequency" | "locations"> & { retry?: Retry | null | undefined };
  const frequency = own.frequency ?? group?.frequency ?? defaults.frequency ?? FREQUENCY_FALLBACK;
  return {
    frequencySeconds: durationSeconds(frequency) ?? 0,
    locations: own.locations ?? group?.locations ?? defaults.locations ?? LOCATIONS_FALLBACK,
    retry: own.retry ?? null,
  };
}

/** Returns the fields of a monitor that reports by itself, which inherits none of them; undefined when it is probed. */
function pushedFields(type: string, config: Readonly<Record<string, unknown>>): ProbingFields | undefined {
  const frequencySeconds = pushedFrequencySeconds(type, config);
  return frequencySeconds === undefined
    ? undefined
    : { frequencySeconds, locations: [PUSH_LOCATION_ID], retry: null };
}

/** Replaces the durations of a monitor by the fields with seconds that hold them in the configuration. */
function withSeconds(type: CheckType, fields: Record<string, unknown>): Record<string, unknown> {
  const names = monitorDurationsOf(type);
  return Object.fromEntries(
    Object.entries(fields).map(([field, value]) =>
      names[field] === undefined ? [field, value] : [names[field], durationSeconds(String(value), "smhd")],
    ),
  );
}

function resolveAlert(alert: ConfigAlert): DesiredAlert {
  return {
    name: alert.name ?? null,
    enabled: alert.enabled ?? true,
    conditions: alert.conditions,
    channels: alert.channels.map(withoutAt),
    confirm: alert.confirm ?? false,
    recovery: alert.recovery ?? { consecutiveSuccesses: 1 },
  };
}

function resolveSlo(slo: ConfigSlo): DesiredSlo {
  return {
    name: slo.name,
    ...(slo.pattern === undefined ? { monitor: slo.monitor ?? "" } : { pattern: slo.pattern }),
    targetBasisPoints: targetBasisPoints(slo.target) ?? 0,
    windowDays: windowDays(slo.window),
    burnRateAlertsEnabled: slo.burnRateAlerts ?? true,
    channels: (slo.channels ?? []).map(withoutAt),
    enabled: slo.enabled ?? true,
    sliType: slo.sliType ?? "availability",
    perfThresholdMs: slo.perfThresholdMs ?? null,
  };
}

function resolveWindow({
  checks,
  ...window
}: NonNullable<SvcConfig["maintenanceWindows"]>[number]): DesiredWindow {
  return {
    name: window.name,
    mode: window.mode ?? "pause",
    startsAt: window.startsAt,
    endsAt: window.endsAt,
    recurring: window.recurring ?? false,
    recurrenceRule: window.recurrenceRule ?? null,
    timezone: window.timezone ?? "UTC",
    monitors: checks,
  };
}

function resolveRota(rota: ConfigRota): DesiredRota {
  const { name, timezone = "UTC", startsAt, handover, members, overrides = [] } = rota;
  return {
    name,
    timezone,
    startsAt,
    handover,
    members: members.map((member) => ({ name: member.name, channels: member.channels.map(withoutAt) })),
    overrides,
  };
}

function resolveIncidentPolicy({ steps }: ConfigIncidentPolicy): DesiredIncidentPolicy {
  return {
    steps: steps.map(({ afterMinutes, channels = [], rota }) => ({
      afterMinutes,
      channels: channels.map(withoutAt),
      ...(rota !== undefined && { rota }),
    })),
  };
}

function resolveStatusPage(page: NonNullable<SvcConfig["statusPages"]>[number]): DesiredStatusPage {
  return {
    slug: page.slug,
    title: page.title,
    description: page.description ?? "",
    isPublished: page.isPublished ?? page.published ?? false,
    subscriptions: page.subscriptions ?? { email: false },
    components: (page.components ?? []).map(({ name, monitor, labels }) => ({
      name,
      ...(monitor === undefined ? {} : { monitor }),
      ...(labels === undefined ? {} : { labels: [...labels].sort() }),
    })),
  };
}

function withoutAt(reference: string): string {
  return reference.slice(1);
}
