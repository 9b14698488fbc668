/** Creates the tables of rollups of five minutes, and removes those that nothing is counted from. */
import { DAY_MS } from "@svc/contract";
import type { Knex } from "knex";
import {
  divideByDay,
  ensureRollupDays,
  forgetBucketsBefore,
  hasOtherBuckets,
  readBucketsFrom,
  readCut,
  removeBuckets,
} from "../rollups/days-store.ts";
import { readDoneUntil } from "../rollups/store.ts";
import { readDroppedUntil } from "./dropped-store.ts";
import { dayOf } from "./partitions.ts";

/** Days before today whose five minutes are counted where older ones are counted from results. */
const COUNTED_DAYS = 1;
/** The longest window of an SLO: nothing reaches further back that begins within an hour. */
const WINDOW_DAYS_MAX = 30;
/** Days ahead for which there are tables. */
const DAYS_AHEAD = 3;
/**
 * Days from an upgrade on in which all rows stay where they were: a release before that comes back finds what it counts from. There are
 * tables for so many days after that that none is missing until these rows are gone, 33 days later where results are kept for a shorter time.
 */
const SETTLED_DAYS = 14;
const DAYS_AHEAD_OF_BEFORE = 45;

/**
 * Divides the rollups of five minutes by the day, and removes those of days that are counted from results. A failure of one step
 * leaves the others their turn.
 * @param nowMs Unix ms, by the database's clock
 * @throws Error of the first step that failed
 */
export async function retainBuckets(knex: Knex, nowMs: number): Promise<void> {
  const todayMs = dayOf(nowMs);
  const errors: unknown[] = [];
  for (const step of [divide, createDays, remove, forget])
    await step(knex, todayMs).catch((error) => errors.push(error));
  if (errors.length > 0) throw errors[0];
}

async function divide(knex: Knex, todayMs: number): Promise<void> {
  if ((await readCut(knex)) !== undefined) return;
  const hasRows = await hasOtherBuckets(knex);
  const cutMs = todayMs + (hasRows ? SETTLED_DAYS : 1) * DAY_MS;
  await divideByDay(knex, { cutMs, untilMs: cutMs + (hasRows ? DAYS_AHEAD_OF_BEFORE : DAYS_AHEAD) * DAY_MS });
}

function createDays(knex: Knex, todayMs: number): Promise<void> {
  return ensureRollupDays(knex, todayMs + DAY_MS, todayMs + DAYS_AHEAD * DAY_MS);
}

async function forget(knex: Knex, todayMs: number): Promise<void> {
  const [cutMs, doneUntilMs, droppedUntilMs] = [
    await readCut(knex),
    await readDoneUntil(knex),
    await readDroppedUntil(knex),
  ];
  if (cutMs === undefined || doneUntilMs === undefined || droppedUntilMs === undefined) return;
  const windowFromMs = todayMs - WINDOW_DAYS_MAX * DAY_MS;
  // Of days whose results are gone, or were until the setting was changed, five minutes are all there is.
  const isCounted = droppedUntilMs <= windowFromMs;
  const keptFromMs = isCounted ? todayMs - COUNTED_DAYS * DAY_MS : windowFromMs - DAY_MS;
  const dayMs = Math.min(keptFromMs, dayOf(doneUntilMs) - DAY_MS);
  if (dayMs >= cutMs) await forgetBucketsBefore(knex, dayMs);
}

async function remove(knex: Knex): Promise<void> {
  const bucketsFromMs = await readBucketsFrom(knex);
  // A day stays for one day more, and what was said by an earlier run counts, for whoever has read before that it is counted.
  if (bucketsFromMs > 0) await removeBuckets(knex, bucketsFromMs - DAY_MS);
}
