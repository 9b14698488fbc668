/** SQL of coverage: set-based statements, bounded by the range that is asked for. */
import { type CheckType, type LocationId, type MissingReason, type Retry, wholeMs } from "@svc/contract";
import type { Knex } from "knex";
import { resultAt, sentAlong } from "../../platform/db/engine-sql.ts";
import { queryRows } from "../../platform/db/rows.ts";
import { slotBindings } from "../../platform/db/slot-bindings.ts";
import type { ScheduleInForce, SlotSpan } from "./expected-slots.ts";
import type { MissingSlot } from "./missing-reason.ts";
import type { TimeRange } from "./time-range.ts";

/** Reads the schedules that were in force at some time in the range, oldest first. */
export function readSchedules(
  db: Knex,
  checkKey: number,
  { fromMs, toMs }: TimeRange,
): Promise<ScheduleInForce[]> {
  return queryRows(
    db,
    `SELECT frequency_seconds, location_keys, enabled,
       effective_from_ms, effective_until_ms
     FROM check_revisions
     WHERE check_key = :checkKey AND effective_from_ms < :toMs
       AND (effective_until_ms IS NULL OR effective_until_ms > :fromMs)
     ORDER BY revision`,
    { checkKey, fromMs: wholeMs(fromMs), toMs: wholeMs(toMs) },
  );
}

/** Dispatched runs that coverage accounts for: more than people trigger, and a bound on a script that never stops. */
const DISPATCHED_RUNS_MAX = 10_000;

/** Reads the runs dispatched for an instant in the range, newest first, at most {@link DISPATCHED_RUNS_MAX}. */
export function readDispatchedRuns(
  db: Knex,
  checkKey: number,
  { fromMs, toMs }: TimeRange,
): Promise<{ slotMs: number; locationKeys: number[] }[]> {
  return queryRows(
    db,
    `SELECT slot_ms, location_keys FROM manual_runs
     WHERE check_key = :checkKey AND slot_ms >= :fromMs AND slot_ms < :toMs
     ORDER BY slot_ms DESC LIMIT :limit`,
    { checkKey, fromMs: wholeMs(fromMs), toMs: wholeMs(toMs), limit: DISPATCHED_RUNS_MAX },
  );
}

/** The spans as a relation `s`. The bounds over all of them let the planner leave out partitions. */
export const SPANS = `unnest(CAST(:locationKeys AS integer[]), CAST(:firstSlots AS bigint[]), CAST(:lastSlots AS bigint[]),
    CAST(:periods AS bigint[]), CAST(:staggers AS bigint[]))
  WITH ORDINALITY AS s (location_key, first_slot, last_slot, period, stagger, ordinal)`;
/** Restricts slots to the bounds over all spans. */
export const IN_BOUNDS = "slot_ms BETWEEN :minSlot AND :maxSlot";

/** Returns the bindings of {@link SPANS} and {@link IN_BOUNDS}. */
export function spanBindings(spans: readonly SlotSpan[]) {
  return {
    locationKeys: spans.map((span) => span.locationKey),
    firstSlots: spans.map((span) => wholeMs(span.firstSlotMs)),
    lastSlots: spans.map((span) => wholeMs(span.lastSlotMs)),
    periods: spans.map((span) => span.periodMs),
    staggers: spans.map((span) => span.staggerMs),
    minSlot: wholeMs(spans.reduce((min, span) => Math.min(min, span.firstSlotMs), Number.MAX_SAFE_INTEGER)),
    maxSlot: wholeMs(spans.reduce((max, span) => Math.max(max, span.lastSlotMs), 0)),
  };
}

/** A run that began more than this after it was due counts as late. */
export const LATE_MS = 1_000;

/** Counts, for each span in order, the slots that have a result and those whose run began late. */
export function countReceived(
  db: Knex,
  checkKey: number,
  spans: readonly SlotSpan[],
): Promise<{ received: number; late: number }[]> {
  return queryRows(
    db,
    `SELECT count(r.slot_ms) AS received, count(*) FILTER (WHERE r.start_delay_ms - s.stagger > :lateMs) AS late
     FROM ${SPANS}
     LEFT JOIN LATERAL (
       SELECT slot_ms, start_delay_ms FROM results
       WHERE check_key = :checkKey AND location_key = s.location_key AND ${IN_BOUNDS}
         AND slot_ms BETWEEN s.first_slot AND s.last_slot AND (slot_ms - s.first_slot) % s.period = 0
       OFFSET 0) r ON true
     GROUP BY s.ordinal ORDER BY s.ordinal`,
    { ...spanBindings(spans), checkKey, lateMs: wholeMs(LATE_MS) },
  );
}

/**
 * Reads the newest slots without a result, newest first, at most `limit` of each span. The gaps between one result and the
 * next tell them, so that the index of the results is read once from end to end instead of searched for each slot.
 */
export function readMissing(
  db: Knex,
  checkKey: number,
  { spans, limit }: { spans: readonly SlotSpan[]; limit: number },
): Promise<MissingSlot[]> {
  return queryRows(
    db,
    `${sentAlong(db, {
      locations:
        "SELECT key, status, status_changed_at FROM locations WHERE key = ANY(CAST(:locationKeys AS integer[]))",
      missed_slots:
        "SELECT * FROM missed_slots WHERE check_key = :checkKey AND slot_ms BETWEEN :minSlot AND :maxSlot",
    })}SELECT s.location_key, m.slot_ms, m.slot_ms + s.stagger AS due_ms, missed.reason AS recorded_reason,
       coalesce(l.status_changed_at <= to_timestamp((m.slot_ms + s.stagger) / 1000.0), false) AS is_at_retired
     FROM ${SPANS}
     LEFT JOIN locations l ON l.key = s.location_key AND l.status = 'retired'
     CROSS JOIN LATERAL (
       SELECT slot AS slot_ms
       FROM (
         SELECT slot_ms, lag(slot_ms, 1, s.last_slot + s.period) OVER (ORDER BY slot_ms DESC) AS next_ms
         FROM (
           SELECT slot_ms FROM results
           WHERE check_key = :checkKey AND location_key = s.location_key AND ${IN_BOUNDS}
             AND slot_ms BETWEEN s.first_slot AND s.last_slot AND (slot_ms - s.first_slot) % s.period = 0
           UNION ALL SELECT s.first_slot - s.period) received) gap
       CROSS JOIN LATERAL generate_series(gap.next_ms - s.period, gap.slot_ms + s.period, -s.period) slot
       WHERE gap.next_ms - gap.slot_ms > s.period
       ORDER BY slot DESC LIMIT :limit) m
     LEFT JOIN missed_slots missed
       ON missed.check_key = :checkKey AND missed.location_key = s.location_key AND missed.slot_ms = m.slot_ms
     ORDER BY m.slot_ms DESC`,
    { ...spanBindings(spans), checkKey, limit },
  );
}

/** Reads the locations that are named by id or by key. */
export function readLocationsByIdOrKey(
  db: Knex,
  ids: readonly string[],
  keys: readonly number[],
): Promise<{ key: number; id: LocationId }[]> {
  return queryRows(db, "SELECT key, id FROM locations WHERE id = ANY(:ids) OR key = ANY(:keys)", {
    ids,
    keys,
  });
}

/** A run that was dispatched to a location and has neither a result nor a reason why there is none. */
export interface UnansweredDispatch {
  checkKey: number;
  locationKey: number;
  slotMs: number;
  type: CheckType;
  config: Record<string, unknown>;
  retry: Retry | null;
  usesVault: boolean;
}

/** Reads the unanswered dispatches for an instant in the range, oldest first, at most `limit`. */
export function readUnansweredDispatches(
  db: Knex,
  { fromMs, toMs, limit }: TimeRange & { limit: number },
): Promise<UnansweredDispatch[]> {
  return queryRows(
    db,
    `SELECT m.check_key, l.location_key, m.slot_ms, c.type, c.retry, c.vault_names <> '{}' AS uses_vault,
       jsonb_strip_nulls(jsonb_build_object('timeoutMs', c.config -> 'timeoutMs')) AS config
     FROM manual_runs m CROSS JOIN unnest(m.location_keys) AS l (location_key) JOIN checks c ON c.key = m.check_key
     WHERE m.slot_ms >= :fromMs AND m.slot_ms < :toMs
       AND NOT EXISTS (SELECT FROM ${resultAt(db, ["m.check_key", "l.location_key", "m.slot_ms"])})
       AND NOT EXISTS (SELECT FROM missed_slots s WHERE s.check_key = m.check_key
                         AND s.location_key = l.location_key AND s.slot_ms = m.slot_ms)
     ORDER BY m.slot_ms LIMIT :limit`,
    { fromMs: wholeMs(fromMs), toMs: wholeMs(toMs), minSlot: wholeMs(fromMs), maxSlot: wholeMs(toMs), limit },
  );
}

/** Stores reasons of missed slots; those that have one or a result by now keep it. */
export async function insertMissedSlots(
  db: Knex,
  slots: readonly { checkKey: number; locationKey: number; slotMs: number; reason: MissingReason }[],
): Promise<void> {
  await db.raw(
    `INSERT INTO missed_slots (check_key, location_key, slot_ms, reason)
     SELECT i.c, i.l, i.s, i.r
     FROM unnest(CAST(:checkKeys AS bigint[]), CAST(:locationKeys AS integer[]), CAST(:slots AS bigint[]), CAST(:reasons AS text[])) AS i (c, l, s, r)
     WHERE EXISTS (SELECT FROM checks WHERE key = i.c)
       AND NOT EXISTS (SELECT FROM ${resultAt(db, ["i.c", "i.l", "i.s"])})
     ON CONFLICT DO NOTHING`,
    {
      checkKeys: slots.map(({ checkKey }) => checkKey),
      locationKeys: slots.map(({ locationKey }) => locationKey),
      reasons: slots.map(({ reason }) => reason),
      ...slotBindings(slots),
    } as never,
  );
}
