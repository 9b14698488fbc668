/** The job that watches the health of private locations. */
import { type BackgroundJob, startBackgroundJob } from "../../platform/background.ts";
import { ADVISORY_LOCKS } from "../../platform/db/advisory-locks.ts";
import type { Services } from "../../platform/services.ts";
import { watchLocations } from "./watch-locations.ts";

const INTERVAL_MS = 10_000;

/** Starts the job, on one replica at a time. */
export function startLocationHealthJob({ knex, log, clock }: Services): BackgroundJob {
  return startBackgroundJob({
    name: "health of locations",
    intervalMs: INTERVAL_MS,
    lockKey: ADVISORY_LOCKS.locationHealth,
    knex,
    log,
    work: (signal) => watchLocations(knex, clock.nowMs(), signal),
  });
}
