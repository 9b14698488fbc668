import { DomainError, invalidField } from "@svc/contract";
import type { TeamContext } from "../../platform/team-context.ts";
import { monthOf, rangeOfMonth } from "./month.ts";
import { type MonthOfTeam, readTeamCreatedAt } from "./read-store.ts";

/** A month of a team that has begun, and in which the team was there. */
export interface MonthToReport extends MonthOfTeam {
  /** When the team was created, Unix ms. */
  teamCreatedMs: number;
}

/**
 * Returns a month of the team.
 * @throws DomainError `invalid` for a month that has not begun, `not_found` for one before the team was created
 */
export async function monthToReport(
  { services, teamId }: Pick<TeamContext, "services" | "teamId">,
  month: string,
): Promise<MonthToReport> {
  const range = rangeOfMonth(month);
  if (range.fromMs > services.clock.nowMs())
    throw invalidField("month", `${month} has not begun; there is a report once its first day was counted`);
  const teamCreatedMs = (await readTeamCreatedAt(services.knex, teamId)) ?? 0;
  if (range.toMs <= teamCreatedMs)
    throw new DomainError(
      "not_found",
      `No report of ${month}: the team was created in ${monthOf(teamCreatedMs)}`,
    );
  return { teamId, month, ...range, teamCreatedMs };
}
