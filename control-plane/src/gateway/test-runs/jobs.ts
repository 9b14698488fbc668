/** Starts the job that removes expired test runs, on one replica at a time. */
import { MINUTE_MS } from "@svc/contract";
import { type BackgroundJob, startBackgroundJob } from "../../platform/background.ts";
import { ADVISORY_LOCKS } from "../../platform/db/advisory-locks.ts";
import type { Services } from "../../platform/services.ts";
import { deleteExpiredTestRuns } from "./store.ts";

/** Starts the job. */
export function startTestRunJob({ knex, log, clock }: Services): BackgroundJob {
  return startBackgroundJob({
    name: "expired test runs",
    intervalMs: MINUTE_MS,
    lockKey: ADVISORY_LOCKS.testRuns,
    knex,
    log,
    work: () => deleteExpiredTestRuns(knex, clock.nowMs()),
  });
}
