import { type CreateMaintenanceWindow, DAY_MS, type OccurrenceTimes } from "@svc/contract";
import type { TeamContext } from "../../platform/team-context.ts";
import { plannedOccurrences, windowTimes } from "./window.ts";

/** Occurrences that a preview has at most. */
const SHOWN_MAX = 10;
/** Length of time that is looked at for a window that occurs seldom, from its first occurrence on. */
const SELDOM_AHEAD_MS = 400 * DAY_MS;

/**
 * Returns the next occurrences that a window would have, without making it.
 * @throws DomainError `invalid` as the creation would; `unavailable` while too many rules of the team wait
 */
export async function previewWindow(
  { teamId, services }: TeamContext,
  input: Omit<CreateMaintenanceWindow, "checkIds">,
): Promise<OccurrenceTimes[]> {
  const nowMs = services.clock.nowMs();
  const times = windowTimes(input);
  const soon = await plannedOccurrences(teamId, times, { nowMs });
  const isEnough = soon.length >= SHOWN_MAX || times.recurrenceRule === null;
  const aheadMs = Math.max(0, times.startsAtMs - nowMs) + SELDOM_AHEAD_MS;
  const all = isEnough ? soon : await plannedOccurrences(teamId, times, { nowMs, aheadMs });
  return all.slice(0, SHOWN_MAX).map(({ startsAtMs, endsAtMs }) => ({
    startsAt: new Date(startsAtMs).toISOString(),
    endsAt: new Date(endsAtMs).toISOString(),
  }));
}
