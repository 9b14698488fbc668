/**
 * Counts the days of reports. A day is counted once, some hours after its end, and again with the days after it, so that results that
 * come late are in. It reads rollups where SLOs do, by the same functions, and what it stores outlives results, schedules and checks.
 * Every step replaces what is there: a job that ends half-way, or works beside another replica's, does no harm.
 */
import { setImmediate as nextTurn } from "node:timers/promises";
import { DAY_MS, groupBy, HOUR_MS } from "@svc/contract";
import type { Knex } from "knex";
import { countResults } from "../../alerting/slos/count-results.ts";
import { countSlos } from "../../alerting/slos/count-slos.ts";
import { NO_COUNTS, type ResultCounts } from "../../alerting/slos/result-counts.ts";
import { type Span, without } from "../../alerting/slos/span-pieces.ts";
import { heldSpans } from "../../checks/maintenance/held-store.ts";
import { GRACE_MS } from "../../fleet/timing.ts";
import {
  dispatchedSlots,
  expectedSlots,
  type ScheduleInForce,
  type SlotSpan,
  slotsWithin,
  spansWithin,
} from "../../results/coverage/expected-slots.ts";
import { dayOf } from "../../results/retention/partitions.ts";
import { retainedFrom, rollupsRetainedFrom } from "../../results/retention/retain.ts";
import { readDispatchedRunsOfChecks, readRolledUpUntil, readSchedulesOfChecks } from "../team-slots-store.ts";
import {
  type CheckToCount,
  type CountedCheck,
  countRecordedReasons,
  forgetReportsBefore,
  readChecksToCount,
  readCountedUntil,
  readSlosToCount,
  saveCountedUntil,
  storeCheckDays,
  storeCountedDay,
  storeSloDays,
} from "./count-store.ts";
import type { Counts } from "./figures.ts";
import { countReasons, type DayToExplain } from "./missing-reasons.ts";
import { bitOfDay, monthOf, rangeOfMonth } from "./month.ts";

/** Time from the end of a day to its first count. */
export const COUNTED_AFTER_MS = 3 * HOUR_MS;
/** Days before the one that is counted for the first time that are counted again. */
const RECOUNTED_DAYS = 2;
/** Checks, and SLOs, that are counted by one set of statements. */
const CHECKS_AT_ONCE = 500;
const SLOS_AT_ONCE = 50;
/** Checks whose slots are counted in one turn of the event loop. */
const CHECKS_IN_TURN = 25;
/** Most missing slots of a day that are explained one by one; the reasons of the others are not looked up. */
const EXPLAINED_OF_DAY_MAX = 1_000_000;

/** How long what reports are made of, and reports themselves, are kept. */
export interface CountSettings {
  retentionDays: number;
  rollupRetentionMonths: number;
}

/**
 * Counts the days that are due and were not counted, oldest first.
 * @param nowMs Unix ms
 * @returns the number of days that were counted for the first time
 */
export async function countDueDays(
  db: Knex,
  nowMs: number,
  { retentionDays, rollupRetentionMonths, signal }: CountSettings & { signal?: AbortSignal },
): Promise<number> {
  // Days can be counted as long as their results are kept.
  const firstMs = Math.max((await readCountedUntil(db)) ?? 0, retainedFrom(nowMs, retentionDays));
  const untilMs = dayOf(Math.min(nowMs - COUNTED_AFTER_MS, await readRolledUpUntil(db)));
  if (firstMs >= untilMs) return 0;
  const againMs = Math.max(untilMs - (1 + RECOUNTED_DAYS) * DAY_MS, retainedFrom(nowMs, retentionDays));
  for (let dayMs = Math.min(firstMs, againMs); dayMs < untilMs; dayMs += DAY_MS) {
    const range = { fromMs: dayMs, toMs: dayMs + DAY_MS };
    if (!(await countDay(db, { ...range, dayMs, nowMs, signal, slotsLeft: EXPLAINED_OF_DAY_MAX }))) return 0;
    await saveCountedUntil(db, dayMs + DAY_MS);
  }
  const kept = monthOf(rollupsRetainedFrom(nowMs, rollupRetentionMonths));
  await forgetReportsBefore(db, kept, rangeOfMonth(kept).fromMs);
  return (untilMs - firstMs) / DAY_MS;
}

interface Day extends DayToExplain {
  dayMs: number;
  signal?: AbortSignal | undefined;
}

/** Counts a day of all checks and SLOs. Returns false when it was aborted. */
async function countDay(db: Knex, day: Day): Promise<boolean> {
  const { dayMs, signal } = day;
  const month = monthOf(dayMs);
  for (let afterKey = 0; ; ) {
    if (signal?.aborted) return false;
    const checks = await readChecksToCount(db, { afterKey, limit: CHECKS_AT_ONCE });
    await storeCheckDays(db, { month, dayMs }, await countChecks(db, checks, day));
    const last = checks.at(-1);
    if (checks.length < CHECKS_AT_ONCE || !last) break;
    afterKey = last.key;
  }
  for (let afterKey = 0; ; ) {
    if (signal?.aborted) return false;
    const part = { afterKey, limit: SLOS_AT_ONCE, createdBeforeMs: dayMs + DAY_MS };
    const slos = await readSlosToCount(db, part);
    const counts = await countSlos(
      db,
      slos.map((slo) => ({ slo, fromMs: dayMs, toMs: dayMs + DAY_MS })),
    );
    await storeSloDays(
      db,
      dayMs,
      slos.map((slo, i) => ({ ...slo, total: counts[i]?.total ?? 0, good: counts[i]?.good ?? 0 })),
    );
    const last = slos.at(-1);
    if (slos.length < SLOS_AT_ONCE || !last) break;
    afterKey = last.key;
  }
  await storeCountedDay(db, { month, dayMs, bit: bitOfDay(dayMs) }, rangeOfMonth(month));
  return true;
}

/** Counts a day of some checks. Those that had neither a slot nor a result are left out. */
async function countChecks(db: Knex, checks: readonly CheckToCount[], day: Day): Promise<CountedCheck[]> {
  if (checks.length === 0) return [];
  const keys = checks.map(({ key }) => key);
  const { fromMs, toMs, nowMs } = day;
  const range = { fromMs, toMs };
  // A run is due up to one period, which is a day at most, after its slot.
  const due = { fromMs, toMs: Math.min(toMs + DAY_MS, nowMs - GRACE_MS) };
  const schedules = groupBy(await readSchedulesOfChecks(db, keys, due), ({ checkKey }) => checkKey);
  const runs = groupBy(await readDispatchedRunsOfChecks(db, keys, range), ({ checkKey }) => checkKey);
  const held = await heldSpans(db, { checkKeys: keys, ...range });
  const counts = await countResults(
    db,
    keys.map((checkKey) => ({ checkKey, thresholdMs: null, ...range })),
  );
  const counted: CheckOfDay[] = [];
  for (const [i, check] of checks.entries()) {
    const spans = slotsOf(check, schedules.get(check.key) ?? [], { due, runs: runs.get(check.key) ?? [] });
    const rest = without(range, held.get(check.key) ?? []);
    const figures = countsOf(spans, { range, rest, results: counts[i] ?? NO_COUNTS });
    if (figures.expected + figures.received + figures.inMaintenance > 0)
      counted.push({ check, counts: figures, spans, rest });
    if (i % CHECKS_IN_TURN === CHECKS_IN_TURN - 1) await nextTurn();
  }
  return withReasons(db, counted, day);
}

/** A check on a day: its slots, and the parts of the day outside maintenance. */
interface CheckOfDay {
  check: CheckToCount;
  counts: Counts & { inMaintenance: number };
  spans: readonly SlotSpan[];
  rest: readonly Span[];
}

async function withReasons(db: Knex, checks: readonly CheckOfDay[], day: Day): Promise<CountedCheck[]> {
  const lacking = checks.filter(({ counts }) => counts.expected > counts.received);
  const parts = lacking.flatMap(({ check, spans, rest }) =>
    [...new Set(spans.map(({ locationKey }) => locationKey))].flatMap((locationKey) =>
      rest.map((part) => ({ ...part, checkKey: check.key, locationKey })),
    ),
  );
  const recorded = groupBy(await countRecordedReasons(db, parts, day), ({ checkKey }) => checkKey);
  const reasons = await countReasons(
    db,
    lacking.map(({ check, counts, spans, rest }) => ({
      check,
      missing: counts.expected - counts.received,
      spans: spansWithin(spans, rest),
      recorded: recorded.get(check.key) ?? [],
    })),
    day,
  );
  return checks.map(({ check: { key, id, teamId, name, labels }, counts }) => {
    const withReason = (recorded.get(key) ?? []).reduce((sum, { count }) => sum + count, 0);
    const givenBack = Math.min(counts.expected - counts.received, withReason);
    return { key, id, teamId, name, labels, ...counts, givenBack, missingReasons: reasons.get(key) ?? null };
  });
}

function slotsOf(
  { id }: CheckToCount,
  schedules: readonly ScheduleInForce[],
  { due, runs }: { due: Span; runs: readonly { slotMs: number; locationKeys: readonly number[] }[] },
): SlotSpan[] {
  const regular = expectedSlots(id, schedules, due);
  return [...regular, ...dispatchedSlots(runs, regular)];
}

function countsOf(
  spans: readonly SlotSpan[],
  { range, rest, results }: { range: Span; rest: readonly Span[]; results: ResultCounts },
) {
  const slots = slotsWithin(spans, rest);
  return {
    // A run that was dispatched and is no longer recorded has a result and no slot.
    expected: Math.max(results.total, slots),
    received: results.total,
    success: results.success,
    inMaintenance: slotsWithin(spans, [range]) - slots,
  };
}
