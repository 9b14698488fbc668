/** Reads coverage: which slots of a check have a result, and why the others do not. */
import { COVERAGE_RANGES, type Coverage, type MissingReason } from "@svc/contract";
import type { Knex } from "knex";
import type { CheckModel } from "../../checks/row.ts";
import { GRACE_MS } from "../../fleet/timing.ts";
import type { Services } from "../../platform/services.ts";
import { readSnapshot } from "../read-snapshot.ts";
import { readCircumstances } from "./circumstances-store.ts";
import { dispatchedSlots, expectedSlots, type SlotSpan, slotCount } from "./expected-slots.ts";
import { longestRunMs } from "./longest-run.ts";
import { type MissingSlot, mayStillRun, missingReason, REASON_DETAILS } from "./missing-reason.ts";
import {
  countReceived,
  readDispatchedRuns,
  readLocationsByIdOrKey,
  readMissing,
  readSchedules,
} from "./store.ts";
import type { TimeRange } from "./time-range.ts";

/** Missing slots that are listed per location; all missing slots are counted. */
const MISSING_LISTED_MAX = 1_000;

type LocationCoverage = Coverage["locations"][number];
/** Name of a range that coverage can be read for, such as `24h`. */
export type CoverageRange = keyof typeof COVERAGE_RANGES;

/**
 * Reads which slots of the range have a result, and why the others do not. A slot counts once its grace has passed, unless
 * a runner may still be running it. The caller ensures that the check is the team's.
 */
export async function readCoverage(
  { knex, clock }: Pick<Services, "knex" | "clock">,
  check: CheckModel,
  range: CoverageRange,
): Promise<Coverage> {
  const nowMs = clock.nowMs();
  const fromMs = nowMs - COVERAGE_RANGES[range];
  // One snapshot, so that the slots counted as missing are those listed.
  const locations = await readSnapshot(knex, (trx) => coverLocations(trx, check, { fromMs, nowMs }));
  return {
    checkId: check.id,
    from: new Date(fromMs).toISOString(),
    to: new Date(nowMs).toISOString(),
    locations,
  };
}

async function coverLocations(
  trx: Knex,
  check: CheckModel,
  { fromMs, nowMs }: { fromMs: number; nowMs: number },
): Promise<LocationCoverage[]> {
  const spans = await readExpected(trx, check, { fromMs, toMs: nowMs - GRACE_MS });
  const counts = spans.length > 0 ? await countReceived(trx, check.key, spans) : [];
  const incomplete = spans.filter((span, i) => (counts[i]?.received ?? 0) < slotCount(span));
  const missing = await explainMissing(trx, check, { spans: incomplete, nowMs });
  const locations = await readLocationIds(trx, check, spans);
  return locations.map(({ key, id }) => {
    const isHere = (item: { locationKey: number }) => item.locationKey === key;
    const open = missing.filter((slot) => isHere(slot) && slot.isOpen).length;
    const expected = sum(spans.map((span) => (isHere(span) ? slotCount(span) : 0))) - open;
    const received = sum(spans.map((span, i) => (isHere(span) ? (counts[i]?.received ?? 0) : 0)));
    const late = sum(spans.map((span, i) => (isHere(span) ? (counts[i]?.late ?? 0) : 0)));
    const listed = missing.filter((slot) => isHere(slot) && !slot.isOpen).slice(0, MISSING_LISTED_MAX);
    return {
      locationId: id,
      expected,
      received,
      late,
      missingCount: expected - received,
      missing: listed.map(({ slotMs, reason }) => ({
        slotAt: new Date(slotMs).toISOString(),
        reason,
        detail: REASON_DETAILS[reason],
      })),
    };
  });
}

/** Reads the slots of the range that should have a result. */
export async function readExpected(
  trx: Knex,
  check: Pick<CheckModel, "key" | "id">,
  range: TimeRange,
): Promise<SlotSpan[]> {
  const schedules = await readSchedules(trx, check.key, range);
  const regular = expectedSlots(check.id, schedules, range);
  const runs = await readDispatchedRuns(trx, check.key, range);
  return [...regular, ...dispatchedSlots(runs, regular)];
}

/** Reads the newest missing slots of the spans with their reasons, newest first. Open ones may still get a result. */
async function explainMissing(
  trx: Knex,
  check: CheckModel,
  { spans, nowMs }: { spans: readonly SlotSpan[]; nowMs: number },
): Promise<(MissingSlot & { reason: MissingReason; isOpen: boolean })[]> {
  if (spans.length === 0) return [];
  const missing = await readMissing(trx, check.key, { spans, limit: MISSING_LISTED_MAX });
  const dues = missing.map((slot) => slot.dueMs);
  const circumstances = await readCircumstances(trx, [...new Set(missing.map((slot) => slot.locationKey))], {
    fromMs: dues.reduce((a, b) => Math.min(a, b), nowMs),
    toMs: nowMs,
  });
  const runMsMax = longestRunMs(check);
  const needs = { type: check.type, usesVault: check.vaultNames.length > 0 };
  const input = { ...circumstances, needs, runMsMax, nowMs };
  return missing.map((slot) => ({
    ...slot,
    reason: missingReason(slot, input),
    isOpen: mayStillRun(slot, input),
  }));
}

/** Returns the check's locations in the order of its list, then those that it had earlier in the range. */
export async function readLocationIds(
  trx: Knex,
  check: CheckModel,
  spans: readonly SlotSpan[],
): Promise<{ key: number; id: string }[]> {
  const rows = await readLocationsByIdOrKey(trx, check.locationIds, [
    ...new Set(spans.map((span) => span.locationKey)),
  ]);
  const rank = (id: string) => check.locationIds.indexOf(id) >>> 0;
  return rows.sort((a, b) => rank(a.id) - rank(b.id) || a.key - b.key);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
