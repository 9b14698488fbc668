/** Counts the slots of an SLO's window that have no result, so that a share of good results says what it is a share of. */
import type { SloSeries } from "@svc/contract";
import type { Knex } from "knex";
import type { CheckModel } from "../../checks/row.ts";
import { GRACE_MS } from "../../fleet/timing.ts";
import { slotsWithin } from "../../results/coverage/expected-slots.ts";
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
