/** Jobs of monthly reports. */
import { MINUTE_MS } from "@svc/contract";
import { type BackgroundJob, startBackgroundJob } from "../../platform/background.ts";
import { ADVISORY_LOCKS } from "../../platform/db/advisory-locks.ts";
import type { Services } from "../../platform/services.ts";
import { readDatabaseNow } from "../../results/rollups/store.ts";
import { countDueDays } from "./count-days.ts";
import { sendReports } from "./send-reports.ts";

const INTERVAL_MS = 10 * MINUTE_MS;

/** Starts the job that counts the days of reports, and sends those of months that are over, on one replica at a time. */
export function startReportJob(services: Services): BackgroundJob {
  const { knex, log, config } = services;
  return startBackgroundJob({
    name: "reports",
    intervalMs: INTERVAL_MS,
    lockKey: ADVISORY_LOCKS.reports,
    knex,
    log,
    work: async (signal) => {
      const { retentionDays, rollupRetentionMonths } = config;
      await countDueDays(knex, await readDatabaseNow(knex), { retentionDays, rollupRetentionMonths, signal });
      await sendReports(services, signal);
    },
  });
}
