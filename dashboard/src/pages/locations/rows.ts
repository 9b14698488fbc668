/** Joins what is known of each location to a row of the list. Pure. */
import type { LocationCapacity } from "../../api/queries/capacity.ts";
import type { Location, Runner, TeamCoverage } from "../../api/queries/locations.ts";

/** A location with what runs there. */
export interface LocationRow {
  location: Location;
  /** Undefined: the runners are the service's own, or not known yet. */
  runners: { online: number; all: number; latenessP99Ms: number } | undefined;
  /** Undefined: not known yet. */
  checkCount: number | undefined;
  /** Slots of the last day; undefined: not known yet. */
  slots: { expected: number; missing: number } | undefined;
  /** Undefined: not known yet, or a location that runs nothing. */
  capacity: LocationCapacity | undefined;
}

/** What is known beside the locations; undefined parts are still being read. */
export interface Surroundings {
  runners: readonly Runner[] | undefined;
  checks:
    | readonly { locations: readonly string[]; locationsOf: readonly (readonly number[])[] }[]
    | undefined;
  coverage: Pick<TeamCoverage, "locations"> | undefined;
  capacity?: readonly LocationCapacity[] | undefined;
}

/** Returns the rows: private locations first, then hosted ones, those that checks run from before the others. */
export function rowsOf(
  locations: readonly Location[],
  { runners, checks, coverage, capacity }: Surroundings,
): LocationRow[] {
  const counts = checks && countChecks(checks);
  const rows = locations.map((location): LocationRow => {
    const due = coverage?.locations.find(({ locationId }) => locationId === location.id);
    return {
      location,
      runners: location.type === "private" && runners ? standingOf(location.id, runners) : undefined,
      checkCount: counts && (counts.get(location.id) ?? 0),
      slots: coverage && { expected: due?.expected ?? 0, missing: due?.missingCount ?? 0 },
      capacity: capacity?.find(({ locationId }) => locationId === location.id),
    };
  });
  return rows.sort((a, b) => rankOf(a) - rankOf(b));
}

function rankOf({ location, checkCount }: LocationRow): number {
  if (location.type === "private") return 0;
  return checkCount === undefined || checkCount > 0 ? 1 : 2;
}

function standingOf(id: string, runners: readonly Runner[]): LocationRow["runners"] {
  const here = runners.filter(({ locationId }) => locationId === id);
  const online = here.filter(({ status }) => status !== "offline");
  return {
    online: online.length,
    all: here.length,
    latenessP99Ms: online.reduce((most, { latenessP99Ms }) => Math.max(most, latenessP99Ms), 0),
  };
}

/** Counts the checks of each location. */
function countChecks(parts: NonNullable<Surroundings["checks"]>): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { locations, locationsOf } of parts)
    for (const positions of locationsOf)
      for (const position of positions) {
        const id = locations[position] as string;
        counts.set(id, (counts.get(id) ?? 0) + 1);
      }
  return counts;
}
