/** Starts the background job of API keys. */
import { MINUTE_MS } from "@svc/contract";
import { type BackgroundJob, startBackgroundJob } from "../../platform/background.ts";
import { ADVISORY_LOCKS } from "../../platform/db/advisory-locks.ts";
import type { Services } from "../../platform/services.ts";
import { type SendPlainMail, warnOfExpiringKeys } from "./warn-of-expiry.ts";

const INTERVAL_MS = 10 * MINUTE_MS;

/**
 * Starts the job that warns of keys that end soon, on one replica at a time.
 * @param sendMail undefined: mail is not set up
 */
export function startApiKeyJob(services: Services, sendMail: SendPlainMail | undefined): BackgroundJob {
  const { knex, log } = services;
  return startBackgroundJob({
    name: "API keys that end",
    intervalMs: INTERVAL_MS,
    lockKey: ADVISORY_LOCKS.keyExpiry,
    knex,
    log,
    work: () => warnOfExpiringKeys(services, sendMail),
  });
}
