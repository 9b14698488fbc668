import {
  type CheckHealth,
  type CheckId,
  checkHealthSchema,
  HEALTH_RESULTS_MAX,
  isSuccessCode,
  type LocationId,
  resultIdOf,
  statusOfCode,
} from "@svc/contract";
import * as z from "zod";
import { CREATION_CURSOR } from "../platform/http/list-answer.ts";
import type { RecordList } from "../platform/http/record-list.ts";
import type { TeamContext } from "../platform/team-context.ts";
import { healthOfStatuses } from "./health-of-statuses.ts";
import { type RecentResultRow, readRecentResults } from "./store.ts";

/** A check with its newest results, per location newest first. */
interface CheckResults {
  checkId: CheckId;
  checkKey: number;
  createdAt: string;
  results: ResultAtLocation[];
}

/** A recent result, at the location that it is of. */
type ResultAtLocation = RecentResultRow & { locationId: LocationId; locationKey: number; slotMs: number };

/** Returns the list of the health of the team's checks, or of those with these ids, in the order of the list of checks. */
export function listCheckHealth(
  { services, teamId }: TeamContext,
  ids?: readonly CheckId[],
): RecordList<CheckResults> {
  return {
    name: "checks",
    cursorShape: CREATION_CURSOR,
    read: async (part) => {
      const nowMs = services.clock.nowMs();
      return byCheck(
        await readRecentResults(services.knex, teamId, { ...part, ids, count: HEALTH_RESULTS_MAX, nowMs }),
      );
    },
    textOf: ({ checkId, results }) => JSON.stringify(z.encode(checkHealthSchema, healthOf(checkId, results))),
    cursorOf: ({ createdAt, checkKey }) => [createdAt, checkKey],
  };
}

/** Groups rows by their check, in the order of the rows. */
function byCheck(rows: readonly RecentResultRow[]): CheckResults[] {
  const checks = new Map<CheckId, CheckResults>();
  for (const row of rows) {
    const { checkId, checkKey, createdAt } = row;
    const known = checks.get(checkId) ?? { checkId, checkKey, createdAt, results: [] };
    if (hasResult(row)) known.results.push(row);
    checks.set(checkId, known);
  }
  return [...checks.values()];
}

function hasResult(row: RecentResultRow): row is ResultAtLocation {
  return row.slotMs !== null;
}

/**
 * Judges the health of one check from the newest result of each location where it runs now. Pure.
 * @param rows of the check, per location newest first
 */
function healthOf(checkId: CheckId, rows: readonly ResultAtLocation[]): CheckHealth {
  const newest = new Map<string, ResultAtLocation>();
  for (const row of rows) if (!newest.has(row.locationId)) newest.set(row.locationId, row);
  const newestResults = [...newest.values()];
  const failingLocations = newestResults
    .filter(({ status }) => !isSuccessCode(status))
    .map(({ locationId }) => locationId);
  return {
    checkId,
    health: healthOfStatuses(newestResults.map(({ status }) => status)),
    failingLocations,
    results: [...rows]
      .sort((a, b) => a.slotMs - b.slotMs)
      .slice(-HEALTH_RESULTS_MAX)
      .map(({ checkKey, locationId, locationKey, slotMs, status, responseTimeUs }) => ({
        id: resultIdOf({ slotMs, checkKey, locationKey }),
        locationId,
        slotAt: new Date(slotMs).toISOString(),
        status: statusOfCode(status),
        responseTimeMs: responseTimeUs / 1000,
      })),
  };
}
