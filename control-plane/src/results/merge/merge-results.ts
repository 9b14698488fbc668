/**
 * Merges the hours of results, six at a time, into parts of their days. An hour is copied soon after it has ended, while its pages
 * are in memory; the part takes the place of its hours once the last of them is copied. Each row is copied once, and stays where it is
 * then. Whatever is interrupted is gone on with next time.
 */
import { groupBy, HOUR_MS, MINUTE_MS } from "@svc/contract";
import type { Knex } from "knex";
import { monotonicMs } from "../../platform/clock.ts";
import { PART_MS, partOf } from "../retention/partitions.ts";
import { LATE_MARK_MS } from "../rollups/timing.ts";
import { adoptHours } from "./adopt-hours-store.ts";
import {
  buildKey,
  copyChecks,
  copyMostLate,
  createMergedTable,
  deletePurged,
  forgetSettledMarks,
  listHours,
  readHourProgress,
  summarizeSlots,
  vacuumMerged,
} from "./store.ts";
import { switchPart } from "./switch-store.ts";

/** Time from an hour's end to its copy, in which most late results arrive. From {@link LATE_MARK_MS} on, each of them is marked. */
const COPY_AFTER_MS = LATE_MARK_MS + 10 * MINUTE_MS;

/** How often a part is switched before it is left for the next time: late results may come faster than the switch copies them. */
const SWITCH_ATTEMPTS = 3;

/** How the merge goes about its work. */
export interface MergeOptions {
  signal?: AbortSignal | undefined;
  /** Rests for as long as the work before took, ms, so that it takes half of a core at most; absent: no rest. */
  rest?: ((ms: number) => Promise<void>) | undefined;
  /** Rows that one transaction copies, about; absent: as many as take a fraction of a second. */
  rowsAtOnce?: number | undefined;
}

/**
 * Copies the hours that have ended, and switches the parts whose hours are all copied.
 * @param nowMs Unix ms, by the database's clock
 */
export async function mergeResults(knex: Knex, nowMs: number, options: MergeOptions = {}): Promise<void> {
  await adoptHours(knex);
  const parts = groupBy(await listHours(knex), partOf);
  for (const [partMs, hours] of parts) {
    const isCopied = await copyHours(knex, hours, { ...options, nowMs });
    if (options.signal?.aborted) return;
    // Hours that are not there yet may appear until the last has ended.
    if (!isCopied || nowMs < partMs + PART_MS + COPY_AFTER_MS) continue;
    await buildKey(knex, partMs);
    await deletePurged(knex, partMs);
    for (let attempt = 0; attempt < SWITCH_ATTEMPTS; attempt++) {
      await copyMostLate(knex, partMs);
      if (await switchPart(knex, partMs)) break;
    }
  }
  await forgetSettledMarks(knex);
}

/** @returns true: all hours are copied */
async function copyHours(
  knex: Knex,
  hours: readonly number[],
  { nowMs, signal, rest, rowsAtOnce }: MergeOptions & { nowMs: number },
): Promise<boolean> {
  for (const hourMs of hours) {
    if (signal?.aborted || nowMs < hourMs + HOUR_MS + COPY_AFTER_MS) return false;
    const { isSettled, isCopied } = await readHourProgress(knex, hourMs);
    if (isCopied) continue;
    if (!isSettled) return false;
    await createMergedTable(knex, partOf(hourMs));
    for (let isMore = true; isMore; ) {
      if (signal?.aborted) return false;
      const startedAtMs = monotonicMs();
      isMore = await copyChecks(knex, { hourMs, rowsAtOnce });
      await rest?.(monotonicMs() - startedAtMs);
    }
    await vacuumMerged(knex, partOf(hourMs));
    await summarizeSlots(knex, hourMs);
  }
  return true;
}
