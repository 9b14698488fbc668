/**
 * Counts successes within the response time thresholds of performance SLOs, beside the rollups. A new threshold is counted
 * with each new bucket, and backwards day by day over the results that are kept; SLOs read days that are not counted yet
 * from the results themselves. Each step holds the rollups' lock, so that no bucket is computed in between.
 */
import { DAY_MS, HOUR_MS } from "@svc/contract";
import type { Knex } from "knex";
import { dayOf, readOldestDay } from "../retention/partitions.ts";
import { hourOf } from "./buckets.ts";
import { lockProgress } from "./store.ts";
import {
  countBuckets,
  countHours,
  findIncomplete,
  matchThresholds,
  saveCountedFrom,
} from "./threshold-store.ts";
import { STATEMENT_TIMEOUT } from "./timing.ts";

/**
 * Counts all that the SLOs need. Harmless to repeat.
 * @param nowMs Unix ms, by the database's clock
 */
export async function countThresholds(knex: Knex, nowMs: number, signal?: AbortSignal): Promise<void> {
  await knex.transaction(async (trx) => {
    await lockProgress(trx, dayOf(nowMs) - DAY_MS);
    await matchThresholds(trx);
  });
  while (!signal?.aborted && (await countOneDay(knex, nowMs)));
}

/**
 * Counts one more day of one threshold.
 * @returns false when there was nothing to count
 */
async function countOneDay(knex: Knex, nowMs: number): Promise<boolean> {
  return knex.transaction(async (trx) => {
    await trx.raw(`SET LOCAL statement_timeout = '${STATEMENT_TIMEOUT}'`);
    const doneUntilMs = await lockProgress(trx, dayOf(nowMs) - DAY_MS);
    const threshold = await findIncomplete(trx);
    if (!threshold) return false;
    const toMs = threshold.countedFromMs ?? doneUntilMs;
    const fromMs = dayOf(toMs - 1);
    await saveCountedFrom(trx, threshold, { countedFromMs: toMs, isComplete: false });
    await countBuckets(trx, { fromMs, toMs, only: threshold });
    const toHourMs = Math.min(hourOf(toMs - 1) + HOUR_MS, hourOf(doneUntilMs));
    await countHours(trx, { fromMs, toMs: toHourMs, only: threshold });
    // Read last, so that a day that was dropped meanwhile does not count as counted.
    const oldestDayMs = await readOldestDay(trx);
    if (fromMs < oldestDayMs)
      await saveCountedFrom(trx, threshold, { countedFromMs: toMs, isComplete: true });
    else await saveCountedFrom(trx, threshold, { countedFromMs: fromMs, isComplete: fromMs === oldestDayMs });
    return true;
  });
}
