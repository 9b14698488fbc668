/** Dispatches the first runs that wait, as the budgets of their teams allow; on one replica at a time. */
import { SECOND_MS, type TeamId } from "@svc/contract";
import type { Knex } from "knex";
import { type BackgroundJob, startBackgroundJob } from "../../platform/background.ts";
import { ADVISORY_LOCKS } from "../../platform/db/advisory-locks.ts";
import type { Services } from "../../platform/services.ts";
import { dispatchRun } from "../dispatch-run.ts";
import { FIRST_RUN_WINDOW_MS, TEAM_FIRST_RUNS_MAX } from "./dispatch-first-run.ts";
import { claimQueuedFirstRuns, teamsWithQueuedFirstRuns } from "./store.ts";

/** Most first runs of a team at once, so that agents get a minute's runs bit by bit. A check has at most 100 locations. */
const TEAM_RUNS_AT_ONCE = 100;

/** Starts the job that dispatches queued first runs each second, on one replica at a time. */
export function startFirstRunJob({ knex, log, clock }: Services): BackgroundJob {
  return startBackgroundJob({
    name: "first runs",
    intervalMs: SECOND_MS,
    lockKey: ADVISORY_LOCKS.firstRuns,
    knex,
    log,
    work: () => dispatchQueuedFirstRuns(knex, () => clock.nowMs()),
  });
}

/** Dispatches what the budgets allow now. Safe to repeat, and beside another replica's call. */
export async function dispatchQueuedFirstRuns(knex: Knex, nowMs: () => number): Promise<void> {
  for (const { teamId, recentCount } of await teamsWithQueuedFirstRuns(knex, nowMs() - FIRST_RUN_WINDOW_MS)) {
    const runsMax = Math.min(TEAM_RUNS_AT_ONCE, TEAM_FIRST_RUNS_MAX - recentCount);
    if (runsMax > 0) await knex.transaction((trx) => dispatchSome(trx, { teamId, runsMax, atMs: nowMs() }));
  }
}

/** A check that was switched off meanwhile, or has no location any more, has no first run. */
async function dispatchSome(
  trx: Knex,
  { teamId, runsMax, atMs }: { teamId: TeamId; runsMax: number; atMs: number },
): Promise<void> {
  for (const { check, enabled, locationKeys } of await claimQueuedFirstRuns(trx, teamId, runsMax))
    if (enabled && locationKeys.length > 0)
      await dispatchRun(trx, { check, locationKeys, atMs, reason: "first_run" });
}
