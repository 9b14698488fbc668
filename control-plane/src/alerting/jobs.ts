/** The background jobs of alerting; each runs on one replica at a time. */
import { MINUTE_MS } from "@svc/contract";
import { type BackgroundJob, startBackgroundJob } from "../platform/background.ts";
import { ADVISORY_LOCKS } from "../platform/db/advisory-locks.ts";
import type { Services } from "../platform/services.ts";
import { updateBaselines } from "./baselines/update-baselines.ts";
import { lookPeriodically } from "./evaluation/evaluate-between-results.ts";
import type { AlertEvaluator } from "./evaluation/evaluator.ts";
import { endMutes } from "./instances/end-mutes.ts";

const LOOK_INTERVAL_MS = 15_000;
/** After a start, runners get this long to deliver what they kept meanwhile, before a slot is called missed. */
const SETTLE_AFTER_START_MS = MINUTE_MS;
const MUTES_INTERVAL_MS = 2_000;
const BASELINES_INTERVAL_MS = MINUTE_MS;

export function startAlertJobs({ knex, log, clock }: Services, evaluator: AlertEvaluator): BackgroundJob {
  const startedAtMs = performance.now();
  const jobs = [
    startBackgroundJob({
      name: "alerts between results",
      intervalMs: LOOK_INTERVAL_MS,
      lockKey: ADVISORY_LOCKS.alertLook,
      ...{ knex, log },
      work: async (signal) => {
        if (performance.now() - startedAtMs >= SETTLE_AFTER_START_MS)
          await lookPeriodically(knex, evaluator, signal);
      },
    }),
    startBackgroundJob({
      name: "end of mutes",
      intervalMs: MUTES_INTERVAL_MS,
      lockKey: ADVISORY_LOCKS.alertMutes,
      ...{ knex, log },
      work: () => endMutes(knex, clock.nowMs()),
    }),
    startBackgroundJob({
      name: "baselines",
      intervalMs: BASELINES_INTERVAL_MS,
      lockKey: ADVISORY_LOCKS.baselines,
      ...{ knex, log },
      work: (signal) => updateBaselines(knex, clock.nowMs(), signal),
    }),
  ];
  return { close: async () => void (await Promise.all(jobs.map((job) => job.close()))) };
}
