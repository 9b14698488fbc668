/** Finds the reports that did not come. Safe on any number of replicas: each row is held while it is judged. */
import { HOUR_MS, SECOND_MS } from "@svc/contract";
import { type BackgroundJob, startBackgroundJob } from "../../platform/background.ts";
import { ADVISORY_LOCKS } from "../../platform/db/advisory-locks.ts";
import { retainedFrom } from "../retention/retain.ts";
import { deliverLeftOutcomes, type PushParts } from "./deliver-outcomes.ts";
import { judgeOverdue } from "./judge-report.ts";
import {
  insertOutcome,
  lockChecksExpectedWithin,
  lockOverdueChecks,
  readLastTurn,
  readOutageEnd,
  saveTurn,
  updateExpectation,
} from "./store.ts";

const INTERVAL_MS = 5 * SECOND_MS;
/** Shortest time without a turn after which the service counts as having been away. */
const ABSENCE_MS_MIN = 60 * SECOND_MS;
/** Checks that one transaction judges. */
const CHECKS_MAX = 100;

/** Starts the job that stores overdue reports as failures every five seconds, on one replica at a time. */
export function startPushJob(parts: PushParts): BackgroundJob {
  const { knex, log } = parts.services;
  return startBackgroundJob({
    name: "overdue reports",
    intervalMs: INTERVAL_MS,
    lockKey: ADVISORY_LOCKS.pushes,
    knex,
    log,
    work: async (signal) => {
      await restartAfterAbsence(parts, signal);
      await findOverdue(parts, signal);
      await deliverLeftOutcomes(parts, signal);
    },
  });
}

/** Returns the instant from which a result that is written now is kept until it is stored, which may take a while. */
function keptFrom(nowMs: number, retentionDays: number): number {
  return retainedFrom(nowMs + HOUR_MS, retentionDays);
}

/**
 * Expects reports anew that were to come while no replica was there to receive them, since the whole service was stopped. A turn
 * comes every few seconds, so a long time without one tells that. Notes this turn.
 */
export async function restartAfterAbsence(
  { services: { knex, clock, config } }: PushParts,
  signal: AbortSignal,
): Promise<void> {
  const nowMs = clock.nowMs();
  const retainedFromMs = keptFrom(nowMs, config.retentionDays);
  const fromMs = (await readLastTurn(knex)) ?? nowMs;
  for (let judged = CHECKS_MAX; nowMs - fromMs > ABSENCE_MS_MIN && judged > 0 && !signal.aborted; )
    judged = await knex.transaction(async (trx) => {
      const rows = await lockChecksExpectedWithin(trx, { fromMs, toMs: nowMs, rowsMax: CHECKS_MAX });
      for (const row of rows)
        await updateExpectation(
          trx,
          row.checkKey,
          judgeOverdue(row, { nowMs, outageEndMs: nowMs, retainedFromMs }).patch,
        );
      return rows.length;
    });
  if (!signal.aborted) await saveTurn(knex, nowMs);
}

/**
 * Judges every check whose report is overdue, until none is: one that missed several instants has a failure for each. Safe to
 * repeat, and beside another replica's call.
 */
export async function findOverdue(
  { services: { knex, clock, config } }: PushParts,
  signal: AbortSignal,
): Promise<void> {
  const nowMs = clock.nowMs();
  const retainedFromMs = keptFrom(nowMs, config.retentionDays);
  for (let judged = CHECKS_MAX; judged > 0 && !signal.aborted; )
    judged = await knex.transaction(async (trx) => {
      const rows = await lockOverdueChecks(trx, { nowMs, rowsMax: CHECKS_MAX });
      for (const row of rows) {
        const graceMs = row.overdueMs - row.expectedMs;
        const outageEndMs = await readOutageEnd(trx, {
          fromMs: row.expectedMs - graceMs,
          toMs: row.overdueMs,
        });
        const { patch, outcome } = judgeOverdue(row, { nowMs, outageEndMs, retainedFromMs });
        if (outcome) await insertOutcome(trx, outcome);
        await updateExpectation(trx, row.checkKey, patch);
      }
      return rows.length;
    });
}
