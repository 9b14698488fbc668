/** Looks for third parties that several browser checks fail on, and reports each once while it lasts. */
import { setImmediate as nextTurn } from "node:timers/promises";
import { DAY_MS, MINUTE_MS, networkRequestSchema, runIdOf, statusOfCode, type TeamId } from "@svc/contract";
import type { Knex } from "knex";
import * as z from "zod";
import { checkLocationId } from "../../platform/check-location.ts";
import { correlationDetected } from "../derived-events/correlation-detected.ts";
import { attributesOfEvent } from "../derived-events/define-derived-event.ts";
import { type DerivedEvent, recordDerivedEvents } from "../derived-events/store.ts";
import {
  CORRELATION_WINDOW_MS,
  type FailingRun,
  failedThirdParties,
  type PageRequest,
  type SharedDependency,
  sharedDependencies,
} from "./shared-dependencies.ts";
import {
  type FailingRunRow,
  noteFailure,
  purgeEpisodes,
  readFailingRuns,
  readUsualRequests,
  type UsualRequestsRow,
} from "./store.ts";

/** Time in which a result may be stored after its run and be examined after that. */
const DELAY_MS = MINUTE_MS;

const requestsSchema = z.array(
  networkRequestSchema.pick({
    url: true,
    resourceType: true,
    httpStatusCode: true,
    errorText: true,
    startedAt: true,
    durationMs: true,
  }),
);

type Run = FailingRun & { row: FailingRunRow };

/**
 * Records an event for each third party that browser checks began to fail on together. Harmless to repeat, and to run on
 * several replicas at once.
 * @returns the number of recorded events
 */
export async function detectCorrelations(knex: Knex, nowMs: number): Promise<number> {
  const sinceMs = nowMs - CORRELATION_WINDOW_MS - DELAY_MS;
  const slots = { fromMs: sinceMs - DAY_MS, nowMs };
  const rows = await readFailingRuns(knex, new Date(sinceMs), slots);
  const usual = await usualByCheckLocation(await readUsualRequests(knex, rows, slots));
  let recorded = 0;
  for (const [teamId, runs] of await byTeam(rows, usual))
    for (const shared of sharedDependencies(runs)) if (await recordEpisode(knex, teamId, shared)) recorded++;
  await purgeEpisodes(knex, new Date(nowMs - DAY_MS));
  return recorded;
}

type UsualRequests = ReadonlyMap<string, readonly PageRequest[]>;

/** Returns the requests of last successes by check location. */
async function usualByCheckLocation(rows: readonly UsualRequestsRow[]): Promise<UsualRequests> {
  const usual = new Map<string, readonly PageRequest[]>();
  for (const row of rows) {
    await nextTurn();
    const requests = requestsSchema.safeParse(row.requests);
    if (requests.success) usual.set(checkLocationId(row), requests.data);
  }
  return usual;
}

/** Returns the runs by team. Reads each in a turn of its own, because a private location decides how much a run lists. */
async function byTeam(rows: readonly FailingRunRow[], usual: UsualRequests): Promise<Map<TeamId, Run[]>> {
  const teams = new Map<TeamId, Run[]>();
  for (const row of rows) {
    await nextTurn();
    const requests = requestsSchema.safeParse(row.requests);
    if (!requests.success) continue;
    const host = row.url !== null && URL.canParse(row.url) ? new URL(row.url).hostname : undefined;
    const run = {
      checkId: row.checkId,
      host,
      atMs: row.atMs,
      requests: requests.data,
      usual: usual.get(checkLocationId(row)),
      row,
    };
    failedThirdParties(run);
    const runs = teams.get(row.teamId);
    if (runs) runs.push(run);
    else teams.set(row.teamId, [run]);
  }
  return teams;
}

/**
 * Records the event when an episode begins. The event belongs to the check that failed last, which made it several.
 * @returns whether an episode began
 */
function recordEpisode(
  knex: Knex,
  teamId: TeamId,
  { dependency, runs }: SharedDependency<Run>,
): Promise<boolean> {
  const last = runs.at(-1) as Run;
  return knex.transaction(async (trx) => {
    if (!(await noteFailure(trx, { teamId, dependency, atMs: last.atMs }, CORRELATION_WINDOW_MS)))
      return false;
    await recordDerivedEvents(trx, [correlationEvent(last.row, dependency, runs)]);
    return true;
  });
}

function correlationEvent(row: FailingRunRow, dependency: string, runs: readonly Run[]): DerivedEvent {
  return {
    teamId: row.teamId,
    name: correlationDetected.type,
    severity: "warning",
    checkId: row.checkId,
    traceId: row.traceId,
    occurredAtMs: row.atMs,
    attributes: attributesOfEvent(correlationDetected, {
      runId: runIdOf(row),
      locationId: row.locationId,
      locationName: row.locationName,
      checkStatus: statusOfCode(row.status),
      dependency,
      checkIds: runs.map(({ checkId }) => checkId),
      checkNames: runs.map((run) => run.row.checkName),
      checkCount: runs.length,
      windowSeconds: CORRELATION_WINDOW_MS / 1000,
    }),
  };
}
