import {
  type CapacityOfLocation,
  type CheckType,
  demandOf,
  figuresOf,
  LARGEST_CHECKS_MAX,
  type LocationId,
  notFound,
  shareOf,
} from "@svc/contract";
import type { TeamContext } from "../../platform/team-context.ts";
import type { Capacities } from "./capacities.ts";
import { describeCapacity } from "./get-capacity.ts";
import { readCheckNames, readLoad } from "./store.ts";

/**
 * Returns how a location stands, and which checks of the team take most of it.
 * @throws DomainError `not_found`
 */
export async function getLocationCapacity(
  context: TeamContext,
  { id, capacities }: { id: LocationId; capacities: Capacities },
): Promise<CapacityOfLocation> {
  const { services, teamId } = context;
  const capacity = await capacities.readKnowing(context, [id]);
  const location = capacity.locations.find((one) => one.id === id);
  if (!location) throw notFound("Location");
  const nowMs = services.clock.nowMs();
  const load = await readLoad(services.knex, teamId, { nowMs, locationKey: location.key });
  const pool = capacity.poolOf(location.key);
  const checks = load.flatMap((row) =>
    row.checkKeys.map((key, at) => {
      const { type, kind } = row;
      const meanUs = row.meanUs[at];
      const runSeconds = capacity.times.secondsAt(location.key, row, meanUs);
      const demand = demandOf([
        { type, kind, frequencySeconds: row.frequencySeconds[at] as number, runSeconds },
      ]);
      const figures = figuresOf(demand, shareOf(demand, pool.capacity), null);
      return { key, type, runSeconds, isMeasured: (meanUs ?? -1) >= 0, figures, freshUs: demand.freshUs };
    }),
  );
  const largest = checks
    .sort((a, b) => partOf(b) - partOf(a) || b.freshUs - a.freshUs || a.key - b.key)
    .slice(0, LARGEST_CHECKS_MAX);
  const names = await readCheckNames(
    services.knex,
    teamId,
    largest.map(({ key }) => key),
  );
  const named = new Map(names.map((row) => [row.key, row]));
  return {
    location: describeCapacity(capacity, location),
    largest: largest.flatMap(({ key, type, runSeconds, isMeasured, figures }) => {
      const row = named.get(key);
      if (!row) return [];
      const { runsPerHour, browserSecondsPerHour, shareBasisPoints } = figures;
      return [
        {
          checkId: row.id,
          name: row.name,
          type: type as CheckType,
          runsPerHour,
          browserSecondsPerHour,
          runSeconds: Math.round(runSeconds * 1_000) / 1_000,
          isMeasured,
          shareBasisPoints,
        },
      ];
    }),
  };
}

function partOf({ figures }: { figures: { shareBasisPoints: number | null } }): number {
  return figures.shareBasisPoints ?? 0;
}
