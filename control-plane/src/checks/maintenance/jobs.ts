/**
 * Applies the passage of time to windows, on one replica at a time: expands occurrences ahead, records starts and ends,
 * pauses and resumes checks. Each step compares the stored state with the wanted one, so that a missed step is made up
 * for.
 */
import { DAY_MS, DomainError, type MaintenanceWindowId, type TeamId } from "@svc/contract";
import type { Knex } from "knex";
import type { Logger } from "pino";
import { type BackgroundJob, startBackgroundJob } from "../../platform/background.ts";
import { ADVISORY_LOCKS } from "../../platform/db/advisory-locks.ts";
import { queryRows } from "../../platform/db/rows.ts";
import type { Services } from "../../platform/services.ts";
import type { Occurrence } from "./recurrence.ts";
import { addOccurrences } from "./store.ts";
import { postgresWindowSwitchStore } from "./switch-store.ts";
import { switchWindows } from "./switch-windows.ts";
import { EXPANDED_AHEAD_MS, plannedOccurrences } from "./window.ts";

const INTERVAL_MS = 1_000;
const WINDOWS_AT_ONCE = 50;
/** Windows of one team that are expanded at once, so that a team with many slow rules does not hold up the others. */
const TEAM_WINDOWS_AT_ONCE = 5;
/** A window is expanded again when its stored occurrences reach less far ahead than this. */
const KNOWN_AHEAD_MS_MIN = 7 * DAY_MS;

/** Starts the jobs: rules that take long to expand hold up no start or end. */
export function startMaintenanceJob({ knex, log, clock }: Services): BackgroundJob {
  const store = postgresWindowSwitchStore(knex);
  const jobs = [
    startBackgroundJob({
      name: "maintenance windows",
      intervalMs: INTERVAL_MS,
      lockKey: ADVISORY_LOCKS.maintenance,
      knex,
      log,
      work: async () => void (await switchWindows(store, clock.nowMs())),
    }),
    startBackgroundJob({
      name: "occurrences of maintenance windows",
      intervalMs: INTERVAL_MS,
      lockKey: ADVISORY_LOCKS.maintenanceExpansion,
      knex,
      log,
      work: () => expandWindows(knex, log, clock.nowMs()),
    }),
  ];
  return { close: async () => void (await Promise.all(jobs.map((job) => job.close()))) };
}

interface WindowToExpand {
  key: number;
  id: MaintenanceWindowId;
  teamId: TeamId;
  startsAt: string;
  endsAt: string;
  timezone: string;
  recurrenceRule: string;
}

/** Adds occurrences to recurring windows whose stored ones reach less than a week ahead: 50 windows at most in a call. */
export async function expandWindows(knex: Knex, log: Logger, nowMs: number): Promise<void> {
  const windows = await queryRows<WindowToExpand>(
    knex,
    `SELECT key, id, team_id, starts_at, ends_at, timezone, recurrence_rule
     FROM (SELECT *, row_number() OVER (PARTITION BY team_id ORDER BY expanded_until) AS nth_of_team
           FROM maintenance_windows
           WHERE recurrence_rule IS NOT NULL AND deleted_at IS NULL AND expanded_until < ?) AS w
     WHERE nth_of_team <= ?
     ORDER BY expanded_until LIMIT ?`,
    [new Date(nowMs + KNOWN_AHEAD_MS_MIN), TEAM_WINDOWS_AT_ONCE, WINDOWS_AT_ONCE],
  );
  // The rules are worked out before any window is locked, because they may take long.
  const worked = await Promise.all(
    windows.map(async (window) => ({ window, occurrences: await occurrencesOf(log, window, nowMs) })),
  );
  for (const { window, occurrences } of worked)
    if (occurrences) await storeOccurrences(knex, { window, occurrences, nowMs });
}

/**
 * Returns a window's occurrences: none for a rule that can't be used any more, undefined when they have to be asked for
 * again.
 */
async function occurrencesOf(
  log: Logger,
  window: WindowToExpand,
  nowMs: number,
): Promise<Occurrence[] | undefined> {
  const times = {
    startsAtMs: Date.parse(window.startsAt),
    endsAtMs: Date.parse(window.endsAt),
    timezone: window.timezone,
    recurrenceRule: window.recurrenceRule,
  };
  try {
    return await plannedOccurrences(window.teamId, times, { nowMs });
  } catch (error) {
    log.error(
      { err: error, windowId: window.id },
      "the occurrences of a maintenance window can't be expanded",
    );
    // The rule was fine when it was stored; it is tried again a week later.
    return error instanceof DomainError && error.code === "invalid" ? [] : undefined;
  }
}

interface ExpandedWindow {
  window: WindowToExpand;
  occurrences: Occurrence[];
  nowMs: number;
}

async function storeOccurrences(knex: Knex, { window, occurrences, nowMs }: ExpandedWindow): Promise<void> {
  await knex.transaction(async (trx) => {
    // A window that was changed or deleted since it was read has been expanded anew.
    const [unchanged] = await queryRows(
      trx,
      `SELECT 1 FROM maintenance_windows WHERE key = ? AND deleted_at IS NULL AND expanded_until < ? FOR UPDATE`,
      [window.key, new Date(nowMs + KNOWN_AHEAD_MS_MIN)],
    );
    if (!unchanged) return;
    await addOccurrences(trx, window.key, occurrences);
    await trx("maintenanceWindows")
      .where({ key: window.key })
      .update({ expandedUntil: new Date(nowMs + EXPANDED_AHEAD_MS) });
  });
}
