/** Jobs of incidents. */
import { Failures } from "../../alerting/holds/failures.ts";
import { type BackgroundJob, startBackgroundJob } from "../../platform/background.ts";
import { ADVISORY_LOCKS } from "../../platform/db/advisory-locks.ts";
import { serviceModel } from "../../platform/language-model/token-meter.ts";
import type { Services } from "../../platform/services.ts";
import { autoResolve } from "./auto-resolve.ts";
import { endLocationOutages } from "./end-location-outages.ts";
import { notifyAddedChannels } from "./notify-added-channels.ts";
import { wordHypotheses } from "./word-hypotheses.ts";

const AUTO_RESOLVE_INTERVAL_MS = 5_000;

const OUTAGES_INTERVAL_MS = 5_000;

/** How often incidents are looked for whose hypothesis has not been worded. */
const WORDING_INTERVAL_MS = 5_000;

/**
 * Starts the jobs that resolve incidents whose alerts are over and end the outages of locations and, where there is a language model, the one that has hypotheses
 * worded; each on one replica at a time.
 */
export function startIncidentJobs(services: Services): BackgroundJob {
  const { knex, log } = services;
  const model = serviceModel(services);
  const jobs = [
    startBackgroundJob({
      name: "end of incidents",
      intervalMs: AUTO_RESOLVE_INTERVAL_MS,
      lockKey: ADVISORY_LOCKS.incidents,
      knex,
      log,
      work: () => autoResolve(services),
    }),
    startBackgroundJob({
      name: "outages of locations",
      intervalMs: OUTAGES_INTERVAL_MS,
      lockKey: ADVISORY_LOCKS.locationOutages,
      knex,
      log,
      work: () => lookAfterOutages(services),
    }),
  ];
  if (model)
    jobs.push(
      startBackgroundJob({
        name: "wording of hypotheses",
        intervalMs: WORDING_INTERVAL_MS,
        lockKey: ADVISORY_LOCKS.hypothesisWordings,
        knex,
        log,
        work: (signal) => wordHypotheses(services, { model, signal }),
      }),
    );
  return {
    close: async () => {
      await Promise.all(jobs.map((job) => job.close()));
    },
  };
}

async function lookAfterOutages({ knex, clock }: Services): Promise<void> {
  const failures = new Failures();
  await failures.collect(() => endLocationOutages(knex, clock.nowMs()));
  await failures.collect(() => notifyAddedChannels(knex, clock.nowMs()));
  failures.throwAny("jobs of outages of locations");
}
