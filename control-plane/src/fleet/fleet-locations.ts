/** The locations in a replica's memory, and whose checks each of them runs. Pure memory. */
import { PUSH_LOCATION_ID, type TeamId } from "@svc/contract";
import type { LocationRow } from "./fleet-store.ts";

/** Locations by key and by id. */
export class FleetLocations {
  readonly #byKey = new Map<number, LocationRow>();
  readonly #keysById = new Map<string, number>();

  get(locationKey: number): LocationRow | undefined {
    return this.#byKey.get(locationKey);
  }

  /** @param id any text; one that is no location's id finds nothing */
  keyOf(id: string): number | undefined {
    return this.#keysById.get(id);
  }

  all(): Iterable<LocationRow> {
    return this.#byKey.values();
  }

  /** Replaces the locations. @returns the keys of those that were retired or put in service again */
  set(rows: readonly LocationRow[]): number[] {
    const turned = rows.filter((row) => {
      const before = this.#byKey.get(row.key);
      return before !== undefined && isRetired(before) !== isRetired(row);
    });
    this.#byKey.clear();
    this.#keysById.clear();
    for (const row of rows) {
      this.#byKey.set(row.key, row);
      this.#keysById.set(row.id, row.key);
    }
    return turned.map(({ key }) => key);
  }

  /** True when the location is in service, and hosted or the team's own. */
  isOpenTo(teamId: TeamId, locationKey: number): boolean {
    const location = this.#byKey.get(locationKey);
    if (location === undefined || isRetired(location)) return false;
    return location.teamId === null || location.teamId === teamId;
  }
}

/** True for a location that the operator's runners serve: not a team's own, and not that of pushed checks. */
export function isHosted({ id, teamId }: Pick<LocationRow, "id" | "teamId">): boolean {
  return teamId === null && id !== PUSH_LOCATION_ID;
}

function isRetired({ status }: LocationRow): boolean {
  return status === "retired";
}
