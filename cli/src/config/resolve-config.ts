/** Inheritance: monitor over group over defaults; then the API's own defaults. */
import {
  CHECK_TYPES,
  type ConfigAlert,
  type ConfigDefaults,
  type ConfigGroup,
  type ConfigMonitor,
  type ConfigSlo,
  describeIssue,
  durationSeconds,
  type SvcConfig,
  targetBasisPoints,
  windowDays,
} from "@svc/contract";
import type * as z from "zod";
import type { Desired, DesiredAlert, DesiredMonitor, DesiredSlo, DesiredWindow } from "./desired.ts";
import type { LoadedConfig } from "./load-config.ts";
import { type ConfigPath, type Problem, pathText, problemAt } from "./positions.ts";

const FREQUENCY_FALLBACK = "5m";
const LOCATIONS_FALLBACK = ["loc_us_east", "loc_eu_central"];

/** Fields of a monitor that are not of its type's configuration. */
const COMMON_FIELDS = new Set([
  "name",
  "type",
  "frequency",
  "locations",
  "alerts",
  "labels",
  "enabled",
  "retry",
  "renamedFrom",
]);

export function resolveConfig(
  loaded: LoadedConfig,
  root: Record<string, unknown>,
  config: SvcConfig,
  scripts: ReadonlyMap<string, string>,
): { desired: Desired; problems: Problem[] } {
  const problems: Problem[] = [];
  const { defaults = {} } = config;
  const resolve = (monitor: ConfigMonitor, path: ConfigPath, group?: ConfigGroup) => {
    const place = loaded.places.find(root, path);
    const resolved = resolveMonitor(monitor, group, defaults, scripts.get(pathText(path)));
    for (const issue of resolved.issues) {
      const where = [...path, ...(issue.path as ConfigPath)];
      problems.push(problemAt(loaded.places.find(root, where), where, issue.message));
    }
    return { ...resolved.monitor, place, path: pathText(path) };
  };
  const monitors: DesiredMonitor[] = (config.monitors ?? []).map((one, i) => resolve(one, ["monitors", i]));
  for (const [g, group] of (config.groups ?? []).entries())
    for (const [i, one] of group.monitors.entries())
      monitors.push(resolve(one, ["groups", g, "monitors", i], group));
  const desired: Desired = {
    project: config.project,
    format: loaded.format,
    folder: loaded.folder,
    monitors,
    channels: Object.entries(config.alertChannels ?? {}).map(([name, channel]) => ({
      name,
      config: channel,
    })),
    slos: (config.slos ?? []).map(resolveSlo),
    windows: loaded.format === "directory" ? undefined : (config.maintenanceWindows ?? []).map(resolveWindow),
  };
  return { desired, problems };
}

function resolveMonitor(
  monitor: ConfigMonitor,
  group: ConfigGroup | undefined,
  defaults: ConfigDefaults,
  script: string | undefined,
): { monitor: Omit<DesiredMonitor, "place" | "path">; issues: readonly z.core.$ZodIssue[] } {
  const own = Object.fromEntries(Object.entries(monitor).filter(([field]) => !COMMON_FIELDS.has(field)));
  const inherited = monitor.type === "mcp" ? {} : (defaults[monitor.type] ?? {});
  const ofType = monitor.type === "browser" ? { browserMode: "scripted", script } : {};
  const schema: z.ZodType = CHECK_TYPES[monitor.type].configSchema;
  const parsed = schema.safeParse({ ...inherited, ...own, ...ofType }, { error: describeIssue });
  const frequency = monitor.frequency ?? group?.frequency ?? defaults.frequency ?? FREQUENCY_FALLBACK;
  return {
    issues: parsed.success ? [] : parsed.error.issues,
    monitor: {
      name: monitor.name,
      type: monitor.type,
      enabled: monitor.enabled ?? true,
      frequencySeconds: durationSeconds(frequency) ?? 0,
      locations: monitor.locations ?? group?.locations ?? defaults.locations ?? LOCATIONS_FALLBACK,
      retry: monitor.retry ?? null,
      // As JSON, which is how the service keeps it: undefined fields are none.
      config: JSON.parse(JSON.stringify(parsed.success ? parsed.data : {})),
      labels: monitor.labels === undefined ? undefined : [...monitor.labels].sort(),
      alerts: (monitor.alerts ?? group?.alerts ?? defaults.alerts ?? []).map(resolveAlert),
      renamedFrom: monitor.renamedFrom,
    },
  };
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
    monitor: slo.monitor,
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

function withoutAt(reference: string): string {
  return reference.slice(1);
}
