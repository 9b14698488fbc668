/** Who may generate now: as many at a time as a replica has patience for, as many in a month as the team's plan allows. */
import { DomainError, MINUTE_MS, type TeamId } from "@svc/contract";
import { loadPlan } from "../accounts/teams/plans.ts";
import type { TeamContext } from "../platform/team-context.ts";
import { countGeneration, uncountGeneration } from "./store.ts";

/** Generations of a team, and of all teams, that a replica carries out at a time. */
const OF_TEAM_MAX = 2;
const OF_ALL_MAX = 16;
const WAIT_SECONDS = 15;

/** Counts the generations of one replica that are under way. */
export class Generations {
  readonly #open = new Map<TeamId, number>();

  /**
   * Carries out a generation of the context's team. One that throws before `noteAsked` was called is not counted against the plan.
   * @throws DomainError `rate_limited`; whatever the work throws
   */
  async admit<Outcome>(
    ctx: TeamContext,
    work: (noteAsked: () => void) => Promise<Outcome>,
  ): Promise<Outcome> {
    const { teamId, services } = ctx;
    this.#begin(teamId);
    try {
      const nowMs = services.clock.nowMs();
      const { name, generationQuotaPerMonth: max } = await loadPlan(services.knex, teamId);
      if (!(await countGeneration(services.knex, { teamId, nowMs, max })))
        throw new DomainError(
          "rate_limited",
          `The team has used the ${max} generations that plan ${name} allows in this month`,
          { retryAfterSeconds: Math.ceil((monthEndMs(nowMs) - nowMs) / 1000) },
        );
      let wasAsked = false;
      try {
        return await work(() => {
          wasAsked = true;
        });
      } catch (error) {
        // A question to the model has cost something, whatever came of it.
        if (!wasAsked) await uncountGeneration(services.knex, { teamId, nowMs }).catch(() => undefined);
        throw error;
      }
    } finally {
      this.#end(teamId);
    }
  }

  #begin(teamId: TeamId): void {
    const ofAll = [...this.#open.values()].reduce((sum, count) => sum + count, 0);
    const ofTeam = this.#open.get(teamId) ?? 0;
    if (ofTeam >= OF_TEAM_MAX || ofAll >= OF_ALL_MAX)
      throw new DomainError(
        "rate_limited",
        ofTeam >= OF_TEAM_MAX
          ? `The team has ${OF_TEAM_MAX} generations under way; try again when one has ended`
          : "Many generations are under way; try again in a moment",
        { retryAfterSeconds: WAIT_SECONDS },
      );
    this.#open.set(teamId, ofTeam + 1);
  }

  #end(teamId: TeamId): void {
    const left = (this.#open.get(teamId) ?? 1) - 1;
    if (left > 0) this.#open.set(teamId, left);
    else this.#open.delete(teamId);
  }
}

function monthEndMs(nowMs: number): number {
  const now = new Date(nowMs);
  return Math.max(nowMs + MINUTE_MS, Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1));
}
