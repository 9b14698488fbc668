/** Starts the job that removes expired deploy plans, on one replica at a time. */
import { HOUR_MS } from "@svc/contract";
import { type BackgroundJob, startBackgroundJob } from "../../platform/background.ts";
import { ADVISORY_LOCKS } from "../../platform/db/advisory-locks.ts";
import type { Services } from "../../platform/services.ts";
import { deleteExpiredDeployPlans } from "./store.ts";

/** Starts the job. */
export function startDeployPlanJob({ knex, log, clock }: Services): BackgroundJob {
  return startBackgroundJob({
    name: "expired deploy plans",
    intervalMs: HOUR_MS,
    lockKey: ADVISORY_LOCKS.deployPlans,
    knex,
    log,
    work: () => deleteExpiredDeployPlans(knex, clock.nowMs()),
  });
}
