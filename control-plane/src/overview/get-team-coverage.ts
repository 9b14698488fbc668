import { DomainError, type TeamCoverage } from "@svc/contract";
import type { TeamContext } from "../platform/team-context.ts";
import { coverageOfTeam, type SlotCounts } from "./slot-counts.ts";
import { countChecks } from "./team-slots-store.ts";

/** Seconds after which it makes sense to ask again when the counting took too long. */
const RETRY_SECONDS = 60;

/**
 * Returns the slots of all the team's checks of the last 24 h by location, counted a short time ago.
 * @throws DomainError `unavailable` when the database gave up counting them
 */
export async function getTeamCoverage(
  { services, teamId }: Pick<TeamContext, "services" | "teamId">,
  counts: SlotCounts,
): Promise<TeamCoverage> {
  const checkCount = await countChecks(services.knex, teamId);
  const counted = await counts.read(services, teamId, checkCount);
  if (!counted)
    throw new DomainError("unavailable", "the slots took too long to count; try again later", {
      retryAfterSeconds: RETRY_SECONDS,
    });
  return coverageOfTeam(services.knex, counted);
}
