/**
 * Counts why slots of a day are missing while that is still known: a recorded reason, or one that follows from the runners that were at
 * the location. Both are kept for a shorter time than reports.
 */
import { DAY_MS } from "@svc/contract";
import type { Knex } from "knex";
import { GRACE_MS } from "../../fleet/timing.ts";
import type { SlotSpan } from "../../results/coverage/expected-slots.ts";
import { readMissing } from "../../results/coverage/store.ts";
import type { TimeRange } from "../../results/coverage/time-range.ts";
import { explainEach, readAround } from "../../results/slots/explain-missing.ts";
import type { ScheduledCheck } from "../team-slots-store.ts";
import type { ReasonCount } from "./count-store.ts";

/** Most slots of a check on a day that are explained. */
const EXPLAINED_OF_CHECK_MAX = 20_000;
/** Time after a day's end until which runs of its slots end: their stagger, which is a day at most, and the run itself. */
const RUNS_END_AFTER_MS = DAY_MS + DAY_MS / 2;

/** Missing slots of a check on a day. */
export interface CheckWithGaps {
  check: ScheduledCheck;
  /** Number of slots that have no result; not 0. */
  missing: number;
  /** The day's slots outside maintenance, those that have a result included. */
  spans: readonly SlotSpan[];
  /** Slots among the missing ones whose reason is recorded. */
  recorded: readonly ReasonCount[];
}

/** A day, and how many of its slots may still be explained: it falls with each. */
export interface DayToExplain extends TimeRange {
  nowMs: number;
  slotsLeft: number;
}

/** Counts of a check's missing slots by reason, `not_explained` included: together as many as are missing. */
export type Reasons = Record<string, number>;

/** Returns the counts by the checks' keys. */
export async function countReasons(
  db: Knex,
  checks: readonly CheckWithGaps[],
  day: DayToExplain,
): Promise<Map<number, Reasons>> {
  const counted = new Map<number, Reasons>();
  const isUnknown = ({ missing, recorded }: CheckWithGaps) => missing > sumOf(recorded);
  const locationKeys = checks
    .filter(isUnknown)
    .flatMap(({ spans }) => spans.map(({ locationKey }) => locationKey));
  const toMs = Math.min(day.nowMs, day.toMs + RUNS_END_AFTER_MS + GRACE_MS);
  const around =
    locationKeys.length > 0 &&
    (await readAround(db, [...new Set(locationKeys)], { fromMs: day.fromMs, toMs }));
  for (const one of checks) {
    const { check, missing, spans, recorded } = one;
    if (!around || day.slotsLeft <= 0 || !isUnknown(one)) {
      counted.set(check.key, atMost(missing, recorded));
      continue;
    }
    const limit = Math.max(1, Math.floor(EXPLAINED_OF_CHECK_MAX / spans.length));
    const slots = await readMissing(db, check.key, { spans, limit });
    day.slotsLeft -= slots.length;
    const explained = await explainEach(check, slots, { ...around, nowMs: day.nowMs });
    const reasons = explained.map(({ reason }) => ({ reason, count: 1 }));
    counted.set(check.key, atMost(missing, reasons));
  }
  return counted;
}

function sumOf(counts: readonly { count: number }[]): number {
  return counts.reduce((sum, { count }) => sum + count, 0);
}

/** Returns the counts by reason. Rollups, by which slots are counted, may be some results ahead or behind: so many are left out, or not explained. */
function atMost(missing: number, counts: readonly { reason: string; count: number }[]): Reasons {
  const reasons: Reasons = {};
  let left = missing;
  for (const { reason, count } of counts) {
    const added = Math.min(count, left);
    if (added > 0) reasons[reason] = (reasons[reason] ?? 0) + added;
    left -= added;
  }
  if (left > 0) reasons.not_explained = left;
  return reasons;
}
