import { COVERAGE_RANGES, type Coverage, type MissingReason } from "@svc/contract";
import type { Knex } from "knex";
import type { CheckModel } from "../../checks/row.ts";
import { GRACE_MS } from "../../fleet/timing.ts";
import type { Services } from "../../platform/services.ts";
import { expectedSlots, manualSlots, type SlotSpan, slotCount } from "./expected-slots.ts";
import { type MissingSlot, mayStillRun, missingReason, REASON_DETAILS } from "./missing-reason.ts";
import {
  countReceived,
  readLocationsNamed,
  readManualSlots,
  readMissing,
  readPresences,
  readSchedules,
} from "./store.ts";

/** Missing slots listed per location; all of them are counted. */
export const MISSING_LISTED_MAX = 1_000;
/** A check's time limit when its configuration names none. */
const DEFAULT_TIMEOUT_MS = 30_000;

type LocationCoverage = Coverage["locations"][number];
type CoverageRange = keyof typeof COVERAGE_RANGES;

/**
 * Which slots of the range have a result, and why the others do not. A slot counts once its grace has passed, and while a
 * runner may still be running it, it does not count yet. The caller has made sure that the check is the team's.
 */
export async function getCoverage(
  { knex, clock }: Services,
  check: CheckModel,
  range: CoverageRange,
): Promise<Coverage> {
  const nowMs = clock.nowMs();
  const fromMs = nowMs - COVERAGE_RANGES[range];
  // One snapshot, so that what is counted as missing is what is listed.
  const locations = await knex.transaction((trx) => coverLocations(trx, check, fromMs, nowMs), {
    isolationLevel: "repeatable read",
    readOnly: true,
  });
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
  fromMs: number,
  nowMs: number,
): Promise<LocationCoverage[]> {
  const spans = await readExpected(trx, check, fromMs, nowMs - GRACE_MS);
  const counts = spans.length > 0 ? await countReceived(trx, check.key, spans) : [];
  const incomplete = spans.filter((span, i) => (counts[i]?.received ?? 0) < slotCount(span));
  const missing = await explainMissing(trx, check, incomplete, nowMs);
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

async function readExpected(trx: Knex, check: CheckModel, fromMs: number, toMs: number): Promise<SlotSpan[]> {
  const schedules = await readSchedules(trx, check.key, fromMs, toMs);
  const regular = expectedSlots(check.id, schedules, fromMs, toMs);
  const manual = await readManualSlots(trx, check.key, fromMs, toMs);
  return [...regular, ...manualSlots(manual, regular)];
}

/** The newest missing slots of the spans with their reasons; open ones may still get their result. Newest first. */
async function explainMissing(
  trx: Knex,
  check: CheckModel,
  spans: readonly SlotSpan[],
  nowMs: number,
): Promise<(MissingSlot & { reason: MissingReason; isOpen: boolean })[]> {
  if (spans.length === 0) return [];
  const missing = await readMissing(trx, check.key, spans, MISSING_LISTED_MAX);
  const dues = missing.map((slot) => slot.dueMs);
  const presences = await readPresences(
    trx,
    [...new Set(missing.map((slot) => slot.locationKey))],
    dues.reduce((a, b) => Math.min(a, b), nowMs),
    nowMs,
  );
  const runMsMax = longestRunMs(check);
  return missing.map((slot) => ({
    ...slot,
    reason: missingReason(slot, check.type, presences),
    isOpen: mayStillRun(slot, check.type, presences, runMsMax, nowMs),
  }));
}

function longestRunMs({ config, retry }: CheckModel): number {
  const timeoutMs = typeof config.timeoutMs === "number" ? config.timeoutMs : DEFAULT_TIMEOUT_MS;
  return timeoutMs + (retry?.maxDurationSeconds ?? 0) * 1000;
}

/** The check's locations in its order, then those it had in the range. */
async function readLocationIds(
  trx: Knex,
  check: CheckModel,
  spans: readonly SlotSpan[],
): Promise<{ key: number; id: string }[]> {
  const rows = await readLocationsNamed(trx, check.locationIds, [
    ...new Set(spans.map((span) => span.locationKey)),
  ]);
  const rank = (id: string) => check.locationIds.indexOf(id) >>> 0;
  return rows.sort((a, b) => rank(a.id) - rank(b.id) || a.key - b.key);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
