import { SECOND_MS } from "@svc/contract";
import { type BackgroundJob, startBackgroundJob } from "../../platform/background.ts";
import { ADVISORY_LOCKS } from "../../platform/db/advisory-locks.ts";
import type { Services } from "../../platform/services.ts";
import { StatusViews } from "../view/views.ts";
import { exportPages } from "./export-pages.ts";

const INTERVAL_MS = 10 * SECOND_MS;

/** Starts the export of published status pages where the operator names a folder; otherwise a job that does nothing. */
export function startStatusExportJob(services: Services): BackgroundJob {
  const { config, knex, log } = services;
  const folder = config.statusExportDir;
  if (folder === undefined) return { close: async () => undefined };
  const views = new StatusViews(services);
  const written = new Map();
  return startBackgroundJob({
    name: "export of status pages",
    intervalMs: INTERVAL_MS,
    lockKey: ADVISORY_LOCKS.statusExport,
    knex,
    log,
    work: (signal) => exportPages(services, { folder, views, written, signal }),
  });
}
