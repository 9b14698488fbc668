/**
 * Which thresholds of response time are counted beside the rollups follows the performance SLOs. A new one is counted from
 * then on with each bucket, and backwards day by day over the results that are kept; what is not counted yet is read from
 * the results themselves. Each step holds the rollups' lock, so that no bucket is computed in between.
 */
import { DAY_MS, HOUR_MS } from "@svc/contract";
import type { Knex } from "knex";
import { dayOf, dayOfPartition, listPartitions } from "../retention/partitions.ts";
import { hourOf } from "./buckets.ts";
import { STATEMENT_TIMEOUT } from "./roll-up.ts";
import { lockProgress } from "./store.ts";
import {
  countBuckets,
  countHours,
  findIncomplete,
  matchThresholds,
  saveCountedFrom,
} from "./threshold-store.ts";

/** Brings the counts up to what the SLOs ask for. Harmless to repeat. @param nowMs database's clock */
export async function countThresholds(knex: Knex, nowMs: number, signal?: AbortSignal): Promise<void> {
  await knex.transaction(async (trx) => {
    await lockProgress(trx, dayOf(nowMs) - DAY_MS);
    await matchThresholds(trx);
  });
  while (!signal?.aborted && (await countOneDay(knex, nowMs)));
}

/** @returns false when there was nothing to count */
async function countOneDay(knex: Knex, nowMs: number): Promise<boolean> {
  return knex.transaction(async (trx) => {
    await trx.raw(`SET LOCAL statement_timeout = '${STATEMENT_TIMEOUT}'`);
    const doneUntilMs = await lockProgress(trx, dayOf(nowMs) - DAY_MS);
    const threshold = await findIncomplete(trx);
    if (!threshold) return false;
    const toMs = threshold.countedFromMs ?? doneUntilMs;
    const fromMs = dayOf(toMs - 1);
    await saveCountedFrom(trx, threshold, toMs, false);
    await countBuckets(trx, fromMs, toMs, threshold);
    await countHours(trx, fromMs, Math.min(hourOf(toMs - 1) + HOUR_MS, hourOf(doneUntilMs)), threshold);
    // Looked at last: a day that was dropped meanwhile was not counted, and stays without counts.
    const oldestDayMs = await oldestDay(trx);
    if (fromMs < oldestDayMs) await saveCountedFrom(trx, threshold, toMs, true);
    else await saveCountedFrom(trx, threshold, fromMs, fromMs === oldestDayMs);
    return true;
  });
}

/** First instant of the oldest day whose results are kept; infinite: none are. */
async function oldestDay(trx: Knex): Promise<number> {
  const days = (await listPartitions(trx))
    .map((name) => dayOfPartition(name))
    .filter((day) => day !== undefined);
  return Math.min(...days);
}
