/**
 * Decides on an alert that nothing holds back any more: its check is given time to succeed again, and is judged by the results that it brings
 * since then. Pure.
 */
import { DAY_MS, MINUTE_MS, SECOND_MS } from "@svc/contract";

/** Time that a check is given to succeed again, beside a period of its own. */
const AFTER_RETURN_MS = 30 * SECOND_MS;
/** Longest period of a check that it is waited for where the check fails. */
const PERIOD_MS_MAX = 5 * MINUTE_MS;
/** Time that is waited for a run's result beside two periods. */
const NEXT_RUN_MS = 2 * MINUTE_MS;
/** Longest time that is waited for the next result of a check. */
const NEXT_RESULT_MS_MAX = 65 * MINUTE_MS;
/** Longest time for which a check that succeeds keeps an alert waiting for its recovery; longer where it runs more rarely. */
const RECOVERY_MS_MAX = DAY_MS;

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
  /** True when its rule is about failing runs only: then successes end it. A check that is slow succeeds all the time. */
  isAboutFailure: boolean;
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
 * - One whose newest results are all successes is about to recover, however many successes its rule asks for, within a day.
 * - An alert about something else, such as slow runs, is notified as if any run had failed: it would have ended otherwise.
 * - One that has not run since is waited for.
 * @param newest where its results count: one of each location
 */
export function decideReturn(
  alert: ReturningAlert,
  newest: readonly NewestResult[],
  nowMs: number,
): WaitDecision {
  const { freeSinceMs } = alert;
  if (freeSinceMs === null) return { kind: "wait", freeSinceMs: nowMs };
  return nowMs >= freeSinceMs + waitMsOf({ ...alert, freeSinceMs }, newest)
    ? { kind: "release" }
    : { kind: "wait", freeSinceMs };
}

function waitMsOf(
  { frequencySeconds, freeSinceMs, isAboutFailure }: ReturningAlert & { freeSinceMs: number },
  newest: readonly NewestResult[],
): number {
  if (newest.some(({ isFailing, slotMs }) => (isFailing || !isAboutFailure) && slotMs >= freeSinceMs))
    return Math.min(frequencySeconds * SECOND_MS, PERIOD_MS_MAX) + AFTER_RETURN_MS;
  const isRecovering = isAboutFailure && newest.length > 0 && newest.every(({ isFailing }) => !isFailing);
  if (!isRecovering) return nextResultMs(frequencySeconds);
  const oldestMs = Math.min(...newest.map(({ slotMs }) => slotMs));
  const lastMs = lastSuccessMs(frequencySeconds);
  const recoveryMs = Math.min(oldestMs - freeSinceMs + lastMs, Math.max(RECOVERY_MS_MAX, lastMs));
  return Math.max(recoveryMs, nextResultMs(frequencySeconds));
}

/** Decides where the results can't be read: as if none had arrived. */
export function decideReturnBlindly(
  alert: Omit<ReturningAlert, "isAboutFailure">,
  nowMs: number,
): WaitDecision {
  return decideReturn({ ...alert, isAboutFailure: true }, [], nowMs);
}
