import type { ReportMonth } from "@svc/contract";
import type { TeamContext } from "../../platform/team-context.ts";
import { figuresOf } from "./figures.ts";
import { bitOfDay, countDays, daysOfMonth } from "./month.ts";
import { readMonths } from "./read-store.ts";

/** Returns the months of which there is a report, newest first. */
export async function listReports({
  services,
  teamId,
}: Pick<TeamContext, "services" | "teamId">): Promise<ReportMonth[]> {
  const months = await readMonths(services.knex, teamId);
  return months.map(({ month, countedDays, checkCount, ...counts }) => ({
    month,
    isComplete: (countedDays & bitOfDay(daysOfMonth(month).at(-1) as number)) !== 0,
    countedDays: countDays(countedDays),
    ...figuresOf(counts),
  }));
}
