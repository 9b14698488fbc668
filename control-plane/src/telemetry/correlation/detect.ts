/** Looks for third parties that several browser checks fail on, and tells of each once while it lasts. */
import { DAY_MS, MINUTE_MS, networkRequestSchema, runIdOf, statusOfCode, type TeamId } from "@svc/contract";
import type { Knex } from "knex";
import * as z from "zod";
import { type DerivedEvent, recordDerivedEvents } from "../derived-event-store.ts";
import { ATTR } from "../records/attributes.ts";
import {
  CORRELATION_WINDOW_MS,
  type FailingRun,
  type SharedDependency,
  sharedDependencies,
} from "./shared-dependencies.ts";
import { beginsEpisode, type FailingRunRow, purgeEpisodes, readFailingBrowserRuns } from "./store.ts";

/** A result may be stored so long after its run, and be looked at so long after that. */
const DELAY_MS = MINUTE_MS;

const requestsSchema = z.array(
  networkRequestSchema.pick({ url: true, resourceType: true, httpStatusCode: true, errorText: true }),
);

type Run = FailingRun & { row: FailingRunRow };

/** Harmless to repeat, and to run on several replicas at once. @returns how many events were recorded */
export async function detectCorrelations(knex: Knex, nowMs: number): Promise<number> {
  const sinceMs = nowMs - CORRELATION_WINDOW_MS - DELAY_MS;
  const rows = await readFailingBrowserRuns(knex, new Date(sinceMs), sinceMs - DAY_MS);
  let recorded = 0;
  for (const [teamId, runs] of byTeam(rows))
    for (const shared of sharedDependencies(runs)) if (await tell(knex, teamId, shared)) recorded++;
  await purgeEpisodes(knex, new Date(nowMs - DAY_MS));
  return recorded;
}

function byTeam(rows: readonly FailingRunRow[]): Map<TeamId, Run[]> {
  const teams = new Map<TeamId, Run[]>();
  for (const row of rows) {
    const requests = requestsSchema.safeParse(row.requests);
    if (!requests.success) continue;
    const host = row.url !== null && URL.canParse(row.url) ? new URL(row.url).hostname : undefined;
    const run = { checkId: row.checkId, host, atMs: row.atMs, requests: requests.data, row };
    teams.set(row.teamId, [...(teams.get(row.teamId) ?? []), run]);
  }
  return teams;
}

/** The event is of the check that failed last: with it there were several. */
function tell(knex: Knex, teamId: TeamId, { dependency, runs }: SharedDependency<Run>): Promise<boolean> {
  const last = runs.at(-1) as Run;
  return knex.transaction(async (trx) => {
    if (!(await beginsEpisode(trx, teamId, dependency, last.atMs, CORRELATION_WINDOW_MS))) return false;
    await recordDerivedEvents(trx, [correlationEvent(last.row, dependency, runs)]);
    return true;
  });
}

function correlationEvent(row: FailingRunRow, dependency: string, runs: readonly Run[]): DerivedEvent {
  return {
    teamId: row.teamId,
    name: "synthetics.correlation.detected",
    severity: "warning",
    checkId: row.checkId,
    traceId: row.traceId,
    occurredAtMs: row.atMs,
    attributes: {
      [ATTR.runId]: runIdOf(row),
      [ATTR.locationId]: row.locationId,
      [ATTR.locationName]: row.locationName,
      [ATTR.checkStatus]: statusOfCode(row.status),
      [ATTR.correlationDependency]: dependency,
      [ATTR.correlationCheckIds]: runs.map(({ checkId }) => checkId),
      [ATTR.correlationCheckNames]: runs.map((run) => run.row.checkName),
      [ATTR.correlationCheckCount]: runs.length,
      [ATTR.correlationWindowSeconds]: CORRELATION_WINDOW_MS / 1000,
    },
  };
}
