/** SQL of the slots of all checks of a team: rollups where they are whole, results at the edges, and what is recorded of the rest. */
import { type CheckId, type CheckType, HOUR_MS, type Retry, type TeamId, wholeMs } from "@svc/contract";
import type { Knex } from "knex";
import { perRow } from "../platform/db/engine-sql.ts";
import { queryRows } from "../platform/db/rows.ts";
import type { ScheduleInForce, SlotSpan } from "../results/coverage/expected-slots.ts";
import type { MissingSlot } from "../results/coverage/missing-reason.ts";
import type { TimeRange } from "../results/coverage/time-range.ts";
import { BUCKET_MS } from "../results/rollups/buckets.ts";
import type { WholeBuckets } from "./whole-buckets.ts";

/** A check with what decides why its slots are missing. */
export interface ScheduledCheck {
  key: number;
  id: CheckId;
  type: CheckType;
  retry: Retry | null;
  usesVault: boolean;
  /** Holds `timeoutMs` at most. */
  config: Record<string, unknown>;
}

/** Columns of `checks` that decide why slots are missing, as {@link ScheduledCheck} names them. */
export const WHY_MISSING = `type, retry, vault_names <> '{}' AS uses_vault,
       jsonb_strip_nulls(jsonb_build_object('timeoutMs', config -> 'timeoutMs')) AS config`;

/** Counts the team's checks, enabled or not. */
export async function countChecks(db: Knex, teamId: TeamId): Promise<number> {
  const [row] = await queryRows<{ count: number }>(
    db,
    "SELECT count(*)::integer AS count FROM checks WHERE team_id = :teamId",
    { teamId },
  );
  return row?.count ?? 0;
}

/** Reads a part of the team's checks, in the order of their keys. */
export function readScheduledChecks(
  db: Knex,
  teamId: TeamId,
  { afterKey, limit }: { afterKey: number; limit: number },
): Promise<ScheduledCheck[]> {
  return queryRows(
    db,
    `SELECT key, id, ${WHY_MISSING}
     FROM checks WHERE team_id = :teamId AND key > :afterKey ORDER BY key LIMIT :limit`,
    { teamId, afterKey, limit },
  );
}

/** Reads the schedules of the checks that were in force at some time in the range, of each check the oldest first. */
export function readSchedulesOfChecks(
  db: Knex,
  checkKeys: readonly number[],
  { fromMs, toMs }: TimeRange,
): Promise<(ScheduleInForce & { checkKey: number })[]> {
  return queryRows(
    db,
    `SELECT check_key, frequency_seconds, location_keys, enabled, effective_from_ms, effective_until_ms
     FROM check_revisions
     WHERE check_key = ANY(CAST(:checkKeys AS bigint[])) AND effective_from_ms < :toMs
       AND (effective_until_ms IS NULL OR effective_until_ms > :fromMs)
     ORDER BY check_key, revision`,
    { checkKeys: list(checkKeys), fromMs: wholeMs(fromMs), toMs: wholeMs(toMs) },
  );
}

/** Dispatched runs that count: more than people trigger in a day, and a bound on a script that never stops. */
const DISPATCHED_RUNS_MAX = 100_000;

/** Reads the runs of the checks that were dispatched for an instant in the range. */
export function readDispatchedRunsOfChecks(
  db: Knex,
  checkKeys: readonly number[],
  { fromMs, toMs }: TimeRange,
): Promise<{ checkKey: number; slotMs: number; locationKeys: number[] }[]> {
  return queryRows(
    db,
    `SELECT check_key, slot_ms, location_keys FROM manual_runs
     WHERE check_key = ANY(CAST(:checkKeys AS bigint[])) AND slot_ms >= :fromMs AND slot_ms < :toMs
     LIMIT ${DISPATCHED_RUNS_MAX}`,
    { checkKeys: list(checkKeys), fromMs: wholeMs(fromMs), toMs: wholeMs(toMs) },
  );
}

/** Reads up to which instant results are counted in the rollups, Unix ms; 0: none are. */
export async function readRolledUpUntil(db: Knex): Promise<number> {
  const [row] = await queryRows<{ doneUntilMs: number }>(
    db,
    "SELECT done_until_ms FROM job_progress WHERE job = 'rollups'",
  );
  return row?.doneUntilMs ?? 0;
}

/**
 * Slots of a check at one location, with how many are expected: a bucket that lies in the span may hold dispatched runs, too. Those
 * have a span of their own, which expects none.
 */
export interface CountedSpan extends SlotSpan, WholeBuckets {
  checkKey: number;
  expected: number;
}

/** Slots of one check at one location that have no result. */
export interface Shortfall {
  checkKey: number;
  locationKey: number;
  missing: number;
}

/**
 * Finds where slots have no result. Whole buckets of a span count by the rollups; the slots beside them by their results. A result
 * that came late counts once its bucket is computed again.
 */
export function readShortfalls(db: Knex, spans: readonly CountedSpan[]): Promise<Shortfall[]> {
  if (spans.length === 0) return Promise.resolve([]);
  const bindings = bindingsOf(spans);
  const rolledUp = (seconds: number, from: string, to: string) =>
    `coalesce((SELECT sum(success_count + failure_count + error_count + timeout_count) FROM rollups
        WHERE bucket_seconds = ${seconds} AND check_key = {s.check_key} AND location_key = {s.location_key}
          AND bucket_ms BETWEEN ${bindings.minSlot} - ${HOUR_MS} AND ${bindings.maxSlot}
          AND bucket_ms >= ${from} AND bucket_ms < ${to}), 0)`;
  const stored = (condition: string) =>
    `(SELECT count(*) FROM results WHERE check_key = {s.check_key} AND location_key = {s.location_key}
        AND slot_ms BETWEEN ${bindings.minSlot} AND ${bindings.maxSlot} AND slot_ms BETWEEN {s.first_slot} AND {s.last_slot}
        AND (slot_ms - {s.first_slot}) % {s.period} = 0 AND ${condition})`;
  const received = `SELECT CAST(${rolledUp(HOUR_MS / 1000, "h.first_hour", "g.end_hour")}
       + ${rolledUp(BUCKET_MS / 1000, "{s.first_bucket}", "h.first_hour")}
       + ${rolledUp(BUCKET_MS / 1000, "g.end_hour", "{s.end_bucket}")}
       + ${stored("slot_ms < {s.first_bucket}")} + ${stored("slot_ms >= {s.end_bucket}")} AS numeric) AS received
     FROM (SELECT least(({s.first_bucket} + ${HOUR_MS - 1}) / ${HOUR_MS} * ${HOUR_MS}, {s.end_bucket}) AS first_hour) h
     CROSS JOIN LATERAL (SELECT greatest(h.first_hour, {s.end_bucket} / ${HOUR_MS} * ${HOUR_MS}) AS end_hour) g`;
  return queryRows(
    db,
    `SELECT s.check_key, s.location_key, (sum(s.expected) - sum(n.received))::integer AS missing
     FROM ${SPANS}
     CROSS JOIN LATERAL ${perRow(db, { as: "n", columns: "received numeric", select: received })}
     GROUP BY 1, 2 HAVING sum(s.expected) > sum(n.received)`,
    bindings,
  );
}

/** Slots whose recorded reasons are counted for one answer. */
const RECORDED_MAX = 200_000;

/** Counts the slots of the spans that have no result and a recorded reason. */
export function countRecordedReasons(
  db: Knex,
  spans: readonly CountedSpan[],
): Promise<(Shortfall & { reason: string })[]> {
  return queryRows(
    db,
    `SELECT check_key, location_key, reason, count(*)::integer AS missing FROM (
       SELECT m.check_key, m.location_key, m.reason FROM (
         SELECT check_key, location_key, min(first_slot) AS first_slot, max(last_slot) AS last_slot
         FROM ${SPANS} GROUP BY 1, 2) s
       JOIN missed_slots m ON m.check_key = s.check_key AND m.location_key = s.location_key
         AND m.slot_ms BETWEEN s.first_slot AND s.last_slot
       WHERE NOT EXISTS (SELECT FROM ${perRow(db, {
         as: "r",
         columns: "one integer",
         select: `SELECT 1 AS one FROM results r WHERE r.check_key = {m.check_key} AND r.location_key = {m.location_key}
           AND r.slot_ms = {m.slot_ms} AND r.slot_ms BETWEEN {:minSlot} AND {:maxSlot}`,
       })})
       LIMIT ${RECORDED_MAX}) AS recorded
     GROUP BY 1, 2, 3`,
    bindingsOf(spans),
  );
}

/** Reads slots of the spans that have neither a result nor a recorded reason, of each span the newest first. */
export function readUnrecorded(
  db: Knex,
  spans: readonly CountedSpan[],
  limit: number,
): Promise<(MissingSlot & { checkKey: number })[]> {
  return queryRows(
    db,
    `SELECT s.check_key, s.location_key, slot AS slot_ms, slot + s.stagger AS due_ms, NULL AS recorded_reason,
       EXISTS (SELECT FROM locations l WHERE l.key = s.location_key AND l.status = 'retired'
                 AND l.status_changed_at <= to_timestamp((slot + s.stagger) / 1000.0)) AS is_at_retired
     FROM ${SPANS}
     CROSS JOIN LATERAL ${perRow(db, {
       as: "without_result",
       columns: "slot bigint",
       select: `SELECT slot FROM generate_series({s.last_slot}, {s.first_slot}, -{s.period}) AS slot
         WHERE NOT EXISTS (SELECT FROM results WHERE check_key = {s.check_key} AND location_key = {s.location_key}
           AND slot_ms = slot AND slot_ms BETWEEN {:minSlot} AND {:maxSlot})`,
     })}
     WHERE NOT EXISTS (SELECT FROM missed_slots WHERE check_key = s.check_key AND location_key = s.location_key
                         AND slot_ms = slot)
     LIMIT :limit`,
    { ...bindingsOf(spans), limit },
  );
}

const SPANS = `unnest(CAST(:checkKeys AS bigint[]), CAST(:locationKeys AS integer[]), CAST(:firstSlots AS bigint[]),
    CAST(:lastSlots AS bigint[]), CAST(:periods AS bigint[]), CAST(:staggers AS bigint[]), CAST(:counts AS integer[]),
    CAST(:firstBuckets AS bigint[]), CAST(:endBuckets AS bigint[]))
  AS s (check_key, location_key, first_slot, last_slot, period, stagger, expected, first_bucket, end_bucket)`;

/** Returns the bindings of {@link SPANS}, and the bounds over all of them, by which the planner leaves out partitions. */
function bindingsOf(spans: readonly CountedSpan[]) {
  return {
    checkKeys: list(spans.map(({ checkKey }) => checkKey)),
    locationKeys: list(spans.map(({ locationKey }) => locationKey)),
    ...({
      firstSlots: list(spans.map(({ firstSlotMs }) => wholeMs(firstSlotMs))),
      lastSlots: list(spans.map(({ lastSlotMs }) => wholeMs(lastSlotMs))),
    } as Record<string, unknown>),
    periods: list(spans.map(({ periodMs }) => periodMs)),
    staggers: list(spans.map(({ staggerMs }) => wholeMs(staggerMs))),
    counts: list(spans.map(({ expected }) => expected)),
    firstBuckets: list(spans.map(({ firstBucketMs }) => firstBucketMs)),
    endBuckets: list(spans.map(({ endBucketMs }) => endBucketMs)),
    minSlot: wholeMs(spans.reduce((min, span) => Math.min(min, span.firstSlotMs), Number.MAX_SAFE_INTEGER)),
    maxSlot: wholeMs(spans.reduce((max, span) => Math.max(max, span.lastSlotMs), 0)),
  };
}

/** Returns an array's literal, which costs less than a list of bindings. */
function list(values: readonly number[]): string {
  return `{${values.join(",")}}`;
}
