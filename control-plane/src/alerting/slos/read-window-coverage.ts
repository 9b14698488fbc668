/** Counts the slots of an SLO's window that have no result, so that a share of good results says what it is a share of. */
import type { SloSeries } from "@svc/contract";
import type { Knex } from "knex";
import type { CheckModel } from "../../checks/row.ts";
import { GRACE_MS } from "../../fleet/timing.ts";
import type { SlotSpan } from "../../results/coverage/expected-slots.ts";
import { readExpected } from "../../results/coverage/read-coverage.ts";
import { hourOf } from "../../results/rollups/buckets.ts";
import type { CountedHour } from "./budget-course.ts";
import { type Span, without } from "./span-pieces.ts";

/** The check of an SLO with the counted hours of the window. */
export interface WindowCoverageInput {
  check: Pick<CheckModel, "key" | "id">;
  hours: readonly CountedHour[];
  /** Times within maintenance windows. */
  held: readonly Span[];
  nowMs: number;
}

/** Returns the slots of the window up to its last whole hour whose slots are all old enough to count. */
export async function readWindowCoverage(
  db: Knex,
  { check, hours, held, nowMs }: WindowCoverageInput,
): Promise<NonNullable<SloSeries["coverage"]>> {
  const fromMs = hours[0]?.fromMs ?? nowMs;
  const untilMs = Math.max(fromMs, hourOf(nowMs - GRACE_MS));
  const rest = without({ fromMs, toMs: untilMs }, held);
  const spans = rest.length === 0 ? [] : await readExpected(db, check, { fromMs, toMs: untilMs });
  const received = hours
    .filter(({ toMs }) => toMs <= untilMs)
    .reduce((sum, { counts }) => sum + counts.total, 0);
  // A run that was dispatched and is no longer recorded has a result and no slot.
  const expected = Math.max(received, slotsWithin(spans, rest));
  return { until: new Date(untilMs).toISOString(), expected, received, missing: expected - received };
}

/** Returns the number of slots of the spans that lie in the parts, which don't overlap. */
function slotsWithin(spans: readonly SlotSpan[], parts: readonly Span[]): number {
  let count = 0;
  for (const span of spans) for (const part of parts) count += slotsOf(span, part);
  return count;
}

function slotsOf({ firstSlotMs, lastSlotMs, periodMs }: SlotSpan, { fromMs, toMs }: Span): number {
  const first = Math.max(0, Math.ceil((fromMs - firstSlotMs) / periodMs));
  const last = Math.min(
    (lastSlotMs - firstSlotMs) / periodMs,
    Math.ceil((toMs - firstSlotMs) / periodMs) - 1,
  );
  return Math.max(0, last - first + 1);
}
