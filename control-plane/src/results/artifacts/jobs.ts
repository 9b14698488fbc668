/** Starts the background job of artifacts. */
import { type BackgroundJob, startBackgroundJob } from "../../platform/background.ts";
import { ADVISORY_LOCKS } from "../../platform/db/advisory-locks.ts";
import type { Services } from "../../platform/services.ts";
import { blobStoreOf } from "./choose-blob-store.ts";
import { sweepArtifacts } from "./sweep.ts";

const SWEEP_INTERVAL_MS = 600_000;

/** Starts the removal of unused contents. It runs on one replica at a time. */
export function startArtifactJobs(services: Services): BackgroundJob {
  const { knex, log } = services;
  const blobs = blobStoreOf(services);
  return startBackgroundJob({
    name: "artifacts",
    intervalMs: SWEEP_INTERVAL_MS,
    lockKey: ADVISORY_LOCKS.artifacts,
    knex,
    log,
    work: (signal) => sweepArtifacts(knex, blobs, signal),
  });
}
