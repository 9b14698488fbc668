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
  { knex, clock, log }: Pick<Services, "knex" | "clock" | "log">,
  signal?: AbortSignal,
): Promise<void> {
  const nowMs = clock.nowMs();
  await announceInstants(knex, { nowMs, sinceMs: nowMs - INSTANT_AGE_MAX_MS });
  const purges = [
    () => purgeUnconfirmed(knex, { nowMs, requestsBeforeMs: nowMs - DAY_MS, rowsMax: ROWS_MAX }),
    () => giveUpDeliveries({ knex, log }, nowMs - GIVE_UP_MS - LATE_MS),
    () => purgeAnnouncements(knex, nowMs - ANNOUNCEMENT_LIFETIME_MS, ROWS_MAX),
  ];
  for (const purge of purges) while (!signal?.aborted && (await purge()) === ROWS_MAX);
}

/** Gives up the oldest deliveries that no worker came to, and tells the log of which teams. Returns how many. */
async function giveUpDeliveries(
  { knex, log }: Pick<Services, "knex" | "log">,
  beforeMs: number,
): Promise<number> {
  const given = await purgeDeliveries(knex, beforeMs, ROWS_MAX);
  for (const teamId of new Set(given.map((one) => one.teamId))) {
    const deliveries = given.filter((one) => one.teamId === teamId).length;
    log.warn({ teamId, deliveries }, "updates of status pages were given up: they waited for too long");
  }
  return given.length;
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
