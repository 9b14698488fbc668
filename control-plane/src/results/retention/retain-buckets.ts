/** Creates the tables of rollups of five minutes, and removes those that nothing is counted from. */
import { DAY_MS } from "@svc/contract";
import type { Knex } from "knex";
import {
  divideByDay,
  ensureRollupDays,
  forgetBucketsBefore,
  hasBucketsIn,
  readBucketsFrom,
  removeBuckets,
} from "../rollups/days-store.ts";
import { dayOf, readOldestDay } from "./partitions.ts";

/** Days before today whose five minutes stay where older ones are counted from results. */
const KEPT_DAYS = 1;
/** The longest window of an SLO: nothing reaches further back that begins within an hour. */
const WINDOW_DAYS_MAX = 30;
/** Days ahead for which there are tables, so that a database in which none can be created for a while stops nothing. */
const DAYS_AHEAD = 2;

/**
 * Divides the rollups of five minutes by the day, and removes those of days that are counted from results. A day is removed by the run
 * after the one that says so, when whoever counts goes by it.
 */
export async function retainBuckets(
  knex: Knex,
  nowMs: number,
  { retentionDays }: { retentionDays: number },
): Promise<void> {
  const todayMs = dayOf(nowMs);
  const bucketsFromMs = await readBucketsFrom(knex);
  if (bucketsFromMs > 0) {
    await divideByDay(knex, { fromMs: bucketsFromMs, toMs: todayMs });
    await ensureRollupDays(knex, { fromMs: bucketsFromMs, toMs: todayMs + DAYS_AHEAD * DAY_MS });
    await removeBuckets(knex, bucketsFromMs);
  }
  const windowFromMs = todayMs - WINDOW_DAYS_MAX * DAY_MS;
  // Results may have been kept for a shorter time until now, so that five minutes are all that is left of some days.
  const counted =
    retentionDays >= WINDOW_DAYS_MAX && !(await hasBucketsIn(knex, windowFromMs, await readOldestDay(knex)));
  await forgetBucketsBefore(knex, counted ? todayMs - KEPT_DAYS * DAY_MS : windowFromMs - DAY_MS);
}
