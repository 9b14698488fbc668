import {
  type CheckHealth,
  type CheckId,
  HEALTH_RESULTS_MAX,
  isSuccessCode,
  statusOfCode,
} from "@svc/contract";
import type { TeamContext } from "../platform/team-context.ts";
import { type RecentResultRow, readRecentResults } from "./store.ts";

/** Returns the health of a page of the team's checks, in the order of their list. */
export async function listCheckHealth(
  { services, teamId }: TeamContext,
  { limit, offset }: { limit: number; offset: number },
): Promise<CheckHealth[]> {
  const rows = await readRecentResults(services.knex, teamId, {
    limit,
    offset,
    count: HEALTH_RESULTS_MAX,
    nowMs: services.clock.nowMs(),
  });
  const byCheck = new Map<CheckId, RecentResultRow[]>();
  for (const row of rows) {
    const known = byCheck.get(row.checkId) ?? [];
    if (row.slotMs !== null) known.push(row);
    byCheck.set(row.checkId, known);
  }
  return [...byCheck].map(([checkId, results]) => healthOf(checkId, results));
}

/**
 * Judges the health of one check from the newest result of each location where it runs now. Pure.
 * @param rows of the check, per location newest first
 */
function healthOf(checkId: CheckId, rows: readonly RecentResultRow[]): CheckHealth {
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
