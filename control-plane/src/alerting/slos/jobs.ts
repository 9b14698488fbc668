/** The background job of SLOs; it runs on one replica at a time. */
import { type BackgroundJob, startBackgroundJob } from "../../platform/background.ts";
import { ADVISORY_LOCKS } from "../../platform/db/advisory-locks.ts";
import type { Services } from "../../platform/services.ts";
import { warnOfBurning } from "./budget-warnings.ts";

const WARNINGS_INTERVAL_MS = 30_000;

export function startSloJobs({ knex, log, clock }: Services): BackgroundJob {
  return startBackgroundJob({
    name: "SLO budget warnings",
    intervalMs: WARNINGS_INTERVAL_MS,
    lockKey: ADVISORY_LOCKS.sloWarnings,
    ...{ knex, log },
    work: (signal) => warnOfBurning(knex, clock.nowMs(), signal),
  });
}
