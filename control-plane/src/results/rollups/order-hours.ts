/**
 * Puts the hours of each day in the order of check, location and hour. They are computed hour by hour for all checks, so that the
 * 720 hours of a check's month would lie on as many pages; in order they lie on as many as they fill.
 */
import { DAY_MS, HOUR_MS } from "@svc/contract";
import type { Knex } from "knex";
import { monotonicMs } from "../../platform/clock.ts";
import { dayOf } from "../retention/partitions.ts";
import { moveHours, readOrderedUntil, saveOrderedUntil } from "./order-store.ts";

/** Time from a day's end until its hours are put in order: most late results have come, and the merge of results is over. */
const ORDER_AFTER_MS = 3 * HOUR_MS;
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

/**
 * Puts the hours of all days in order that ended a while ago and are not in order yet. A day that was interrupted is begun again.
 * @param nowMs Unix ms, by the database's clock
 */
export async function orderHours(knex: Knex, nowMs: number, options: OrderOptions = {}): Promise<void> {
  const doneUntilMs = await readOrderedUntil(knex);
  for (
    let dayMs = doneUntilMs ?? dayOf(nowMs) - FIRST_DAYS * DAY_MS;
    dayMs + DAY_MS + ORDER_AFTER_MS <= nowMs;
    dayMs += DAY_MS
  ) {
    if (!(await orderDay(knex, { ...options, dayMs, nowMs }))) return;
    await saveOrderedUntil(knex, dayMs + DAY_MS);
  }
}

/** @returns false: it was cut short */
async function orderDay(
  knex: Knex,
  {
    dayMs,
    nowMs,
    signal,
    rest,
    checksAtOnce = CHECKS_AT_ONCE,
  }: OrderOptions & { dayMs: number; nowMs: number },
): Promise<boolean> {
  for (let afterKey: number | undefined = 0; afterKey !== undefined; ) {
    if (signal?.aborted) return false;
    const startedAtMs = monotonicMs();
    afterKey = await moveHours(knex, { dayMs, nowMs, afterKey, checksAtOnce });
    await rest?.(monotonicMs() - startedAtMs);
  }
  return true;
}
