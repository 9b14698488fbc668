/**
 * Merges the hours of results into partitions of their days. An hour is copied soon after it has ended, while its pages are in
 * memory; the day's partition takes the place of its hours after midnight. Whatever is interrupted is gone on with next time.
 */
import { DAY_MS, groupBy, HOUR_MS, MINUTE_MS } from "@svc/contract";
import type { Knex } from "knex";
import { monotonicMs } from "../../platform/clock.ts";
import { dayOf } from "../retention/partitions.ts";
import { LATE_MARK_MS } from "../rollups/timing.ts";
import {
  buildKey,
  copyChecks,
  copyMostLate,
  createMergedTable,
  deletePurged,
  forgetSettledMarks,
  listHours,
  readHourProgress,
  switchDay,
  vacuumMerged,
} from "./store.ts";

/** Time from an hour's end to its copy, in which most late results arrive. From {@link LATE_MARK_MS} on, each of them is marked. */
const COPY_AFTER_MS = LATE_MARK_MS + 10 * MINUTE_MS;
/** Time from a day's end to the switch. */
const SWITCH_AFTER_MS = HOUR_MS;

/** How the merge goes about its work. */
export interface MergeOptions {
  signal?: AbortSignal | undefined;
  /** Rests for as long as the work before took, ms, so that it takes half of a core at most; absent: no rest. */
  rest?: ((ms: number) => Promise<void>) | undefined;
  /** Rows that one transaction copies, about; absent: as many as take a fraction of a second. */
  rowsAtOnce?: number | undefined;
}

/**
 * Copies the hours that have ended, and switches the days whose hours are all copied.
 * @param nowMs Unix ms, by the database's clock
 */
export async function mergeResults(knex: Knex, nowMs: number, options: MergeOptions = {}): Promise<void> {
  const days = groupBy(await listHours(knex), dayOf);
  for (const [dayMs, hours] of days) {
    const isCopied = await copyHours(knex, hours, { ...options, dayMs, nowMs });
    if (options.signal?.aborted) return;
    if (!isCopied || nowMs < dayMs + DAY_MS + SWITCH_AFTER_MS) continue;
    await buildKey(knex, dayMs);
    await deletePurged(knex, dayMs);
    await copyMostLate(knex, dayMs);
    await switchDay(knex, dayMs);
  }
  await forgetSettledMarks(knex);
}

/** @returns true: all hours are copied */
async function copyHours(
  knex: Knex,
  hours: readonly number[],
  { dayMs, nowMs, signal, rest, rowsAtOnce }: MergeOptions & { dayMs: number; nowMs: number },
): Promise<boolean> {
  for (const hourMs of hours) {
    if (signal?.aborted || nowMs < hourMs + HOUR_MS + COPY_AFTER_MS) return false;
    const { isSettled, isCopied } = await readHourProgress(knex, hourMs);
    if (isCopied) continue;
    if (!isSettled) return false;
    await createMergedTable(knex, dayMs);
    for (let isMore = true; isMore; ) {
      if (signal?.aborted) return false;
      const startedAtMs = monotonicMs();
      isMore = await copyChecks(knex, { dayMs, hourMs, rowsAtOnce });
      await rest?.(monotonicMs() - startedAtMs);
    }
    await vacuumMerged(knex, dayMs);
  }
  return true;
}
