/**
 * Puts the hours of each day in the order of check, location and hour. They are computed hour by hour for all checks, so that the
 * 720 hours of a check's month would lie on as many pages; in order they lie on as many as they fill. The parts of a day are put
 * in order while the day lasts, and once more with the day, since a month of parts lies on three times as many pages.
 */
import { DAY_MS, HOUR_MS } from "@svc/contract";
import type { Knex } from "knex";
import { monotonicMs } from "../../platform/clock.ts";
import { dayOf, PART_MS } from "../retention/partitions.ts";
import { moveHours, readOrderedUntil, saveOrderedUntil } from "./order-store.ts";
import { readDoneUntil } from "./store.ts";

/** Time from the end of a part of a day until its hours are put in order; those that come again by late results are moved with the day. */
const PART_AFTER_MS = HOUR_MS;
/** Time from a day's end until its hours are put in order: most late results have come, and the merge of results is over. */
const DAY_AFTER_MS = 3 * HOUR_MS;
/** Days before today with which the first run begins: the longest window of an SLO, and one day more. */
const FIRST_DAYS = 31;
/** Checks whose rows one transaction moves: a fraction of a second, since a rollup and a deletion of these checks wait for it. */
const CHECKS_AT_ONCE = 200;

/** How the work is gone about. */
export interface OrderOptions {
  signal?: AbortSignal | undefined;
  /** Rests for as long as the work before took, ms, so that it takes half of a core at most; absent: no rest. */
  rest?: ((ms: number) => Promise<void>) | undefined;
  checksAtOnce?: number;
}

/** A day, or a part of one: Unix ms, the end is excluded. */
interface Stretch {
  fromMs: number;
  toMs: number;
}

/**
 * Puts the hours of all days and parts in order that ended a while ago, are computed and are not in order yet. A stretch that was
 * interrupted is begun again.
 * @param nowMs Unix ms, by the database's clock
 */
export async function orderHours(knex: Knex, nowMs: number, options: OrderOptions = {}): Promise<void> {
  const computedUntilMs = await readDoneUntil(knex);
  if (computedUntilMs === undefined) return;
  let orderedUntilMs = (await readOrderedUntil(knex)) ?? dayOf(nowMs) - FIRST_DAYS * DAY_MS;
  for (;;) {
    const stretch = nextStretch({ orderedUntilMs, computedUntilMs, nowMs });
    if (!stretch || !(await orderStretch(knex, stretch, { ...options, nowMs }))) return;
    orderedUntilMs = stretch.toMs;
    await saveOrderedUntil(knex, orderedUntilMs);
  }
}

/**
 * Returns the day in which `orderedUntilMs` lies when it is due, else the part that begins there when that is; undefined: neither
 * is. The last part of a day is only moved with the day. A release that knows no parts goes on from the stored instant by 24
 * hours at a time, which leaves no hour out either.
 */
export function nextStretch({
  orderedUntilMs,
  computedUntilMs,
  nowMs,
}: {
  orderedUntilMs: number;
  computedUntilMs: number;
  nowMs: number;
}): Stretch | undefined {
  const day = { fromMs: dayOf(orderedUntilMs), toMs: dayOf(orderedUntilMs) + DAY_MS };
  if (day.toMs <= Math.min(computedUntilMs, nowMs - DAY_AFTER_MS)) return day;
  const part = { fromMs: orderedUntilMs, toMs: orderedUntilMs + PART_MS };
  const isDue = part.toMs <= Math.min(computedUntilMs, nowMs - PART_AFTER_MS);
  return isDue && part.toMs < day.toMs ? part : undefined;
}

/** @returns false: it was cut short */
async function orderStretch(
  knex: Knex,
  stretch: Stretch,
  { nowMs, signal, rest, checksAtOnce = CHECKS_AT_ONCE }: OrderOptions & { nowMs: number },
): Promise<boolean> {
  for (let afterKey: number | undefined = 0; afterKey !== undefined; ) {
    if (signal?.aborted) return false;
    const startedAtMs = monotonicMs();
    afterKey = await moveHours(knex, { ...stretch, nowMs, afterKey, checksAtOnce });
    await rest?.(monotonicMs() - startedAtMs);
  }
  return true;
}
