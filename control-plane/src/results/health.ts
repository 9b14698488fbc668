/** How the checks of a team stand: judged from the newest result of each location where the check runs now. */
import {
  type CheckHealth,
  HEALTH_RESULTS_MAX,
  isSuccessCode,
  statusOfCode,
  type TeamId,
} from "@svc/contract";
import type { Services } from "../platform/services.ts";
import { type RecentResultRow, readRecentResults } from "./store.ts";

/** A page of the team's checks, in the order of their list. */
export async function listCheckHealth(
  { knex, clock }: Pick<Services, "knex" | "clock">,
  teamId: TeamId,
  page: { limit: number; offset: number },
): Promise<CheckHealth[]> {
  const rows = await readRecentResults(knex, teamId, {
    ...page,
    count: HEALTH_RESULTS_MAX,
    nowMs: clock.nowMs(),
  });
  const byCheck = new Map<string, RecentResultRow[]>();
  for (const row of rows) {
    const known = byCheck.get(row.checkId) ?? [];
    if (row.slotMs !== null) known.push(row);
    byCheck.set(row.checkId, known);
  }
  return [...byCheck].map(([checkId, results]) => healthOf(checkId, results));
}

/** @param rows of one check, per location newest first */
export function healthOf(checkId: string, rows: readonly RecentResultRow[]): CheckHealth {
  const newest = new Map<string, RecentResultRow>();
  for (const row of rows) if (!newest.has(row.locationId)) newest.set(row.locationId, row);
  const failingLocations = [...newest.values()]
    .filter(({ status }) => !isSuccessCode(status))
    .map(({ locationId }) => locationId);
  return {
    checkId,
    health: newest.size === 0 ? "unknown" : failingLocations.length > 0 ? "unhealthy" : "healthy",
    failingLocations,
    results: [...rows]
      .sort((a, b) => (a.slotMs ?? 0) - (b.slotMs ?? 0))
      .slice(-HEALTH_RESULTS_MAX)
      .map(({ locationId, slotMs, status, responseTimeUs }) => ({
        locationId,
        slotAt: new Date(slotMs ?? 0).toISOString(),
        status: statusOfCode(status),
        responseTimeMs: responseTimeUs / 1000,
      })),
  };
}
