/** Starts the background jobs of results: partitions and retention, purge of deleted checks and teams, rollups, merge of hours. */
import { setTimeout as sleep } from "node:timers/promises";
import { MINUTE_MS } from "@svc/contract";
import type { Registry } from "prom-client";
import { forgetAuditEntries } from "../../accounts/audit/forget-audit-entries.ts";
import { type BackgroundJob, startBackgroundJob } from "../../platform/background.ts";
import { ADVISORY_LOCKS } from "../../platform/db/advisory-locks.ts";
import { engineOf } from "../../platform/db/engine.ts";
import type { Services } from "../../platform/services.ts";
import { blobStoreOf } from "../artifacts/choose-blob-store.ts";
import { mergeResults } from "../merge/merge-results.ts";
import { countThresholds } from "../rollups/count-thresholds.ts";
import { declareRollupMetrics } from "../rollups/metrics.ts";
import { orderHours } from "../rollups/order-hours.ts";
import { rollUp } from "../rollups/roll-up.ts";
import { readDatabaseNow } from "../rollups/store.ts";
import { deleteTeams } from "./delete-teams.ts";
import { purgeDeletedChecks } from "./purge.ts";
import { retain, rollupsRetainedFrom } from "./retain.ts";
import { retainBuckets } from "./retain-buckets.ts";

const RETENTION_INTERVAL_MS = 600_000;
const PURGE_INTERVAL_MS = MINUTE_MS;
const TEAM_DELETIONS_INTERVAL_MS = 5_000;
const ROLLUP_INTERVAL_MS = 10_000;
const MERGE_INTERVAL_MS = 30_000;

/** Starts the jobs, each of which runs on one replica at a time, and declares the metrics that tell how far they are. */
export function startResultJobs(services: Services, registry: Registry): BackgroundJob {
  const { knex, log, config } = services;
  declareRollupMetrics(registry, knex);
  const blobs = blobStoreOf(services);
  const jobs = [
    startBackgroundJob({
      name: "retention",
      intervalMs: RETENTION_INTERVAL_MS,
      lockKey: ADVISORY_LOCKS.retention,
      knex,
      log,
      work: async () => {
        const nowMs = await readDatabaseNow(knex);
        await retain(knex, nowMs, {
          retentionDays: config.retentionDays,
          rollupRetentionMonths: config.rollupRetentionMonths,
          alertRetentionDays: config.alertRetentionDays,
          incidentRetentionDays: config.incidentRetentionDays,
          historyRetentionDays: config.historyRetentionDays,
          changeLogBytesMax: config.caps.changeLogBytes,
        });
        await forgetAuditEntries(knex, {
          fromMs: rollupsRetainedFrom(nowMs, config.auditRetentionMonths),
          entriesMax: config.auditEntriesMax,
        });
      },
    }),
    startBackgroundJob({
      name: "rollups by the day",
      intervalMs: RETENTION_INTERVAL_MS,
      lockKey: ADVISORY_LOCKS.rollupDays,
      knex,
      log,
      work: async () => retainBuckets(knex, await readDatabaseNow(knex)),
    }),
    startBackgroundJob({
      name: "purge",
      intervalMs: PURGE_INTERVAL_MS,
      lockKey: ADVISORY_LOCKS.purge,
      knex,
      log,
      work: (signal) => purgeDeletedChecks(knex, { keptForExport: `${config.retentionDays} days`, signal }),
    }),
    startBackgroundJob({
      name: "team deletions",
      intervalMs: TEAM_DELETIONS_INTERVAL_MS,
      lockKey: ADVISORY_LOCKS.teamDeletions,
      knex,
      log,
      work: (signal) => deleteTeams(knex, { blobs, signal }),
    }),
    startBackgroundJob({
      name: "rollups",
      intervalMs: ROLLUP_INTERVAL_MS,
      lockKey: ADVISORY_LOCKS.rollups,
      knex,
      log,
      work: async (signal) => {
        const nowMs = await readDatabaseNow(knex);
        await rollUp(knex, nowMs, signal);
        await countThresholds(knex, nowMs, signal);
      },
    }),
    startBackgroundJob({
      name: "merge",
      intervalMs: MERGE_INTERVAL_MS,
      lockKey: ADVISORY_LOCKS.merge,
      knex,
      log,
      work: async (signal) => {
        // On Citus a day has one partition from its begin on, and rows can't be put in an order by their place.
        if (engineOf(knex) === "citus") return;
        const rest = (ms: number) => sleep(ms, undefined, { signal }).catch(() => undefined);
        const nowMs = await readDatabaseNow(knex);
        await mergeResults(knex, nowMs, { signal, rest });
        await orderHours(knex, nowMs, { signal, rest });
      },
    }),
  ];
  return { close: async () => void (await Promise.all(jobs.map((job) => job.close()))) };
}
