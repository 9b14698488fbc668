/** The newest due slots of checks that have no result: what the missed_runs condition is judged by. */
import type { CheckId } from "@svc/contract";
import type { Knex } from "knex";
import { GRACE_MS } from "../../fleet/timing.ts";
import { queryRows } from "../../platform/db/rows.ts";
import {
  expectedSlots,
  type ScheduleInForce,
  type SlotSpan,
  slotCount,
} from "../../results/coverage/expected-slots.ts";
import { type PlacedSpan, readNewestDoneSlots } from "./result-store.ts";

/** Whose slots are looked at, and how many of each location. */
export interface CheckToLookAt {
  key: number;
  id: CheckId;
  frequencySeconds: number;
  timeoutMs: number | null;
  slots: number;
}

/** A check's time limit when its configuration names none. */
const DEFAULT_TIMEOUT_MS = 30_000;
/** From a run's end to its result in the table: batching, transport, a reconnect. */
const DELIVERY_MS = 15_000;

/** Key of a place in the answer. */
export function placeId(checkKey: number, locationKey: number): string {
  return `${checkKey}:${locationKey}`;
}

/**
 * Per place the newest due slots without a result, newest first, up to the first one that has one. A slot is due once its
 * grace, the longest run and the way of its result have passed.
 */
export async function readMissedSlots(
  db: Knex,
  checks: readonly CheckToLookAt[],
  nowMs: number,
): Promise<Map<string, number[]>> {
  if (checks.length === 0) return new Map();
  const schedules = await readSchedulesOf(db, checks);
  const spans = checks.flatMap((check) => newestSpans(check, schedules.get(check.key) ?? [], nowMs));
  const done = await readNewestDoneSlots(db, spans);
  const newestDone = new Map<string, number>();
  for (const { checkKey, locationKey, slotMs } of done) {
    const id = placeId(checkKey, locationKey);
    newestDone.set(id, Math.max(slotMs, newestDone.get(id) ?? 0));
  }
  const missed = new Map<string, number[]>();
  for (const span of spans) {
    const id = placeId(span.checkKey, span.locationKey);
    const slots = slotsOf(span).filter((slotMs) => slotMs > (newestDone.get(id) ?? 0));
    missed.set(
      id,
      [...(missed.get(id) ?? []), ...slots].sort((a, b) => b - a),
    );
  }
  return missed;
}

/** The spans that hold the newest due slots of each location. Pure. */
export function newestSpans(
  check: CheckToLookAt,
  schedules: readonly ScheduleInForce[],
  nowMs: number,
): PlacedSpan[] {
  const periodMs = check.frequencySeconds * 1000;
  const toMs = nowMs - GRACE_MS - DELIVERY_MS - (check.timeoutMs ?? DEFAULT_TIMEOUT_MS);
  const spans = expectedSlots(check.id, schedules, { fromMs: toMs - check.slots * periodMs, toMs });
  return spans.map((span) => ({ checkKey: check.key, ...newestOf(span, check.slots) }));
}

function newestOf(span: SlotSpan, count: number): SlotSpan {
  const surplus = Math.max(0, slotCount(span) - count);
  return { ...span, firstSlotMs: span.firstSlotMs + surplus * span.periodMs };
}

function slotsOf({ firstSlotMs, lastSlotMs, periodMs }: PlacedSpan): number[] {
  const slots: number[] = [];
  for (let slotMs = lastSlotMs; slotMs >= firstSlotMs; slotMs -= periodMs) slots.push(slotMs);
  return slots;
}

/** The schedule in force, alone: who changes a check starts its count of missed slots anew. */
async function readSchedulesOf(
  db: Knex,
  checks: readonly CheckToLookAt[],
): Promise<Map<number, ScheduleInForce[]>> {
  const rows = await queryRows<ScheduleInForce & { checkKey: number }>(
    db,
    `SELECT check_key AS "checkKey", frequency_seconds AS "frequencySeconds", location_keys AS "locationKeys", enabled,
       effective_from_ms AS "effectiveFromMs", effective_until_ms AS "effectiveUntilMs"
     FROM check_revisions WHERE check_key = ANY(?) AND effective_until_ms IS NULL`,
    [checks.map(({ key }) => key)],
  );
  return new Map(rows.map((row) => [row.checkKey, [row]]));
}
