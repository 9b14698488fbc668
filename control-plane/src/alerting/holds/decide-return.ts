/**
 * Decides on an alert that nothing holds back any more: its check is given time to succeed again, and is judged by the results that it brings
 * since then. Pure.
 */
import { MINUTE_MS, SECOND_MS } from "@svc/contract";

/** Time that a check is given to succeed again, beside a period of its own. */
const AFTER_RETURN_MS = 30 * SECOND_MS;
/** Longest period of a check that it is waited for where the check fails. */
const PERIOD_MS_MAX = 5 * MINUTE_MS;
/** Time that is waited for a run's result beside two periods. */
const NEXT_RUN_MS = 2 * MINUTE_MS;
/** Longest time that is waited for the next result of a check. */
const NEXT_RESULT_MS_MAX = 65 * MINUTE_MS;

/** The newest result of a check at one of its locations. `slotMs`: Unix ms. */
export interface NewestResult {
  locationKey: number;
  slotMs: number;
  isFailing: boolean;
}

/** An alert that nothing holds back any more. */
export interface ReturningAlert {
  frequencySeconds: number;
  /** Since when, in Unix ms; null: since now. */
  freeSinceMs: number | null;
}

/** Outcome for an alert that stands under no other: it waits, or its notifications are sent. */
export type WaitDecision = { kind: "wait"; freeSinceMs: number | null } | { kind: "release" };

/** Returns the longest time, in ms, that is waited for the next result of a check. */
function nextResultMs(frequencySeconds: number): number {
  return Math.min(2 * frequencySeconds * SECOND_MS + NEXT_RUN_MS, NEXT_RESULT_MS_MAX);
}

/** Returns the age, in ms, of a success from which on it does not keep an alert waiting for its recovery any more. */
export function lastSuccessMs(frequencySeconds: number): number {
  return Math.max(2 * frequencySeconds * SECOND_MS + NEXT_RUN_MS, NEXT_RESULT_MS_MAX);
}

/**
 * Returns the decision at this instant, Unix ms.
 * - A check that has failed since is notified once it had time to succeed: one period, 5 minutes at most, and 30 s.
 * - One whose newest results are all successes is about to recover, however many successes its rule asks for.
 * - One that has not run since is waited for.
 * @param newest where its results count: one of each location
 */
export function decideReturn(
  { frequencySeconds, freeSinceMs }: ReturningAlert,
  newest: readonly NewestResult[],
  nowMs: number,
): WaitDecision {
  if (freeSinceMs === null) return { kind: "wait", freeSinceMs: nowMs };
  return nowMs >= freeSinceMs + waitMsOf({ frequencySeconds, freeSinceMs }, newest)
    ? { kind: "release" }
    : { kind: "wait", freeSinceMs };
}

function waitMsOf(
  { frequencySeconds, freeSinceMs }: { frequencySeconds: number; freeSinceMs: number },
  newest: readonly NewestResult[],
): number {
  if (newest.some(({ isFailing, slotMs }) => isFailing && slotMs >= freeSinceMs))
    return Math.min(frequencySeconds * SECOND_MS, PERIOD_MS_MAX) + AFTER_RETURN_MS;
  if (newest.length === 0 || newest.some(({ isFailing }) => isFailing)) return nextResultMs(frequencySeconds);
  const oldestMs = Math.min(...newest.map(({ slotMs }) => slotMs));
  return Math.max(oldestMs - freeSinceMs + lastSuccessMs(frequencySeconds), nextResultMs(frequencySeconds));
}

/** Decides where the results can't be read: as if none had arrived. */
export function decideReturnBlindly(alert: ReturningAlert, nowMs: number): WaitDecision {
  return decideReturn(alert, [], nowMs);
}
