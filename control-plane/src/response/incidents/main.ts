/** Incidents of a replica: the worker that places alerts, and the job that ends what is over. */
import { startBackgroundJob } from "../../platform/background.ts";
import { ADVISORY_LOCKS } from "../../platform/db/advisory-locks.ts";
import type { Services } from "../../platform/services.ts";
import { autoResolve } from "./auto-resolve.ts";
import { IncidentWorker } from "./worker.ts";

const AUTO_RESOLVE_INTERVAL_MS = 5_000;

export interface RunningIncidents {
  close(): Promise<void>;
}

export function startIncidents(services: Services): RunningIncidents {
  const { knex, log } = services;
  const worker = new IncidentWorker(services);
  worker.start();
  const job = startBackgroundJob({
    name: "end of incidents",
    intervalMs: AUTO_RESOLVE_INTERVAL_MS,
    lockKey: ADVISORY_LOCKS.incidents,
    knex,
    log,
    work: () => autoResolve(services),
  });
  return { close: async () => void (await Promise.all([worker.close(), job.close()])) };
}
