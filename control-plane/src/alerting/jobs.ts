/** The background jobs of alerting; each runs on one replica at a time. */

import { HOLD_REASONS, type HoldReason, MINUTE_MS, SECOND_MS } from "@svc/contract";
import { type BackgroundJob, startBackgroundJob } from "../platform/background.ts";
import { monotonicMs } from "../platform/clock.ts";
import { ADVISORY_LOCKS } from "../platform/db/advisory-locks.ts";
import type { Services } from "../platform/services.ts";
import { updateBaselines } from "./baselines/update-baselines.ts";
import { evaluateBetweenResults } from "./evaluation/evaluate-between-results.ts";
import type { AlertEvaluator } from "./evaluation/evaluator.ts";
import { reviewHolds } from "./holds/review-holds.ts";
import { endMutes } from "./instances/end-mutes.ts";
import { postgresMuteStore } from "./instances/mute-store.ts";
import { resolveOutOfService } from "./instances/resolve-out-of-service.ts";

const EVALUATION_INTERVAL_MS = 15 * SECOND_MS;
/**
 * Time after a start in which runners deliver results that they kept during the outage, before a slot counts as
 * missed.
 */
const SETTLE_AFTER_START_MS = MINUTE_MS;
const MUTES_INTERVAL_MS = 2 * SECOND_MS;
/**
 * How often held alerts are reviewed, by the reason: those of a location depend on outages, which are judged as often, and on results, of which
 * very many are read for each.
 */
const REVIEW_INTERVALS_MS: Readonly<Record<HoldReason, number>> = {
  dependency: SECOND_MS,
  location: 5 * SECOND_MS,
};
const REVIEW_LOCKS = {
  dependency: ADVISORY_LOCKS.heldAlerts,
  location: ADVISORY_LOCKS.alertsHeldByLocations,
} as const satisfies Record<HoldReason, number>;
const BASELINES_INTERVAL_MS = MINUTE_MS;

/** Starts the evaluation between results, the end of mutes and holds, and the update of baselines. */
export function startAlertJobs({ knex, log, clock }: Services, evaluator: AlertEvaluator): BackgroundJob {
  const startedAtMs = monotonicMs();
  const mutes = postgresMuteStore(knex);
  const jobs = [
    startBackgroundJob({
      name: "alerts between results",
      intervalMs: EVALUATION_INTERVAL_MS,
      lockKey: ADVISORY_LOCKS.alertsBetweenResults,
      knex,
      log,
      work: async (signal) => {
        if (monotonicMs() - startedAtMs < SETTLE_AFTER_START_MS) return;
        await resolveOutOfService(knex, clock.nowMs(), { signal });
        await evaluateBetweenResults(knex, evaluator, { signal });
        await evaluator.evaluateSlosNow(knex, signal);
      },
    }),
    startBackgroundJob({
      name: "end of mutes",
      intervalMs: MUTES_INTERVAL_MS,
      lockKey: ADVISORY_LOCKS.alertMutes,
      knex,
      log,
      work: () => endMutes(mutes, clock.nowMs()),
    }),
    ...HOLD_REASONS.map((reason) =>
      startBackgroundJob({
        name: `alerts held by ${reason}`,
        intervalMs: REVIEW_INTERVALS_MS[reason],
        lockKey: REVIEW_LOCKS[reason],
        knex,
        log,
        work: () => reviewHolds(knex, clock.nowMs(), { reasons: [reason] }),
      }),
    ),
    startBackgroundJob({
      name: "baselines",
      intervalMs: BASELINES_INTERVAL_MS,
      lockKey: ADVISORY_LOCKS.baselines,
      knex,
      log,
      work: (signal) => updateBaselines(knex, clock.nowMs(), signal),
    }),
  ];
  return { close: async () => void (await Promise.all(jobs.map((job) => job.close()))) };
}
