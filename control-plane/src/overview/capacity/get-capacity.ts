import { CAPACITY_WARNING_BASIS_POINTS, capacityWarning, type LocationCapacity } from "@svc/contract";
import type { TeamContext } from "../../platform/team-context.ts";
import type { Capacities } from "./capacities.ts";
import type { CapacityLocationRow } from "./store.ts";
import type { TeamCapacity } from "./team-capacity.ts";

/** Returns how each location stands that the team can see; retired ones, which run nothing, are left out. */
export async function getCapacity(
  context: TeamContext,
  { capacities }: { capacities: Capacities },
): Promise<{ asOf: string; locations: LocationCapacity[] }> {
  const capacity = await capacities.read(context);
  return {
    asOf: new Date(context.services.clock.nowMs()).toISOString(),
    locations: capacity.locations
      .filter(({ isRetired }) => !isRetired)
      .map((location) => describeCapacity(capacity, location)),
  };
}

/** Returns how one location stands. */
export function describeCapacity(capacity: TeamCapacity, location: CapacityLocationRow): LocationCapacity {
  const figures = capacity.figuresAt(location);
  const { id: locationId, name } = location;
  return { locationId, name, ...figures, warning: capacityWarning(name, figures) ?? null };
}

/** Returns the locations that the team's checks run at and of which more than 80 % is taken. */
export function locationsNearCapacity(capacity: TeamCapacity): { id: string; name: string }[] {
  return capacity.locations.filter((location) => {
    if (!capacity.demands.has(location.key)) return false;
    const { shareBasisPoints } = capacity.figuresAt(location);
    return shareBasisPoints !== null && shareBasisPoints > CAPACITY_WARNING_BASIS_POINTS;
  });
}
