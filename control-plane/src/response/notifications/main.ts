/** Notifications of a replica: the worker that sends them, and the job that forgets them in time. */
import { DAY_MS } from "@svc/contract";
import { startBackgroundJob } from "../../platform/background.ts";
import { ADVISORY_LOCKS } from "../../platform/db/advisory-locks.ts";
import type { Services } from "../../platform/services.ts";
import type { DeliveryTools } from "./deliver.ts";
import { purgeNotifications } from "./store.ts";
import { NotificationWorker } from "./worker.ts";

const PURGE_INTERVAL_MS = 600_000;
const PURGED_AT_ONCE = 5_000;

export interface RunningNotifications {
  close(): Promise<void>;
}

/** Starts sending. What was handed over, or given up, is kept as long as results are. */
export function startNotifications(services: Services, tools: DeliveryTools): RunningNotifications {
  const { knex, log, clock, config } = services;
  const worker = new NotificationWorker({ tools, log });
  worker.start();
  const purge = startBackgroundJob({
    name: "notification purge",
    intervalMs: PURGE_INTERVAL_MS,
    lockKey: ADVISORY_LOCKS.notificationPurge,
    knex,
    log,
    work: async (signal) => {
      const before = new Date(clock.nowMs() - config.retentionDays * DAY_MS);
      while (!signal.aborted && (await purgeNotifications(knex, before, PURGED_AT_ONCE)) === PURGED_AT_ONCE);
    },
  });
  return { close: async () => void (await Promise.all([worker.close(), purge.close()])) };
}
