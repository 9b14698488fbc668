/** Starts the job that seals secrets which an earlier version stored as they were given; on one replica at a time. */
import { HOUR_MS } from "@svc/contract";
import { type BackgroundJob, startBackgroundJob } from "../../platform/background.ts";
import { ADVISORY_LOCKS } from "../../platform/db/advisory-locks.ts";
import type { Services } from "../../platform/services.ts";
import { sealStoredSecrets } from "./seal-stored-secrets.ts";

/**
 * The work is done once after an upgrade. It is repeated because a replica of the former version may write its form for
 * as long as it runs beside the new ones, and because a later version may call more of a configuration a secret.
 */
export function startSealingJob(services: Services): BackgroundJob {
  const { knex, log } = services;
  return startBackgroundJob({
    name: "sealing of stored secrets",
    intervalMs: HOUR_MS,
    lockKey: ADVISORY_LOCKS.sealing,
    knex,
    log,
    work: async (signal) => {
      const { sealed, unreadable } = await sealStoredSecrets(services, signal);
      if (sealed > 0) log.info({ records: sealed }, "secrets of stored configurations were sealed");
      if (unreadable.length > 0)
        log.error({ ids: unreadable.slice(0, 20) }, "the secrets of these records open under no known key");
    },
  });
}
