/** The days of a component: what was measured of each, and how much was not. Pure, but for the reads that are handed in. */
import { setImmediate as nextTurn } from "node:timers/promises";
import { DAY_MS, groupBy, STATUS_DAYS, type StatusDay } from "@svc/contract";
import type { Knex } from "knex";
import { readRolledUpUntil, readSchedulesOfChecks } from "../../overview/team-slots-store.ts";
import { expectedSlots, type SlotSpan } from "../../results/coverage/expected-slots.ts";
import type { ComponentCheck } from "../pages/store.ts";
import { readDayCounts } from "./standing-store.ts";

/** Share of good results from which a day is operational, and from which it is degraded, in percent. */
const OPERATIONAL_PERCENT = 99;
const DEGRADED_PERCENT = 90;
/** Checks whose slots are counted in one turn of the event loop. */
const CHECKS_AT_ONCE = 20;

/** Figures of a check on one day: results, good ones of them, and runs that were due. */
export interface DayFigures {
  good: number;
  total: number;
  expected: number;
}

/** Days of checks, by the keys of the checks; the oldest first, today last. */
export type DaysOfChecks = Map<number, DayFigures[]>;

/** Returns the begin of the first day that a page shows at an instant. Unix ms. */
export function firstDayMs(nowMs: number): number {
  return Math.floor(nowMs / DAY_MS) * DAY_MS - (STATUS_DAYS - 1) * DAY_MS;
}

/** Reads the days of checks up to an instant. What is not rolled up yet, some minutes, counts as not due. */
export async function readDays(
  db: Knex,
  checks: readonly Pick<ComponentCheck, "key" | "id">[],
  nowMs: number,
): Promise<DaysOfChecks> {
  const days: DaysOfChecks = new Map();
  if (checks.length === 0) return days;
  const fromMs = firstDayMs(nowMs);
  const untilMs = Math.max(fromMs, Math.min(nowMs, await readRolledUpUntil(db)));
  const keys = checks.map(({ key }) => key);
  const counts = groupBy(await readDayCounts(db, keys, { fromMs, untilMs }), ({ checkKey }) => checkKey);
  const schedules = groupBy(
    await readSchedulesOfChecks(db, keys, { fromMs, toMs: untilMs }),
    ({ checkKey }) => checkKey,
  );
  for (const [index, { key, id }] of checks.entries()) {
    const figures = Array.from(
      { length: STATUS_DAYS },
      (): DayFigures => ({ good: 0, total: 0, expected: 0 }),
    );
    for (const { dayMs, good, total } of counts.get(key) ?? [])
      Object.assign(figures[(dayMs - fromMs) / DAY_MS] ?? {}, { good, total });
    addExpected(figures, expectedSlots(id, schedules.get(key) ?? [], { fromMs, toMs: untilMs }), fromMs);
    days.set(key, figures);
    if (index % CHECKS_AT_ONCE === CHECKS_AT_ONCE - 1) await nextTurn();
  }
  return days;
}

/** Adds the slots of the spans to the days in which they lie. */
function addExpected(figures: readonly DayFigures[], spans: readonly SlotSpan[], fromMs: number): void {
  for (const { firstSlotMs, lastSlotMs, periodMs } of spans) {
    const firstDay = Math.max(0, Math.floor((firstSlotMs - fromMs) / DAY_MS));
    for (let day = firstDay; day < figures.length; day++) {
      const dayMs = fromMs + day * DAY_MS;
      if (dayMs > lastSlotMs) break;
      const first = Math.max(0, Math.ceil((dayMs - firstSlotMs) / periodMs));
      const last = Math.min(
        (lastSlotMs - firstSlotMs) / periodMs,
        Math.ceil((dayMs + DAY_MS - firstSlotMs) / periodMs) - 1,
      );
      const figure = figures[day];
      if (figure) figure.expected += Math.max(0, last - first + 1);
    }
  }
}

/** Returns the days of a component from those of its checks, and the share of good results over all of them. */
export function daysOfComponent(
  checks: readonly (readonly DayFigures[])[],
  firstMs: number,
): { days: StatusDay[]; goodPercent: number | null } {
  const all = { good: 0, total: 0 };
  const days = Array.from({ length: STATUS_DAYS }, (_, day): StatusDay => {
    let [good, total, expected, measured] = [0, 0, 0, 0];
    for (const figures of checks) {
      const one = figures[day];
      if (!one) continue;
      good += one.good;
      total += one.total;
      expected += one.expected;
      // Triggered runs of a check make up for no slot that it missed.
      measured += Math.min(one.total, one.expected);
    }
    all.good += good;
    all.total += total;
    const goodPercent = percentOf(good, total);
    return {
      date: new Date(firstMs + day * DAY_MS).toISOString().slice(0, 10),
      state: stateOfDay(goodPercent),
      goodPercent,
      measuredPercent: percentOf(measured, expected),
    };
  });
  return { days, goodPercent: percentOf(all.good, all.total) };
}

function stateOfDay(goodPercent: number | null): StatusDay["state"] {
  if (goodPercent === null) return "unmeasured";
  if (goodPercent >= OPERATIONAL_PERCENT) return "operational";
  return goodPercent >= DEGRADED_PERCENT ? "degraded" : "outage";
}

/** Returns a share in percent with two decimals, rounded down: 100 means all. null when there is nothing to share. */
function percentOf(part: number, whole: number): number | null {
  return whole === 0 ? null : Math.floor((part / whole) * 10_000) / 100;
}
