/**
 * Decides whether an alert of a check that depends on others is held back, and for how long. Pure. An alert is either held under an
 * open alert of a check that it depends on, or held until an instant that lies at most minutes ahead: no way leads to an
 * alert that nobody is ever notified of.
 */
import type { AlertInstanceId, CheckId } from "@svc/contract";
import { decideReturn, decideReturnBlindly, type NewestResult, type WaitDecision } from "./decide-return.ts";

/** Longest time for which an alert waits until the checks that it depends on have run again, all of them having succeeded so far. */
export const LOOK_AROUND_MS = 60_000;
/** Longest time for which an alert waits when one of those checks fails and has no alert yet. */
export const SUSPICION_MS = 180_000;

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
  /** False while its check is switched off or paused. */
  isRunning: boolean;
  /** True when its rule is about failing runs only. */
  isAboutFailure: boolean;
}

/**
 * Outcome for an alert that is held back: it stays under the alert of another check, it waits for a while under none, or its
 * notifications are sent.
 */
export type HoldDecision = { kind: "hold"; causeId: AlertInstanceId } | WaitDecision;

/** The results on which the decision on an alert depends. */
export interface HoldSight {
  /** Those that run: what a check without runs says is no longer true. */
  dependencies: readonly Dependency[];
  /** Newest result of the alert's own check at each of its locations. */
  newest: readonly NewestResult[];
}

/** Returns the decision at this instant, Unix ms. While the alert's own check does not run, nothing of it is notified. */
export function decideHold(
  alert: HeldAlert,
  { dependencies, newest }: HoldSight,
  nowMs: number,
): HoldDecision {
  const causeId = causeOf(dependencies);
  if (causeId !== undefined) return { kind: "hold", causeId };
  if (!alert.isRunning) return { kind: "wait", freeSinceMs: alert.freeSinceMs };
  if (alert.causeId !== null || alert.freeSinceMs !== null) return decideReturn(alert, newest, nowMs);
  return hasPassed(alert.startedAtMs, graceMs(alert, dependencies), nowMs)
    ? { kind: "release" }
    : { kind: "wait", freeSinceMs: null };
}

/** Decides where nothing is known of the dependencies, because they can't be read: as if none had an alert, and one failed. */
export function decideBlindly(alert: Omit<HeldAlert, "isAboutFailure">, nowMs: number): HoldDecision {
  if (alert.causeId !== null || alert.freeSinceMs !== null) return decideReturnBlindly(alert, nowMs);
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
