/** The job that counts the wanted runners, and the metrics that every replica answers from what it has stored. */
import { SECOND_MS } from "@svc/contract";
import type { Registry } from "prom-client";
import { type BackgroundJob, startBackgroundJob } from "../../../platform/background.ts";
import { ADVISORY_LOCKS } from "../../../platform/db/advisory-locks.ts";
import { metricsOf } from "../../../platform/metrics/metrics-of.ts";
import type { Services } from "../../../platform/services.ts";
import { BriefCache } from "../../brief-cache.ts";
import { WantedRunners } from "./count-wanted.ts";
import { readScaling, type ScalingRow } from "./store.ts";

const INTERVAL_MS = 15 * SECOND_MS;
/** Scrapes within this time share one reading. */
const KEPT_MS = 5 * SECOND_MS;
/** Locations that the metrics name: each is two series. */
const LOCATIONS_MAX = 2_000;
const LABELS = ["location", "kind"] as const;
const NAMES = ["svc_location_wanted_runners", "svc_location_live_runners"] as const;

/** Starts the job, on one replica at a time, and registers the metrics until it is closed. */
export function startScalingJob(services: Services, registry: Registry): BackgroundJob {
  const { knex, log } = services;
  const wanted = new WantedRunners(services);
  registerMetrics(services, registry);
  const job = startBackgroundJob({
    name: "wanted runners",
    intervalMs: INTERVAL_MS,
    lockKey: ADVISORY_LOCKS.locationScaling,
    knex,
    log,
    work: () => wanted.step(),
  });
  return {
    close: async () => {
      for (const name of NAMES) registry.removeSingleMetric(name);
      await job.close();
    },
  };
}

function registerMetrics({ knex, clock, log }: Services, registry: Registry): void {
  const kept = new BriefCache<ScalingRow[]>(KEPT_MS);
  const read = () => kept.get("all", clock.nowMs(), () => readScaling(knex, LOCATIONS_MAX));
  const helps = {
    svc_location_wanted_runners: "Runners that a location wants, for an autoscaler.",
    svc_location_live_runners: "Connected runners of a location that take new runs.",
  };
  for (const name of NAMES) {
    const numberOf = ({ wanted, live }: ScalingRow) =>
      name === "svc_location_wanted_runners" ? wanted : live;
    metricsOf(registry).gauge(name, helps[name], {
      labelNames: [...LABELS],
      collect: async (gauge) => {
        // Without a database there are no numbers: an autoscaler then keeps what it has, and the other metrics are answered.
        const rows = await read().catch((error: unknown) => {
          log.debug({ err: error }, "the wanted runners can't be read");
          return [];
        });
        gauge.reset();
        for (const row of rows)
          gauge.set({ location: row.id, kind: row.isHosted ? "hosted" : "private" }, numberOf(row));
      },
    });
  }
}
