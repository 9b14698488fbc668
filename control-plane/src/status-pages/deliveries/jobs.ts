import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from "@svc/contract";
import { type BackgroundJob, startBackgroundJob } from "../../platform/background.ts";
import { ADVISORY_LOCKS } from "../../platform/db/advisory-locks.ts";
import type { Services } from "../../platform/services.ts";
import { purgeUnconfirmed } from "../subscribers/store.ts";
import { announceInstants, purgeAnnouncements } from "./announcement-store.ts";
import { GIVE_UP_MS } from "./deliver.ts";
import { purgeDeliveries } from "./delivery-store.ts";

const INTERVAL_MS = 20 * SECOND_MS;
/** Age up to which the start or end of maintenance is announced, after the service was down. */
const INSTANT_AGE_MAX_MS = HOUR_MS;
/** Time for which an announcement is known, so that none is made twice. */
const ANNOUNCEMENT_LIFETIME_MS = 2 * DAY_MS;
/** Deliveries beyond their end that are left to a worker, which logs them. */
const LATE_MS = 10 * MINUTE_MS;
const ROWS_MAX = 5_000;

/** Tells of maintenance whose time has come, drops addresses that were not confirmed in time, and forgets what is done. */
export async function tendSubscriptions(
  { knex, clock }: Pick<Services, "knex" | "clock">,
  signal?: AbortSignal,
): Promise<void> {
  const nowMs = clock.nowMs();
  await announceInstants(knex, { nowMs, sinceMs: nowMs - INSTANT_AGE_MAX_MS });
  const purges = [
    () => purgeUnconfirmed(knex, { nowMs, requestsBeforeMs: nowMs - DAY_MS, rowsMax: ROWS_MAX }),
    () => purgeDeliveries(knex, nowMs - GIVE_UP_MS - LATE_MS, ROWS_MAX),
    () => purgeAnnouncements(knex, nowMs - ANNOUNCEMENT_LIFETIME_MS, ROWS_MAX),
  ];
  for (const purge of purges) while (!signal?.aborted && (await purge()) === ROWS_MAX);
}

/** Starts the job, on one replica at a time. */
export function startSubscriptionJob(services: Services): BackgroundJob {
  const { knex, log } = services;
  return startBackgroundJob({
    name: "subscriptions of status pages",
    intervalMs: INTERVAL_MS,
    lockKey: ADVISORY_LOCKS.statusSubscriptions,
    knex,
    log,
    work: (signal) => tendSubscriptions(services, signal),
  });
}
