/** Jobs of incidents. */
import { type BackgroundJob, startBackgroundJob } from "../../platform/background.ts";
import { ADVISORY_LOCKS } from "../../platform/db/advisory-locks.ts";
import type { Services } from "../../platform/services.ts";
import { autoResolve } from "./auto-resolve.ts";

const AUTO_RESOLVE_INTERVAL_MS = 5_000;

/** Starts the job that resolves incidents whose alerts are over, on one replica at a time. */
export function startIncidentJobs(services: Services): BackgroundJob {
  const { knex, log } = services;
  return startBackgroundJob({
    name: "end of incidents",
    intervalMs: AUTO_RESOLVE_INTERVAL_MS,
    lockKey: ADVISORY_LOCKS.incidents,
    knex,
    log,
    work: () => autoResolve(services),
  });
}
