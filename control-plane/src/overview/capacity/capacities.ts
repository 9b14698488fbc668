/** Counts the capacity of teams' locations, and keeps it for the next who ask. One for each process. */
import { MINUTE_MS, type TeamId } from "@svc/contract";
import type { Services } from "../../platform/services.ts";
import type { TeamContext } from "../../platform/team-context.ts";
import { BriefCache } from "../brief-cache.ts";
import { keptForMs } from "../day-figures.ts";
import { HostedLoad } from "./hosted-load.ts";
import {
  readCapacityLocations,
  readHostedLoad,
  readLoad,
  readRunnerGroups,
  readTypicalRuns,
} from "./store.ts";
import { TeamCapacity } from "./team-capacity.ts";

/** What all teams take together changes slowly, and is shown in tenths. */
const HOSTED_MS = 5 * MINUTE_MS;
const ALL = "all teams";

/** Makes teams' capacities. */
export class Capacities {
  readonly #small = new BriefCache<TeamCapacity>(keptForMs(0));
  readonly #large = new BriefCache<TeamCapacity>(keptForMs(Number.POSITIVE_INFINITY));
  readonly #hosted = new BriefCache<HostedLoad>(HOSTED_MS);
  /** Teams whose figures are kept longer, since they take longer to count. */
  readonly #largeTeams = new Set<TeamId>();

  /** Returns how the locations stand that the team can see. */
  async read({ services, teamId }: Pick<TeamContext, "services" | "teamId">): Promise<TeamCapacity> {
    const nowMs = services.clock.nowMs();
    if (this.#largeTeams.has(teamId))
      return this.#large.get(teamId, nowMs, () => this.#make(services, teamId));
    return this.#small.get(teamId, nowMs, async () => {
      const capacity = await this.#make(services, teamId);
      if (this.#largeTeams.has(teamId)) void this.#large.get(teamId, nowMs, async () => capacity);
      return capacity;
    });
  }

  /** Returns what {@link read} does, made anew when one of the locations was created since; others may be unknown. */
  async readKnowing(context: TeamContext, locationIds: readonly string[]): Promise<TeamCapacity> {
    const capacity = await this.read(context);
    const known = new Set<string>(capacity.locations.map(({ id }) => id));
    const unknown = new Set(locationIds.filter((id) => !known.has(id)));
    if (unknown.size === 0) return capacity;
    const { services, teamId } = context;
    const rows = await readCapacityLocations(services.knex, teamId);
    if (!rows.some(({ id }) => unknown.has(id))) return capacity;
    this.#small.forget(teamId);
    this.#large.forget(teamId);
    return this.read(context);
  }

  async #make({ knex, clock }: Services, teamId: TeamId): Promise<TeamCapacity> {
    const nowMs = clock.nowMs();
    const [hosted, locations, runners, load] = await Promise.all([
      this.#hosted.get(
        ALL,
        nowMs,
        async () => new HostedLoad(await readHostedLoad(knex), await readTypicalRuns(knex, nowMs)),
      ),
      readCapacityLocations(knex, teamId),
      readRunnerGroups(knex, teamId),
      readLoad(knex, teamId, { nowMs, locationKey: null }),
    ]);
    const capacity = new TeamCapacity({ teamId, locations, runners, load, hosted });
    if (keptForMs(capacity.checkLocations) > keptForMs(0)) this.#largeTeams.add(teamId);
    else this.#largeTeams.delete(teamId);
    return capacity;
  }
}
