/** Holds the locations of monitors against those of the service. */
import { type Check, type Location, pushedTraitsOf } from "@svc/contract";
import { problemAt, problemLine } from "../config/problem.ts";
import { PlanError } from "./plan-error.ts";
import type { LocationNotice, PlanInput } from "./planned-change.ts";

/**
 * Makes sure that the service will take the monitors' locations: each exists, and is in service unless the monitor's check runs there
 * already.
 * @returns the deprecated and retired locations of monitors that have them already
 * @throws PlanError naming every location that can't be used, with its successor
 */
export function planLocations(
  { desired, remote }: PlanInput,
  checkByMonitor: ReadonlyMap<string, Check>,
): LocationNotice[] {
  const byId = new Map<string, Location>(remote.locations.map((location) => [location.id, location]));
  const notices: LocationNotice[] = [];
  const problems = desired.monitors.flatMap(({ locations, position, path, name, type }) => {
    // Its location is the service itself, which no list of locations has.
    if (pushedTraitsOf(type)) return [];
    const check = checkByMonitor.get(name);
    const isKept = (id: string) => check?.type === type && check.locations.includes(id);
    return locations.flatMap((id) => {
      const location = byId.get(id);
      const words = location ? wordsOf(location) : `there is no location ${id}`;
      if (words === undefined) return [];
      if (location === undefined || !isKept(id))
        return [{ ...problemAt(position, [], `monitor "${name}": ${words}`), path }];
      notices.push({ monitor: name, locationId: id, message: words });
      return [];
    });
  });
  if (problems.length > 0)
    throw new PlanError(
      "the config names locations that can't be used",
      `${problems.map((problem) => `  ${problemLine(problem)}`).join("\n")}\nRun: svc locations list`,
      { problems },
    );
  return notices;
}

/** Returns what is to be known of a location that is not in service; undefined for one that is. */
function wordsOf({ id, status, replacedBy }: Location): string | undefined {
  if (status !== "deprecated" && status !== "retired") return undefined;
  return `location ${id} is ${status}${replacedBy === undefined ? "" : `; use ${replacedBy}`}`;
}
