/** Jobs of incident policies. */
import { SECOND_MS } from "@svc/contract";
import { type BackgroundJob, startBackgroundJob } from "../../platform/background.ts";
import { ADVISORY_LOCKS } from "../../platform/db/advisory-locks.ts";
import type { Services } from "../../platform/services.ts";
import { escalateUnacknowledged } from "./escalate.ts";

const ESCALATE_INTERVAL_MS = 5 * SECOND_MS;

/** Starts the job that carries out the due steps of incident policies, on one replica at a time. */
export function startIncidentPolicyJob(services: Services): BackgroundJob {
  const { knex, log } = services;
  return startBackgroundJob({
    name: "incident policies",
    intervalMs: ESCALATE_INTERVAL_MS,
    lockKey: ADVISORY_LOCKS.incidentPolicies,
    knex,
    log,
    work: () => escalateUnacknowledged(services),
  });
}
