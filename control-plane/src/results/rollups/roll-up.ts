/**
 * Computes rollups from closed buckets. A bucket is computed once it has settled. Results that come later mark it in their
 * own transaction; it is then computed again and its marks are removed in one transaction. So every committed result is
 * counted exactly once in the end.
 */
import { DAY_MS, HOUR_MS } from "@svc/contract";
import type { Knex } from "knex";
import { untilSettled } from "../../platform/db/settled.ts";
import { readDroppedUntil } from "../retention/dropped-store.ts";
import { dayOf } from "../retention/partitions.ts";
import { BUCKET_MS, bucketOf, hourOf } from "./buckets.ts";
import { readBucketsFrom } from "./days-store.ts";
import {
  clearDirtyMarks,
  computeBuckets,
  computeHour,
  lockProgress,
  readDirtyBuckets,
  saveProgress,
} from "./store.ts";
import { countBuckets, countHours, isCounting } from "./threshold-store.ts";
import { SETTLE_MS, STATEMENT_TIMEOUT } from "./timing.ts";

const DIRTY_BUCKETS_AT_ONCE = 100;

/**
 * Computes all buckets that are closed or marked.
 * @param nowMs Unix ms, by the database's clock
 */
export async function rollUp(knex: Knex, nowMs: number, signal?: AbortSignal): Promise<void> {
  await untilSettled(knex);
  const closedUntilMs = bucketOf(nowMs - SETTLE_MS);
  let doneUntilMs = await rollUpNext(knex, nowMs, closedUntilMs);
  while (doneUntilMs < closedUntilMs && !signal?.aborted)
    doneUntilMs = await rollUpNext(knex, nowMs, closedUntilMs);
  for (;;) {
    const dirty = await readDirtyBuckets(knex, doneUntilMs, DIRTY_BUCKETS_AT_ONCE);
    if (dirty.length === 0 || signal?.aborted) return;
    for (const hour of groupByHour(dirty)) await rollUpAgain(knex, nowMs, hour);
  }
}

/**
 * Computes closed buckets up to the end of their hour.
 * @returns the end of the last computed bucket, Unix ms
 */
async function rollUpNext(knex: Knex, nowMs: number, closedUntilMs: number): Promise<number> {
  return knex.transaction(async (trx) => {
    await trx.raw(`SET LOCAL statement_timeout = '${STATEMENT_TIMEOUT}'`);
    // Results older than yesterday can only come late, and then they mark their bucket.
    const fromMs = await lockProgress(trx, dayOf(nowMs) - DAY_MS);
    const toMs = Math.min(closedUntilMs, hourOf(fromMs) + HOUR_MS);
    if (toMs <= fromMs) return fromMs;
    await computeBuckets(trx, fromMs, toMs);
    const counts = await isCounting(trx);
    if (counts) await countBuckets(trx, { fromMs, toMs });
    if (toMs % HOUR_MS === 0) {
      await computeHour(trx, hourOf(fromMs));
      if (counts) await countHours(trx, { fromMs: hourOf(fromMs), toMs });
    }
    await saveProgress(trx, toMs);
    return toMs;
  });
}

/** Computes marked buckets of one hour again, and the hour when it is complete. */
async function rollUpAgain(knex: Knex, nowMs: number, bucketsMs: readonly number[]): Promise<void> {
  await knex.transaction(async (trx) => {
    await trx.raw(`SET LOCAL statement_timeout = '${STATEMENT_TIMEOUT}'`);
    const doneUntilMs = await lockProgress(trx, dayOf(nowMs) - DAY_MS);
    const counts = await isCounting(trx);
    const bucketsFromMs = await readBucketsFrom(trx);
    const droppedUntilMs = (await readDroppedUntil(trx)) ?? 0;
    for (const bucketMs of bucketsMs) {
      await clearDirtyMarks(trx, bucketMs);
      // A late result of a day whose others were dropped would replace their counts.
      if (bucketMs < droppedUntilMs) continue;
      if (bucketMs >= bucketsFromMs) await computeBuckets(trx, bucketMs, bucketMs + BUCKET_MS);
      if (counts) await countBuckets(trx, { fromMs: bucketMs, toMs: bucketMs + BUCKET_MS });
    }
    const hourMs = hourOf(bucketsMs[0] ?? 0);
    if (hourMs + HOUR_MS > doneUntilMs || hourMs < droppedUntilMs) return;
    await computeHour(trx, hourMs);
    if (counts) await countHours(trx, { fromMs: hourMs, toMs: hourMs + HOUR_MS });
  });
}

function groupByHour(bucketsMs: readonly number[]): number[][] {
  const hours = new Map<number, number[]>();
  for (const bucketMs of bucketsMs) {
    const hour = hours.get(hourOf(bucketMs)) ?? [];
    hour.push(bucketMs);
    hours.set(hourOf(bucketMs), hour);
  }
  return [...hours.values()];
}
