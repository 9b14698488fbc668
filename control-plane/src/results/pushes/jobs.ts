/** Finds the reports that did not come. Safe on any number of replicas: each row is held while it is judged. */
import { HOUR_MS, SECOND_MS } from "@svc/contract";
import { type BackgroundJob, startBackgroundJob } from "../../platform/background.ts";
import { ADVISORY_LOCKS } from "../../platform/db/advisory-locks.ts";
import { retainedFrom } from "../retention/retain.ts";
import { ATTENDANCE_INTERVAL_MS, Attendance } from "./attendance.ts";
import { deliverLeftOutcomes, type PushParts } from "./deliver-outcomes.ts";
import { judgeOverdue } from "./judge-report.ts";
import { insertOutcome, lockOverdueChecks, readOutageEnd, updateExpectation } from "./store.ts";

const INTERVAL_MS = 5 * SECOND_MS;
/** Checks that one transaction judges. */
const CHECKS_MAX = 100;

/**
 * Starts the job that stores overdue reports as failures every five seconds, on one replica at a time, and the one by which every
 * replica notes that it is there for reports.
 */
export function startPushJob(parts: PushParts): BackgroundJob {
  const { knex, log } = parts.services;
  const attendance = new Attendance(parts);
  const attending = startBackgroundJob({
    name: "attendance of reports",
    intervalMs: ATTENDANCE_INTERVAL_MS,
    knex,
    log,
    work: async () => {
      await attendance.note();
    },
  });
  const judging = startBackgroundJob({
    name: "overdue reports",
    intervalMs: INTERVAL_MS,
    lockKey: ADVISORY_LOCKS.pushes,
    knex,
    log,
    work: async (signal) => {
      const nowMs = await attendance.note();
      if (nowMs !== undefined) await findOverdue(parts, { nowMs, signal });
      await deliverLeftOutcomes(parts, signal);
    },
  });
  return {
    close: async () => {
      await Promise.all([judging.close(), attending.close()]);
      await attendance.close();
    },
  };
}

/** Returns the instant from which a result that is written now is kept until it is stored, which may take a while. */
function keptFrom(nowMs: number, retentionDays: number): number {
  return retainedFrom(nowMs + HOUR_MS, retentionDays);
}

/**
 * Judges every check whose report is overdue at an instant (Unix ms), until none is: one that missed several instants has a failure for each. Safe to
 * repeat, and beside another replica's call.
 */
export async function findOverdue(
  { services: { knex, config } }: PushParts,
  { nowMs, signal }: { nowMs: number; signal: AbortSignal },
): Promise<void> {
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
