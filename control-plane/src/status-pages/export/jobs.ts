import { SECOND_MS } from "@svc/contract";
import { type BackgroundJob, startBackgroundJob } from "../../platform/background.ts";
import { ADVISORY_LOCKS } from "../../platform/db/advisory-locks.ts";
import type { Services } from "../../platform/services.ts";
import { StatusViews } from "../view/views.ts";
import { exportPages } from "./export-pages.ts";
import { folderStore } from "./folder-store.ts";
import type { PageStore } from "./page-store.ts";
import { s3Store } from "./s3-store.ts";

const INTERVAL_MS = 10 * SECOND_MS;

/** A store that the operator names, and the job that exports to it. */
interface ExportTarget {
  name: string;
  lockKey: number;
  /** Returns the store for one run; the signal ends its requests. */
  open(signal: AbortSignal): PageStore;
}

/**
 * Starts the export of published status pages to each store that the operator names. Each has a job of its own, so that one that fails
 * or hangs holds up no other.
 */
export function startStatusExportJobs(services: Services): BackgroundJob {
  const views = new StatusViews(services);
  const jobs = targetsOf(services).map(({ name, lockKey, open }) => {
    const written = new Map();
    return startBackgroundJob({
      name,
      intervalMs: INTERVAL_MS,
      lockKey,
      knex: services.knex,
      log: services.log,
      work: (signal) => exportPages(services, { store: open(signal), views, written, signal }),
    });
  });
  return {
    close: async () => {
      await Promise.all(jobs.map((job) => job.close()));
    },
  };
}

function targetsOf({ config, clock }: Services): ExportTarget[] {
  const { statusExportDir: folder, statusExportS3: settings } = config;
  const targets: ExportTarget[] = [];
  if (folder !== undefined)
    targets.push({
      name: "export of status pages",
      lockKey: ADVISORY_LOCKS.statusExport,
      open: () => folderStore(folder),
    });
  if (settings !== undefined)
    targets.push({
      name: "export of status pages to S3",
      lockKey: ADVISORY_LOCKS.statusExportS3,
      open: (signal) => s3Store({ settings, clock, signal }),
    });
  return targets;
}
