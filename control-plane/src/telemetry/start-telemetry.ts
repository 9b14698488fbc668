/** Starts telemetry on a replica: the worker that exports, and the jobs that derive events. */
import { MINUTE_MS } from "@svc/contract";
import type { EgressOptions } from "@svc/egress";
import pLimit from "p-limit";
import { type BackgroundJob, startBackgroundJob } from "../platform/background.ts";
import { ADVISORY_LOCKS } from "../platform/db/advisory-locks.ts";
import { processMetrics } from "../platform/metrics/registry.ts";
import type { Services } from "../platform/services.ts";
import { createTeamEgress, type TeamEgress } from "../platform/team-egress.ts";
import { retainedFrom } from "../results/retention/retain.ts";
import { warnOfExpiry } from "./certificates/warn-of-expiry.ts";
import { detectCorrelations } from "./correlation/detect.ts";
import { purgeDerivedEvents, purgeQueuedResults } from "./export/export-store.ts";
import type { ExportTools } from "./export/exporter.ts";
import { exportMetrics } from "./export/metrics.ts";
import { ATTEMPT_TIMEOUT_MS } from "./export/send.ts";
import { ExportWorker } from "./export/worker.ts";

/** Longer than a request can take, so that no other replica begins with the export meanwhile. */
const LEASE_MS = 30_000;
/** Batches that are read and encoded at one time. */
const BUILDING_AT_ONCE = 2;
const PURGE_INTERVAL_MS = MINUTE_MS;
const EXPIRY_INTERVAL_MS = MINUTE_MS;
const CORRELATION_INTERVAL_MS = 15_000;

/** Returns the ways out to teams' endpoints. */
export function telemetryEgress(
  { config }: Pick<Services, "config">,
  way: Pick<EgressOptions, "resolve" | "connect"> = {},
): TeamEgress {
  return createTeamEgress({
    ...way,
    allowPrivate: config.egressPrivate === "allow",
    remedy: "the operator can set SVC_EGRESS_PRIVATE=allow on the control plane to export to it",
  });
}

/** Returns the tools of exports, with the clock and the random source of the service. */
export function createExportTools(services: Services, egressOf: TeamEgress): ExportTools {
  const { knex, log, secrets, clock, random } = services;
  return {
    knex,
    log,
    secrets,
    egressOf,
    metrics: exportMetrics(processMetrics),
    random,
    nowMs: () => clock.nowMs(),
    limitBuilding: pLimit(BUILDING_AT_ONCE),
    leaseMs: LEASE_MS,
    attemptTimeoutMs: ATTEMPT_TIMEOUT_MS,
  };
}

/** Starts telemetry. Records that were not exported yet are kept as long as results are. */
export function startTelemetry(services: Services, tools: ExportTools): BackgroundJob {
  const { knex, log, clock, config } = services;
  const worker = new ExportWorker(tools);
  worker.start();
  const job = (
    options: { name: string; lockKey: number; intervalMs: number },
    work: () => Promise<unknown>,
  ) => startBackgroundJob({ ...options, knex, log, work: async () => void (await work()) });
  const jobs = [
    job(
      {
        name: "certificate expiry",
        lockKey: ADVISORY_LOCKS.certificateExpiry,
        intervalMs: EXPIRY_INTERVAL_MS,
      },
      () => warnOfExpiry(knex, clock.nowMs()),
    ),
    job(
      { name: "correlations", lockKey: ADVISORY_LOCKS.correlations, intervalMs: CORRELATION_INTERVAL_MS },
      () => detectCorrelations(knex, clock.nowMs()),
    ),
    job(
      { name: "telemetry purge", lockKey: ADVISORY_LOCKS.telemetryPurge, intervalMs: PURGE_INTERVAL_MS },
      async () => {
        const before = new Date(retainedFrom(clock.nowMs(), config.retentionDays));
        await purgeQueuedResults(knex, before);
        await purgeDerivedEvents(knex, before);
      },
    ),
  ];
  return { close: async () => void (await Promise.all([worker, ...jobs].map((part) => part.close()))) };
}
