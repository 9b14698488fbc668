/** Keeps the counts of teams' slots for a time: all who ask about a team's slots share them. */
import type { Overview, TeamCoverage, TeamId } from "@svc/contract";
import type { Knex } from "knex";
import type { Services } from "../platform/services.ts";
import { BriefCache } from "./brief-cache.ts";
import { keptForMs } from "./day-figures.ts";
import { readLocationsByKey } from "./figures-store.ts";
import { countTeamSlots, type TeamSlots } from "./team-slots.ts";

/** Code by which PostgreSQL says that a statement was cancelled because it took too long. */
const QUERY_CANCELED = "57014";

/** Counts of a team's slots with the instant of the count, Unix ms. */
export interface CountedSlots extends TeamSlots {
  asOfMs: number;
}

/** Counts the slots of teams, and keeps the counts for the next who ask. One for each process. */
export class SlotCounts {
  readonly #counts = new BriefCache<CountedSlots | null>(keptForMs(0));
  readonly #countsOfLarge = new BriefCache<CountedSlots | null>(keptForMs(Number.POSITIVE_INFINITY));

  /**
   * Returns the counts of a team; null when the database gave up counting them.
   * @param checkCount checks of the team: those of large teams are kept longer
   */
  read(services: Services, teamId: TeamId, checkCount: number): Promise<CountedSlots | null> {
    const counts = keptForMs(checkCount) > keptForMs(0) ? this.#countsOfLarge : this.#counts;
    return counts.get(teamId, services.clock.nowMs(), () => count(services, teamId));
  }
}

async function count(services: Services, teamId: TeamId): Promise<CountedSlots | null> {
  const asOfMs = services.clock.nowMs();
  try {
    return { asOfMs, ...(await countTeamSlots(services, teamId)) };
  } catch (error) {
    if ((error as { code?: string }).code !== QUERY_CANCELED) throw error;
    services.log.warn({ err: error, teamId }, "the slots of a team took too long to count");
    return null;
  }
}

const iso = (ms: number) => new Date(ms).toISOString();

/** Returns the counts as the overview shows them: summed over the locations, each reason with the location where it is most frequent. */
export async function slotsOfOverview(knex: Knex, counted: CountedSlots): Promise<Overview["slots"]> {
  const reasons = [...counted.missing].map(([reason, byLocation]) => {
    const most = [...byLocation].reduce((a, b) => (b[1] > a[1] ? b : a));
    return { reason, locationKey: most[0], count: sum([...byLocation.values()]) };
  });
  const locations = await readLocationsByKey(
    knex,
    reasons.map(({ locationKey }) => locationKey),
  );
  const due = [...counted.locations.values()];
  return {
    asOf: iso(counted.asOfMs),
    from: iso(counted.fromMs),
    to: iso(counted.toMs),
    expected: sum(due.map(({ expected }) => expected)),
    received: sum(due.map(({ received }) => received)),
    missing: reasons
      .sort((a, b) => b.count - a.count)
      .map(({ reason, count, locationKey }) => ({
        reason,
        count,
        location: locations.get(locationKey) ?? { id: "", name: "" },
      })),
  };
}

/** Returns the counts by location, those with the most missing slots first. */
export async function coverageOfTeam(knex: Knex, counted: CountedSlots): Promise<TeamCoverage> {
  const locations = await readLocationsByKey(knex, [...counted.locations.keys()]);
  const entries = [...counted.locations].flatMap(([key, { expected, received }]) => {
    const location = locations.get(key);
    if (!location || expected === 0) return [];
    const missing = [...counted.missing].flatMap(([reason, byLocation]) => {
      const count = byLocation.get(key) ?? 0;
      return count === 0 ? [] : [{ reason, count }];
    });
    return [
      {
        locationId: location.id,
        expected,
        received,
        missingCount: expected - received,
        missing: missing.sort((a, b) => b.count - a.count),
      },
    ];
  });
  return {
    asOf: iso(counted.asOfMs),
    from: iso(counted.fromMs),
    to: iso(counted.toMs),
    locations: entries.sort((a, b) => b.missingCount - a.missingCount),
  };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
