/**
 * Decides whether an alert of a check that depends on others is held back, and for how long. Pure. An alert is either held under an
 * open alert of a check that it depends on, or held until an instant that lies at most minutes ahead: no way leads to an
 * alert that nobody is ever notified of.
 */
import type { AlertInstanceId, CheckId } from "@svc/contract";

/** Longest time for which an alert waits until the checks that it depends on have run again, all of them having succeeded so far. */
export const LOOK_AROUND_MS = 60_000;
/** Longest time for which an alert waits when one of those checks fails and has no alert yet. */
export const SUSPICION_MS = 180_000;
/** Time that a check is given to succeed again once none fails any more, beside a period of its own. */
const AFTER_RECOVERY_MS = 30_000;
/** Longest period of a check that it is waited for. */
const PERIOD_MS_MAX = 300_000;

/** A check that the alert's check depends on, directly or through others. */
export interface Dependency {
  checkId: CheckId;
  /** The alert about its failing runs that people are notified of, or that is held back itself; null: there is none. */
  alert: { instanceId: AlertInstanceId; startedAtMs: number; isHeld: boolean } | null;
  /** Its newest result at each of its locations. */
  newest: readonly { slotMs: number; isFailing: boolean }[];
}

/** An alert that is held back. Instants are Unix ms. */
export interface HeldAlert {
  startedAtMs: number;
  /** Period of its check. */
  frequencySeconds: number;
  /** The alert under which it was held last; null: under none yet. */
  causeId: AlertInstanceId | null;
  /** Since when no check that it depends on has such an alert any more; null while one has, or none had. */
  freeSinceMs: number | null;
}

/**
 * Outcome for an alert that is held back: it stays under the alert of another check, it waits for a while under none, or its
 * notifications are sent.
 */
export type HoldDecision =
  | { kind: "hold"; causeId: AlertInstanceId }
  | { kind: "wait"; freeSinceMs: number | null }
  | { kind: "release" };

/** @param dependencies only those that run: what a check without runs says is no longer true */
export function decideHold(
  alert: HeldAlert,
  dependencies: readonly Dependency[],
  nowMs: number,
): HoldDecision {
  const causeId = causeOf(dependencies);
  if (causeId !== undefined) return { kind: "hold", causeId };
  if (alert.causeId !== null || alert.freeSinceMs !== null) return afterRecovery(alert, nowMs);
  return hasPassed(alert.startedAtMs, graceMs(alert, dependencies), nowMs)
    ? { kind: "release" }
    : { kind: "wait", freeSinceMs: null };
}

/** Decides where nothing is known of the dependencies, because they can't be read: as if none had an alert, and one failed. */
export function decideBlindly(alert: HeldAlert, nowMs: number): HoldDecision {
  if (alert.causeId !== null || alert.freeSinceMs !== null) return afterRecovery(alert, nowMs);
  return hasPassed(alert.startedAtMs, SUSPICION_MS, nowMs)
    ? { kind: "release" }
    : { kind: "wait", freeSinceMs: null };
}

/** Returns the alert to be held under: one that people are notified of before one that is held itself, the oldest of equals. */
function causeOf(dependencies: readonly Dependency[]): AlertInstanceId | undefined {
  const [first] = dependencies
    .flatMap(({ alert }) => alert ?? [])
    .sort((a, b) => Number(a.isHeld) - Number(b.isHeld) || a.startedAtMs - b.startedAtMs);
  return first?.instanceId;
}

/** Decides once nothing holds the alert any more: its check is given time to succeed again. */
export function afterRecovery(
  { frequencySeconds, freeSinceMs }: Pick<HeldAlert, "frequencySeconds" | "freeSinceMs">,
  nowMs: number,
): Exclude<HoldDecision, { kind: "hold" }> {
  if (freeSinceMs === null) return { kind: "wait", freeSinceMs: nowMs };
  const waitMs = Math.min(frequencySeconds * 1000, PERIOD_MS_MAX) + AFTER_RECOVERY_MS;
  return hasPassed(freeSinceMs, waitMs, nowMs) ? { kind: "release" } : { kind: "wait", freeSinceMs };
}

function graceMs({ startedAtMs }: HeldAlert, dependencies: readonly Dependency[]): number {
  const newest = dependencies.flatMap((dependency) => dependency.newest);
  if (newest.some(({ isFailing }) => isFailing)) return SUSPICION_MS;
  const hasRunSince = (dependency: Dependency) =>
    dependency.newest.some(({ slotMs }) => slotMs >= startedAtMs);
  return dependencies.every(hasRunSince) ? 0 : LOOK_AROUND_MS;
}

function hasPassed(fromMs: number, waitMs: number, nowMs: number): boolean {
  return nowMs - fromMs >= waitMs;
}
