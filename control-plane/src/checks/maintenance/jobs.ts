/**
 * What time does to windows, on one replica at a time: occurrences are worked out ahead, starts and ends recorded, checks
 * paused and resumed. Each step compares what is with what should be, so that a step that was missed is made up for.
 */
import { DAY_MS } from "@svc/contract";
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
/** Occurrences are worked out again when what is known reaches less far than this. */
const KNOWN_AHEAD_MS_MIN = 7 * DAY_MS;

/** Told of what started and ended, in the transaction that records it. */
export type OnMaintenanceEvents = (trx: Knex, events: readonly MaintenanceEvent[]) => Promise<void>;

export function startMaintenance(
  { knex, log, clock }: Services,
  onEvents: OnMaintenanceEvents = async () => undefined,
): BackgroundJob {
  return startBackgroundJob({
    name: "maintenance windows",
    intervalMs: INTERVAL_MS,
    lockKey: ADVISORY_LOCKS.maintenance,
    knex,
    log,
    work: () => applyWindows(knex, log, clock.nowMs(), onEvents),
  });
}

/** One look at the windows. Harmless to repeat, and to overlap with another replica's. */
export async function applyWindows(
  knex: Knex,
  log: Logger,
  nowMs: number,
  onEvents: OnMaintenanceEvents = async () => undefined,
): Promise<void> {
  await expandWindows(knex, log, nowMs);
  await switchChecks(knex, nowMs, true);
  await switchChecks(knex, nowMs, false);
  await knex.transaction(async (trx) => {
    const events = [...(await recordStarts(trx, nowMs)), ...(await recordEnds(trx, nowMs))];
    if (events.length > 0) await onEvents(trx, events);
  });
}

async function switchChecks(knex: Knex, nowMs: number, toPaused: boolean): Promise<void> {
  for (;;) {
    const keys = await (toPaused ? findChecksToPause : findChecksToResume)(knex, nowMs, CHECKS_AT_ONCE);
    if (keys.length === 0) return;
    await knex.transaction(async (trx) => {
      await setPaused(trx, keys, toPaused, nowMs);
      await wakeFleets(trx, "checks");
    });
    if (keys.length < CHECKS_AT_ONCE) return;
  }
}

interface WindowToExpand {
  key: number;
  id: string;
  startsAt: string;
  endsAt: string;
  timezone: string;
  recurrenceRule: string;
}

async function expandWindows(knex: Knex, log: Logger, nowMs: number): Promise<void> {
  const windows = await queryRows<WindowToExpand>(
    knex,
    `SELECT key, id, starts_at AS "startsAt", ends_at AS "endsAt", timezone, recurrence_rule AS "recurrenceRule"
     FROM maintenance_windows
     WHERE recurrence_rule IS NOT NULL AND deleted_at IS NULL AND expanded_until < ?
     ORDER BY expanded_until LIMIT ?`,
    [new Date(nowMs + KNOWN_AHEAD_MS_MIN), WINDOWS_AT_ONCE],
  );
  for (const window of windows) await expandWindow(knex, log, window, nowMs);
}

async function expandWindow(knex: Knex, log: Logger, window: WindowToExpand, nowMs: number): Promise<void> {
  await knex.transaction(async (trx) => {
    // Changed or deleted since it was read: then it was worked out anew.
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
    } catch (err) {
      // The rule was fine when it was stored; a week later it is tried again.
      log.error({ err, windowId: window.id }, "the occurrences of a maintenance window can't be worked out");
    }
    await trx("maintenanceWindows")
      .where({ key: window.key })
      .update({ expandedUntil: new Date(nowMs + EXPANDED_AHEAD_MS) });
  });
}
