/**
 * Input source of missed slots: of each check location, the due slots without a result that are newer than its newest
 * result.
 */
import { type CheckId, wholeMs } from "@svc/contract";
import type { Knex } from "knex";
import { GRACE_MS } from "../../fleet/timing.ts";
import { type CheckLocation, checkLocationId } from "../../platform/check-location.ts";
import { perRow } from "../../platform/db/engine-sql.ts";
import { queryRows } from "../../platform/db/rows.ts";
import { newestToMs } from "../../platform/db/slot-bindings.ts";
import {
  expectedSlots,
  type ScheduleInForce,
  type SlotSpan,
  slotCount,
} from "../../results/coverage/expected-slots.ts";
import type { InputSource } from "./input-source.ts";

/** Returns the due slots of a location that are newer than its newest slot with a result: newest first, Unix ms. */
export type MissedSlotsLookup = (locationKey: number) => readonly number[];

/** Reads missed slots. The need is a number: how many due slots of each location are looked at, counted from the newest. */
export const missedSlots: InputSource<number, MissedSlotsLookup> = {
  combine: (needs) => Math.max(...needs),
  none: () => [],
  load: async (trx, checks, nowMs) => {
    const missed = await readMissedSlots(
      trx,
      checks.map(({ check, need }) => ({ ...check, slots: need })),
      nowMs,
    );
    return new Map(
      checks.map(({ check }) => [
        check.key,
        (locationKey: number) => missed.get(checkLocationId({ checkKey: check.key, locationKey })) ?? [],
      ]),
    );
  },
};

/** A check to look at. `slots` is how many due slots of each of its locations are looked at, counted from the newest. */
interface CheckToSearch {
  key: number;
  id: CheckId;
  frequencySeconds: number;
  timeoutMs: number | null;
  slots: number;
}

/** Evenly spaced slots of a check location. */
interface CheckLocationSpan extends CheckLocation {
  firstSlotMs: number;
  lastSlotMs: number;
  periodMs: number;
}

/** A check's time limit when its configuration names none. */
const DEFAULT_TIMEOUT_MS = 30_000;
/** Longest time from a run's end to its result in the table: batching, transport, a reconnect. */
const DELIVERY_MS = 15_000;

/** A slot is due once its grace, the longest possible run and the delivery of its result have passed. */
async function readMissedSlots(
  db: Knex,
  checks: readonly CheckToSearch[],
  nowMs: number,
): Promise<Map<string, number[]>> {
  const schedules = await readSchedulesOf(db, checks);
  const spans = checks.flatMap((check) => newestSpans(check, schedules.get(check.key) ?? [], nowMs));
  const newestDone = new Map<string, number>();
  for (const done of await readNewestDoneSlots(db, spans, nowMs)) {
    const id = checkLocationId(done);
    newestDone.set(id, Math.max(done.slotMs, newestDone.get(id) ?? 0));
  }
  const activeSince = await readActiveSince(db, spans);
  const missed = new Map<string, number[]>();
  for (const span of spans) {
    const id = checkLocationId(span);
    const afterMs = Math.max(newestDone.get(id) ?? 0, activeSince.get(span.locationKey) ?? 0);
    const slots = slotsOf(span).filter((slotMs) => slotMs > afterMs);
    missed.set(
      id,
      [...(missed.get(id) ?? []), ...slots].sort((a, b) => b - a),
    );
  }
  return missed;
}

function newestSpans(
  check: CheckToSearch,
  schedules: readonly ScheduleInForce[],
  nowMs: number,
): CheckLocationSpan[] {
  const periodMs = check.frequencySeconds * 1000;
  const toMs = nowMs - GRACE_MS - DELIVERY_MS - (check.timeoutMs ?? DEFAULT_TIMEOUT_MS);
  const spans = expectedSlots(check.id, schedules, { fromMs: toMs - check.slots * periodMs, toMs });
  return spans.map((span) => ({ checkKey: check.key, ...newestOf(span, check.slots) }));
}

function newestOf(span: SlotSpan, count: number): SlotSpan {
  const surplus = Math.max(0, slotCount(span) - count);
  return { ...span, firstSlotMs: span.firstSlotMs + surplus * span.periodMs };
}

function slotsOf({ firstSlotMs, lastSlotMs, periodMs }: CheckLocationSpan): number[] {
  const slots: number[] = [];
  for (let slotMs = lastSlotMs; slotMs >= firstSlotMs; slotMs -= periodMs) slots.push(slotMs);
  return slots;
}

/** Reads only the schedule in force: whoever changes a check starts its count of missed slots anew. */
async function readSchedulesOf(
  db: Knex,
  checks: readonly CheckToSearch[],
): Promise<Map<number, ScheduleInForce[]>> {
  const rows = await queryRows<ScheduleInForce & { checkKey: number }>(
    db,
    `SELECT check_key, frequency_seconds, location_keys, enabled, effective_from_ms, effective_until_ms
     FROM check_revisions WHERE check_key = ANY(?) AND effective_until_ms IS NULL`,
    [checks.map(({ key }) => key)],
  );
  return new Map(rows.map((row) => [row.checkKey, [row]]));
}

/**
 * Returns by location key since when the location is active (Unix ms) after the operator put it in service again: its slots
 * of before were missing because it was retired. Other locations are absent.
 */
async function readActiveSince(db: Knex, spans: readonly CheckLocationSpan[]): Promise<Map<number, number>> {
  if (spans.length === 0) return new Map();
  const rows = await queryRows<{ key: number; sinceMs: number }>(
    db,
    `SELECT key, (extract(epoch FROM status_changed_at) * 1000)::bigint AS since_ms
     FROM locations WHERE key = ANY(?) AND status = 'active' AND status_changed_at IS NOT NULL`,
    [[...new Set(spans.map(({ locationKey }) => locationKey))]],
  );
  return new Map(rows.map(({ key, sinceMs }) => [key, sinceMs]));
}

/**
 * Returns for each span the newest slot in it or after it that has a result, or that was left out since the run before
 * it was still open: then the runners are well, and the target is slow. A span without one is missing.
 */
function readNewestDoneSlots(
  db: Knex,
  spans: readonly CheckLocationSpan[],
  nowMs: number,
): Promise<(CheckLocation & { slotMs: number })[]> {
  if (spans.length === 0) return Promise.resolve([]);
  return queryRows(
    db,
    `SELECT s.check_key, s.location_key, r.slot_ms
     FROM unnest(CAST(:checkKeys AS bigint[]), CAST(:locationKeys AS integer[]), CAST(:firstSlots AS bigint[]), CAST(:periods AS bigint[]))
       AS s (check_key, location_key, first_slot, period)
     CROSS JOIN LATERAL (
       (SELECT slot_ms FROM ${perRow(db, {
         as: "newest",
         columns: "slot_ms bigint",
         select: `SELECT slot_ms FROM results WHERE check_key = {s.check_key} AND location_key = {s.location_key}
            AND slot_ms >= {s.first_slot} AND slot_ms BETWEEN {:minSlot} AND {:newestToMs} AND (slot_ms - {s.first_slot}) % {s.period} = 0
          ORDER BY slot_ms DESC LIMIT 1`,
       })})
       UNION ALL
       (SELECT slot_ms FROM missed_slots WHERE check_key = s.check_key AND location_key = s.location_key
          AND slot_ms >= s.first_slot AND reason = 'previous_run'
        ORDER BY slot_ms DESC LIMIT 1)) r`,
    {
      checkKeys: spans.map(({ checkKey }) => checkKey),
      locationKeys: spans.map(({ locationKey }) => locationKey),
      firstSlots: spans.map(({ firstSlotMs }) => wholeMs(firstSlotMs)),
      periods: spans.map(({ periodMs }) => periodMs),
      minSlot: wholeMs(
        spans.reduce((min, { firstSlotMs }) => Math.min(min, firstSlotMs), Number.MAX_SAFE_INTEGER),
      ),
      newestToMs: newestToMs(nowMs),
    },
  );
}
