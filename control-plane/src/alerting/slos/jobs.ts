/** The background job of SLOs, which runs on one replica at a time. */
import { SECOND_MS } from "@svc/contract";
import { type BackgroundJob, startBackgroundJob } from "../../platform/background.ts";
import { ADVISORY_LOCKS } from "../../platform/db/advisory-locks.ts";
import type { Services } from "../../platform/services.ts";
import { recordBudgetWarnings } from "./budget-warnings.ts";

const WARNINGS_INTERVAL_MS = 30 * SECOND_MS;

/** Starts recording budget warnings. */
export function startSloJobs({ knex, log, clock }: Services): BackgroundJob {
  return startBackgroundJob({
    name: "SLO budget warnings",
    intervalMs: WARNINGS_INTERVAL_MS,
    lockKey: ADVISORY_LOCKS.sloWarnings,
    knex,
    log,
    work: (signal) => recordBudgetWarnings(knex, clock.nowMs(), signal),
  });
}
