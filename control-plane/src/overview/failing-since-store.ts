/** SQL of since when check locations fail. */
import { HOUR_MS, STATUS_CODES, wholeMs } from "@svc/contract";
import type { Knex } from "knex";
import { perRow } from "../platform/db/engine-sql.ts";
import { queryRows } from "../platform/db/rows.ts";
import { newestToMs } from "../platform/db/slot-bindings.ts";
import type { TimeRange } from "../results/coverage/time-range.ts";
import { readOldestSlotMs } from "../results/oldest-slot-store.ts";
import { hourOf } from "../results/rollups/buckets.ts";
import { WINDOW_MS_MAX } from "../results/slot-windows.ts";

/** Results by which the begin of a failure is looked for one by one; one that is older is found by the hours. */
const LATELY_MS = 2 * HOUR_MS;

/** Unix ms. */
interface LastSuccess {
  /** Newest success of the last hours; null: none. */
  successMs: number | null;
  /** Newest hour before that with a success; null: none. */
  hourMs: number | null;
}

/**
 * Reads since when check locations fail: the slots of their first results after their newest success, Unix ms, in their order; null where
 * the results are gone. Only partitions since the oldest of these successes are looked at.
 */
export async function readFailingSince(
  db: Knex,
  failures: readonly { key: number; locationKey: number }[],
  nowMs: number,
): Promise<(number | null)[]> {
  const keys = {
    checkKeys: list(failures.map(({ key }) => key)),
    locationKeys: list(failures.map(({ locationKey }) => locationKey)),
    newestToMs: newestToMs(nowMs),
  };
  const successes = await queryRows<LastSuccess>(
    db,
    `SELECT s.slot_ms AS success_ms, h.bucket_ms AS hour_ms
     FROM unnest(CAST(:checkKeys AS bigint[]), CAST(:locationKeys AS integer[])) WITH ORDINALITY AS p (check_key, location_key, index)
     LEFT JOIN LATERAL ${perRow(db, {
       as: "s",
       columns: "slot_ms bigint",
       select: `SELECT slot_ms FROM results WHERE check_key = {p.check_key} AND location_key = {p.location_key}
         AND status = ${STATUS_CODES.success} AND slot_ms BETWEEN {:latelyMs} AND {:newestToMs} ORDER BY slot_ms DESC LIMIT 1`,
     })} ON true
     LEFT JOIN LATERAL ${perRow(db, {
       as: "h",
       columns: "bucket_ms bigint",
       select: `SELECT bucket_ms FROM rollups WHERE check_key = {p.check_key} AND bucket_seconds = ${HOUR_MS / 1000}
         AND location_key = {p.location_key} AND success_count > 0 ORDER BY bucket_ms DESC LIMIT 1`,
     })} ON true
     ORDER BY p.index`,
    { ...keys, latelyMs: wholeMs(nowMs - LATELY_MS) },
  );
  // Hours are kept for longer than results, which can't lie before the oldest day.
  const oldestMs = successes.some((one) => beganLongAgo(one, nowMs)) ? await readOldestSlotMs(db) : 0;
  let pending: PendingFailure[] = failures.map((failure, index) => {
    const { successMs = null, hourMs = null } = successes[index] ?? {};
    const fromMs = Math.max(oldestMs, successMs ?? hourMs ?? oldestMs);
    return {
      ...failure,
      index,
      fromMs,
      toMs: successMs ?? (hourMs === null ? fromMs - 1 : hourMs + HOUR_MS - 1),
    };
  });
  const sinces = new Array<number | null>(failures.length).fill(null);
  const firstOf = (rows: readonly PendingFailure[]) =>
    rows.reduce((first, { fromMs }) => Math.min(first, fromMs), Number.POSITIVE_INFINITY);
  const lastMs = newestToMs(nowMs);
  // Windows begin with whole hours, so that no hour with a success lies in two of them.
  let fromMs = hourOf(firstOf(pending));
  while (pending.length > 0 && fromMs <= lastMs) {
    const toMs = Math.min(lastMs, fromMs + WINDOW_MS_MAX - 1);
    const asked = pending.filter((failure) => failure.fromMs <= toMs);
    for (const { index, sinceMs } of await readFirstAfterSuccess(db, asked, { fromMs, toMs }))
      sinces[index] = sinceMs;
    pending = pending.filter(({ index }) => sinces[index] === null);
    fromMs = Math.max(toMs + 1, hourOf(firstOf(pending)));
  }
  return sinces;
}

function beganLongAgo({ successMs, hourMs }: LastSuccess, nowMs: number): boolean {
  return (successMs ?? hourMs ?? 0) < nowMs - WINDOW_MS_MAX;
}

/** A failing check location, and between which instants its last success lies, Unix ms; a success that is gone may have been there. */
interface PendingFailure {
  index: number;
  key: number;
  locationKey: number;
  fromMs: number;
  toMs: number;
}

/** Reads the first results of the window after the last successes. Where there is no success, it is the first result since `fromMs`. */
function readFirstAfterSuccess(
  db: Knex,
  failures: readonly PendingFailure[],
  { fromMs, toMs }: TimeRange,
): Promise<{ index: number; sinceMs: number }[]> {
  return queryRows(
    db,
    `SELECT p.index, f.since_ms
     FROM unnest(CAST(:indexes AS integer[]), CAST(:checkKeys AS bigint[]), CAST(:locationKeys AS integer[]), CAST(:froms AS bigint[]),
       CAST(:tos AS bigint[])) AS p (index, check_key, location_key, from_ms, to_ms)
     CROSS JOIN LATERAL ${perRow(db, {
       as: "f",
       columns: "since_ms bigint",
       select: `SELECT slot_ms AS since_ms FROM results
         WHERE check_key = {p.check_key} AND location_key = {p.location_key} AND slot_ms BETWEEN {:fromMs} AND {:toMs}
           AND slot_ms > coalesce((SELECT slot_ms FROM results
             WHERE check_key = {p.check_key} AND location_key = {p.location_key} AND status = ${STATUS_CODES.success}
               AND slot_ms BETWEEN {p.from_ms} AND {p.to_ms} AND slot_ms BETWEEN {:fromMs} AND {:toMs}
             ORDER BY slot_ms DESC LIMIT 1), {p.from_ms} - 1)
         ORDER BY slot_ms LIMIT 1`,
     })}`,
    {
      indexes: list(failures.map(({ index }) => index)),
      checkKeys: list(failures.map(({ key }) => key)),
      locationKeys: list(failures.map(({ locationKey }) => locationKey)),
      froms: list(failures.map((failure) => failure.fromMs)),
      tos: list(failures.map((failure) => failure.toMs)),
      fromMs: wholeMs(fromMs),
      toMs: wholeMs(toMs),
    },
  );
}

function list(values: readonly number[]): string {
  return `{${values.join(",")}}`;
}
