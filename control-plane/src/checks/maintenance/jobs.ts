/**
 * Applies the passage of time to windows, on one replica at a time: expands occurrences ahead, records starts and ends, pauses
 * and resumes checks. Each step compares the stored state with the wanted one, so that a missed step is made up for.
 */
import { DAY_MS, type MaintenanceWindowId } from "@svc/contract";
import type { Knex } from "knex";
import type { Logger } from "pino";
import { type BackgroundJob, startBackgroundJob } from "../../platform/background.ts";
import { ADVISORY_LOCKS } from "../../platform/db/advisory-locks.ts";
import { queryRows } from "../../platform/db/rows.ts";
import { wakeFleets } from "../../platform/db/wake-ups.ts";
import type { Services } from "../../platform/services.ts";
import { type MaintenanceEvent, recordEnds, recordStarts } from "./event-store.ts";
import { findChecksToPause, findChecksToResume, setPaused } from "./pause-store.ts";
import { addOccurrences } from "./store.ts";
import { EXPANDED_AHEAD_MS, plannedOccurrences } from "./window.ts";

const INTERVAL_MS = 1_000;
const CHECKS_AT_ONCE = 500;
const WINDOWS_AT_ONCE = 50;
/** A window is expanded again when its stored occurrences reach less far ahead than this. */
const KNOWN_AHEAD_MS_MIN = 7 * DAY_MS;

/** Starts the job. */
export function startMaintenanceJob({ knex, log, clock }: Services): BackgroundJob {
  return startBackgroundJob({
    name: "maintenance windows",
    intervalMs: INTERVAL_MS,
    lockKey: ADVISORY_LOCKS.maintenance,
    knex,
    log,
    work: async () => void (await applyWindows(knex, log, clock.nowMs())),
  });
}

/** Applies the windows once. Safe to repeat, and to overlap with another replica's call. Returns the events it recorded. */
export async function applyWindows(knex: Knex, log: Logger, nowMs: number): Promise<MaintenanceEvent[]> {
  await expandWindows(knex, log, nowMs);
  await switchChecks(knex, nowMs, true);
  await switchChecks(knex, nowMs, false);
  return knex.transaction(async (trx) => [
    ...(await recordStarts(trx, nowMs)),
    ...(await recordEnds(trx, nowMs)),
  ]);
}

async function switchChecks(knex: Knex, nowMs: number, toPaused: boolean): Promise<void> {
  for (;;) {
    const keys = await (toPaused ? findChecksToPause : findChecksToResume)(knex, nowMs, CHECKS_AT_ONCE);
    if (keys.length === 0) return;
    await knex.transaction(async (trx) => {
      await setPaused(trx, { keys, paused: toPaused, nowMs });
      await wakeFleets(trx, "checks");
    });
    if (keys.length < CHECKS_AT_ONCE) return;
  }
}

interface WindowToExpand {
  key: number;
  id: MaintenanceWindowId;
  startsAt: string;
  endsAt: string;
  timezone: string;
  recurrenceRule: string;
}

async function expandWindows(knex: Knex, log: Logger, nowMs: number): Promise<void> {
  const windows = await queryRows<WindowToExpand>(
    knex,
    `SELECT key, id, starts_at, ends_at, timezone, recurrence_rule
     FROM maintenance_windows
     WHERE recurrence_rule IS NOT NULL AND deleted_at IS NULL AND expanded_until < ?
     ORDER BY expanded_until LIMIT ?`,
    [new Date(nowMs + KNOWN_AHEAD_MS_MIN), WINDOWS_AT_ONCE],
  );
  for (const window of windows) await expandWindow({ knex, log }, window, nowMs);
}

async function expandWindow(
  { knex, log }: { knex: Knex; log: Logger },
  window: WindowToExpand,
  nowMs: number,
): Promise<void> {
  await knex.transaction(async (trx) => {
    // A window that was changed or deleted since it was read has been expanded anew.
    const [same] = await queryRows(
      trx,
      `SELECT 1 FROM maintenance_windows WHERE key = ? AND deleted_at IS NULL AND expanded_until < ? FOR UPDATE`,
      [window.key, new Date(nowMs + KNOWN_AHEAD_MS_MIN)],
    );
    if (!same) return;
    try {
      await addOccurrences(
        trx,
        window.key,
        plannedOccurrences(
          {
            startsAtMs: Date.parse(window.startsAt),
            endsAtMs: Date.parse(window.endsAt),
            timezone: window.timezone,
            recurrenceRule: window.recurrenceRule,
          },
          nowMs,
        ),
      );
    } catch (error) {
      // The rule was fine when it was stored; it is tried again a week later.
      log.error(
        { err: error, windowId: window.id },
        "the occurrences of a maintenance window can't be expanded",
      );
    }
    await trx("maintenanceWindows")
      .where({ key: window.key })
      .update({ expandedUntil: new Date(nowMs + EXPANDED_AHEAD_MS) });
  });
}
