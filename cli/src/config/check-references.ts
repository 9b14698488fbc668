/** What refers to what: names that are unique, monitors and channels that exist, windows that end after they start. Looks at
 *  whatever has the right shape, so that these problems are told together with those of the schema. */
import { nearestName } from "@svc/contract";
import type { LoadedConfig } from "./load-config.ts";
import { isMap } from "./merge-parts.ts";
import { type ConfigPath, type Problem, problemAt } from "./positions.ts";

interface Found {
  value: Record<string, unknown>;
  path: ConfigPath;
}

export function checkReferences(
  { places }: Pick<LoadedConfig, "places">,
  root: Record<string, unknown>,
): Problem[] {
  const problems: Problem[] = [];
  const add = (path: ConfigPath, message: string) =>
    problems.push(problemAt(places.find(root, path), path, message));
  const monitors = monitorsOf(root);
  const slos = maps(root.slos, ["slos"]);
  const windows = maps(root.maintenanceWindows, ["maintenanceWindows"]);
  const channels = isMap(root.alertChannels) ? Object.keys(root.alertChannels) : [];
  const monitorNames = namesOf(monitors);

  refuseDuplicates(monitors, "monitor", add);
  refuseDuplicates(slos, "SLO", add);
  refuseDuplicates(windows, "maintenance window", add);
  refuseDuplicates(maps(root.groups, ["groups"]), "group", add);
  for (const { path, value } of monitors)
    if (typeof value.renamedFrom === "string" && monitorNames.includes(value.renamedFrom))
      add([...path, "renamedFrom"], `"${value.renamedFrom}" is the name of another monitor here`);

  const refer = (kind: string, known: readonly string[], name: unknown, path: ConfigPath) => {
    if (typeof name !== "string" || known.includes(name)) return;
    const nearest = nearestName(name, known);
    add(path, `there is no ${kind} "${name}"${nearest ? `; did you mean "${nearest}"?` : ""}`);
  };
  const referChannels = (list: unknown, path: ConfigPath) => {
    for (const [i, reference] of asList(list).entries())
      if (typeof reference === "string" && reference.startsWith("@"))
        refer("channel", channels, reference.slice(1), [...path, i]);
  };
  for (const { value, path } of alertHolders(root, monitors))
    for (const alert of maps(value.alerts, [...path, "alerts"]))
      referChannels(alert.value.channels, [...alert.path, "channels"]);
  for (const { value, path } of slos) {
    refer("monitor", monitorNames, value.monitor, [...path, "monitor"]);
    referChannels(value.channels, [...path, "channels"]);
  }
  for (const { value, path } of windows) {
    for (const [i, name] of asList(value.checks).entries())
      refer("monitor", monitorNames, name, [...path, "checks", i]);
    if (Date.parse(String(value.endsAt)) <= Date.parse(String(value.startsAt)))
      add([...path, "endsAt"], "has to be after startsAt");
  }
  return problems;
}

/** Monitors of all groups and of the top level, with their paths. */
export function monitorsOf(root: Record<string, unknown>): Found[] {
  const grouped = maps(root.groups, ["groups"]).flatMap(({ value, path }) =>
    maps(value.monitors, [...path, "monitors"]),
  );
  return [...maps(root.monitors, ["monitors"]), ...grouped];
}

function alertHolders(root: Record<string, unknown>, monitors: readonly Found[]): Found[] {
  const defaults = isMap(root.defaults) ? [{ value: root.defaults, path: ["defaults"] }] : [];
  return [...defaults, ...maps(root.groups, ["groups"]), ...monitors];
}

function refuseDuplicates(
  found: readonly Found[],
  kind: string,
  add: (path: ConfigPath, message: string) => void,
): void {
  const seen = new Set<unknown>();
  for (const { value, path } of found) {
    if (typeof value.name !== "string") continue;
    if (seen.has(value.name)) add([...path, "name"], `there is another ${kind} "${value.name}"`);
    seen.add(value.name);
  }
}

function maps(list: unknown, path: ConfigPath): Found[] {
  return asList(list).flatMap((value, i) => (isMap(value) ? [{ value, path: [...path, i] }] : []));
}

function asList(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

function namesOf(found: readonly Found[]): string[] {
  return found.map(({ value }) => value.name).filter((name) => typeof name === "string");
}
