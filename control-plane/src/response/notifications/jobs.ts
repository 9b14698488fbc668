/** Jobs of notifications. */
import { DAY_MS, MINUTE_MS } from "@svc/contract";
import { type BackgroundJob, startBackgroundJob } from "../../platform/background.ts";
import { ADVISORY_LOCKS } from "../../platform/db/advisory-locks.ts";
import type { Services } from "../../platform/services.ts";
import { purgeNotifications } from "./queue-store.ts";

const PURGE_INTERVAL_MS = 10 * MINUTE_MS;
/** Most notifications of one statement. */
const PURGED_MAX = 5_000;

/**
 * Starts the job that deletes old notifications and deliveries, on one replica at a time. They are kept as long as
 * results.
 */
export function startNotificationJobs({ knex, log, clock, config }: Services): BackgroundJob {
  return startBackgroundJob({
    name: "notification purge",
    intervalMs: PURGE_INTERVAL_MS,
    lockKey: ADVISORY_LOCKS.notificationPurge,
    knex,
    log,
    work: async (signal) => {
      const before = new Date(clock.nowMs() - config.retentionDays * DAY_MS);
      while (!signal.aborted && (await purgeNotifications(knex, before, PURGED_MAX)) === PURGED_MAX);
    },
  });
}
