/**
 * Checks what the schema can't see: unique names, references to monitors, third-party patterns and channels, windows that end after they
 * start. Looks at whatever has the right shape, so that these problems are listed together with those of the schema.
 */
import { isId, isObject, nearestName } from "@svc/contract";
import { circlesAmong } from "./circles.ts";
import type { ConfigTree } from "./config-tree.ts";
import type { ConfigPath } from "./positions.ts";
import type { Problem } from "./problem.ts";

type Fields = Record<string, unknown>;

interface Found {
  value: Fields;
  path: ConfigPath;
}

type CreateProblem = (path: ConfigPath, message: string) => Problem;

/** Returns every problem of names and references. */
export function checkReferences(tree: ConfigTree): Problem[] {
  const { root } = tree;
  const problem: CreateProblem = (path, message) => tree.problem(path, message);
  const monitors = monitorsOf(root);
  const patterns = mapsIn(root.thirdPartyPatterns, ["thirdPartyPatterns"]);
  const slos = mapsIn(root.slos, ["slos"]);
  const policies = mapsIn(root.alertPolicies, ["alertPolicies"]);
  const rotas = mapsIn(root.rotas, ["rotas"]);
  const steps = isObject(root.incidentPolicy)
    ? mapsIn(root.incidentPolicy.steps, ["incidentPolicy", "steps"])
    : [];
  const pages = mapsIn(root.statusPages, ["statusPages"]);
  const windows = mapsIn(root.maintenanceWindows, ["maintenanceWindows"]);
  const known: Known = {
    monitors: namesOf(monitors),
    patterns: namesOf(patterns),
    rotas: namesOf(rotas),
    ...channelsOf(root.alertChannels),
  };
  return [
    ...duplicates({ found: monitors, kind: "monitor" }, problem),
    ...duplicates({ found: patterns, kind: "third-party pattern" }, problem),
    ...duplicates({ found: slos, kind: "SLO" }, problem),
    ...duplicates({ found: policies, kind: "alert policy" }, problem),
    ...duplicates({ found: rotas, kind: "rota" }, problem),
    ...duplicates({ found: pages, kind: "status page", key: "slug" }, problem),
    ...duplicates({ found: windows, kind: "maintenance window" }, problem),
    ...monitors.flatMap((monitor) => wrongFormerName(monitor, known, problem)),
    ...monitors.flatMap((monitor) => unknownDependencies(monitor, known, problem)),
    ...circlesAmong(monitors, problem),
    ...alertHolders(root, monitors).flatMap((holder) => unknownChannelsOfAlerts(holder, known, problem)),
    ...slos.flatMap((slo) => unknownNamesOfSlo(slo, known, problem)),
    ...policies.flatMap((policy) => unknownChannels(policy, known, problem)),
    ...rotas.flatMap(({ value, path }) =>
      mapsIn(value.members, [...path, "members"]).flatMap((member) =>
        channelsOfIncidents(member, known, problem),
      ),
    ),
    ...steps.flatMap((step) => [
      ...channelsOfIncidents(step, known, problem),
      ...unknownRota({ name: step.value.rota, path: [...step.path, "rota"] }, known, problem),
    ]),
    ...windows.flatMap((window) => problemsOfWindow(window, known, problem)),
    ...pages.flatMap(({ value, path }) =>
      mapsIn(value.components, [...path, "components"]).flatMap((component) =>
        unknownMonitor(
          { name: component.value.monitor, path: [...component.path, "monitor"] },
          known,
          problem,
        ),
      ),
    ),
  ];
}

interface Known {
  monitors: readonly string[];
  patterns: readonly string[];
  rotas: readonly string[];
  channels: readonly string[];
  /** Those of the channels that no incident event is sent to. */
  alertsOnly: readonly string[];
}

function channelsOf(alertChannels: unknown): Pick<Known, "channels" | "alertsOnly"> {
  const entries = isObject(alertChannels) ? Object.entries(alertChannels) : [];
  return {
    channels: entries.map(([name]) => name),
    alertsOnly: entries.flatMap(([name, channel]) =>
      isObject(channel) && channel.incidentSubscribed === false ? [name] : [],
    ),
  };
}

/** @param key field by which the resources are distinguished */
function duplicates(
  { found, kind, key = "name" }: { found: readonly Found[]; kind: string; key?: "name" | "slug" },
  problem: CreateProblem,
): Problem[] {
  const seen = new Set<unknown>();
  return found.flatMap(({ value, path }) => {
    const name = value[key];
    if (typeof name !== "string") return [];
    const isDuplicate = seen.has(name);
    seen.add(name);
    return isDuplicate ? [problem([...path, key], `there is another ${kind} "${name}"`)] : [];
  });
}

function wrongFormerName({ value, path }: Found, { monitors }: Known, problem: CreateProblem): Problem[] {
  const { renamedFrom } = value;
  if (typeof renamedFrom !== "string" || !monitors.includes(renamedFrom)) return [];
  return [problem([...path, "renamedFrom"], `"${renamedFrom}" is the name of another monitor here`)];
}

function unknownChannelsOfAlerts({ value, path }: Found, known: Known, problem: CreateProblem): Problem[] {
  return mapsIn(value.alerts, [...path, "alerts"]).flatMap((alert) => unknownChannels(alert, known, problem));
}

function unknownNamesOfSlo(slo: Found, known: Known, problem: CreateProblem): Problem[] {
  return [
    ...unknownMonitor({ name: slo.value.monitor, path: [...slo.path, "monitor"] }, known, problem),
    ...unknownPattern({ name: slo.value.pattern, path: [...slo.path, "pattern"] }, known, problem),
    ...unknownChannels(slo, known, problem),
  ];
}

function problemsOfWindow({ value, path }: Found, known: Known, problem: CreateProblem): Problem[] {
  const unknown = listOf(value.checks).flatMap((name, i) =>
    unknownMonitor({ name, path: [...path, "checks", i] }, known, problem),
  );
  const endsInTime = !(Date.parse(String(value.endsAt)) <= Date.parse(String(value.startsAt)));
  return endsInTime ? unknown : [...unknown, problem([...path, "endsAt"], "has to be after startsAt")];
}

/** Ids of checks beyond the config are looked up when it is deployed. */
function unknownDependencies({ value, path }: Found, known: Known, problem: CreateProblem): Problem[] {
  return listOf(value.dependsOn).flatMap((name, i) =>
    typeof name === "string" && isId("check", name)
      ? []
      : unknownMonitor({ name, path: [...path, "dependsOn", i] }, known, problem),
  );
}

interface Reference {
  name: unknown;
  path: ConfigPath;
}

function unknownMonitor({ name, path }: Reference, { monitors }: Known, problem: CreateProblem): Problem[] {
  if (typeof name !== "string" || monitors.includes(name)) return [];
  return [problem(path, unknownText("monitor", name, monitors))];
}

function unknownPattern({ name, path }: Reference, { patterns }: Known, problem: CreateProblem): Problem[] {
  if (typeof name !== "string" || patterns.includes(name)) return [];
  return [problem(path, unknownText("third-party pattern", name, patterns))];
}

function unknownRota({ name, path }: Reference, { rotas }: Known, problem: CreateProblem): Problem[] {
  if (typeof name !== "string" || rotas.includes(name)) return [];
  return [problem(path, unknownText("rota", name, rotas))];
}

function unknownChannels({ value, path }: Found, { channels }: Known, problem: CreateProblem): Problem[] {
  return listOf(value.channels).flatMap((reference, i) => {
    if (typeof reference !== "string" || !reference.startsWith("@")) return [];
    const name = reference.slice(1);
    if (channels.includes(name)) return [];
    return [problem([...path, "channels", i], unknownText("channel", name, channels))];
  });
}

/** Lists the channels that are unknown, and those that no incident event is sent to, which the service would refuse. */
function channelsOfIncidents(found: Found, known: Known, problem: CreateProblem): Problem[] {
  const alertsOnly = listOf(found.value.channels).flatMap((reference, i) =>
    known.alertsOnly.some((name) => reference === `@${name}`)
      ? [
          problem(
            [...found.path, "channels", i],
            `with incidentSubscribed: false no incident event is sent: ${reference}`,
          ),
        ]
      : [],
  );
  return [...unknownChannels(found, known, problem), ...alertsOnly];
}

function unknownText(kind: string, name: string, known: readonly string[]): string {
  const nearest = nearestName(name, known);
  return `there is no ${kind} "${name}"${nearest ? `; did you mean "${nearest}"?` : ""}`;
}

/** Lists the monitors of the top level and of all groups, with their paths. */
export function monitorsOf(root: Record<string, unknown>): Found[] {
  const grouped = mapsIn(root.groups, ["groups"]).flatMap(({ value, path }) =>
    mapsIn(value.monitors, [...path, "monitors"]),
  );
  return [...mapsIn(root.monitors, ["monitors"]), ...grouped];
}

function alertHolders(root: Record<string, unknown>, monitors: readonly Found[]): Found[] {
  const defaults = isObject(root.defaults) ? [{ value: root.defaults, path: ["defaults"] }] : [];
  return [...defaults, ...mapsIn(root.groups, ["groups"]), ...monitors];
}

function mapsIn(list: unknown, path: ConfigPath): Found[] {
  return listOf(list).flatMap((value, i) => (isObject(value) ? [{ value, path: [...path, i] }] : []));
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

function namesOf(found: readonly Found[]): string[] {
  return found.map(({ value }) => value.name).filter((name) => typeof name === "string");
}
