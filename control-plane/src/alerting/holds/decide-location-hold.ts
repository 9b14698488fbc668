/**
 * Decides whether an alert is held back because the locations where its check fails can't reach their targets. Pure. It is held while nothing
 * else shows the failure, and for minutes at most where nothing else sees the target.
 */
import { MINUTE_MS } from "@svc/contract";
import type { HeldAlert } from "./decide-hold.ts";
import { decideReturn, type NewestResult, type WaitDecision } from "./decide-return.ts";
import { RECENT_MS_MAX, recentMs } from "./reach.ts";

/** Longest time for which an alert is held when no other location sees its check succeed. */
export const UNSEEN_MS = 10 * MINUTE_MS;
/** Time within which the incident of the location is opened, and its outage known. */
export const OPENING_MS = MINUTE_MS;

/** An alert that is held back because of locations. */
export interface LocationHeldAlert extends Omit<HeldAlert, "causeId"> {
  /** Time limit of a run of its check with its retries. */
  longestRunMs: number;
  /** Keys of the locations where its check failed as it began. */
  locationKeys: readonly number[];
  /** False when none of these locations is guarded any more. */
  isGuarded: boolean;
  /** False until the incident of the location lists it. */
  isInIncident: boolean;
  /** Since when it waits for that, Unix ms: since its begin, or the end of the mute that it began with; null: it never did. */
  queuedAtMs: number | null;
  isMuted: boolean;
}

/** State of the alert's check, and of the team's locations. */
export interface LocationSight {
  /** Keys of the team's locations that can't reach their targets, as far as is known. */
  cutOffKeys: readonly number[];
  /** Newest result of the check at each of its locations. `isUnreached`: it did not get through to its target. */
  newest: readonly (NewestResult & { isUnreached: boolean })[];
}

/** Returns the decision on the alert at this instant, Unix ms; it stands under no other alert. */
export function decideLocationHold(
  alert: LocationHeldAlert,
  sight: LocationSight,
  nowMs: number,
): WaitDecision {
  // Whoever switched the check off wants no message of it.
  if (!alert.isRunning) return { kind: "wait", freeSinceMs: alert.freeSinceMs };
  if (!alert.isGuarded) return { kind: "release" };
  const decision = decideListed(alert, sight, nowMs);
  const isHeld = decision.kind === "wait" && decision.freeSinceMs === null;
  // Nobody would hear of it: its incident should list it by now. One that is muted is listed when the mute ends.
  const isForgotten = !alert.isInIncident && !alert.isMuted && !isOpening(alert, nowMs);
  return isHeld && isForgotten ? { kind: "release" } : decision;
}

/** True within a minute from when the alert began to wait for the incident of its location. */
function isOpening({ isInIncident, queuedAtMs }: LocationHeldAlert, nowMs: number): boolean {
  return !isInIncident && queuedAtMs !== null && nowMs - queuedAtMs < OPENING_MS;
}

/** Decides as if the incident of the location listed the alert. */
function decideListed(
  alert: LocationHeldAlert,
  { cutOffKeys, newest }: LocationSight,
  nowMs: number,
): WaitDecision {
  const cutOff = new Set(isOpening(alert, nowMs) ? [...cutOffKeys, ...alert.locationKeys] : cutOffKeys);
  // A target that answers there, however wrongly, is reached.
  for (const { locationKey, isFailing, isUnreached } of newest)
    if (isFailing && !isUnreached) cutOff.delete(locationKey);
  const own = newest.filter(({ locationKey }) => alert.locationKeys.includes(locationKey));
  const others = newest.filter(
    (result) =>
      !own.includes(result) && !cutOff.has(result.locationKey) && nowMs - result.slotMs <= RECENT_MS_MAX,
  );
  if (others.some(({ isFailing }) => isFailing)) return { kind: "release" };
  const isSeen = others.some(({ slotMs }) => nowMs - slotMs <= recentMs(alert));
  const succeeds = own.length > 0 && own.every(({ isFailing }) => !isFailing);
  if (!isSeen && !succeeds && nowMs - alert.startedAtMs >= UNSEEN_MS) return { kind: "release" };
  // Where it began, and which is cut off no longer: a failure there is soon one of the target's own, whatever the other locations do.
  const back = own.filter(({ locationKey }) => !cutOff.has(locationKey));
  if (back.some(({ isFailing }) => isFailing)) return decideReturn(alert, back, nowMs);
  const failing = newest.filter(({ isFailing }) => isFailing);
  const isCutOff = [...alert.locationKeys, ...failing.map(({ locationKey }) => locationKey)].some((key) =>
    cutOff.has(key),
  );
  return isCutOff ? { kind: "wait", freeSinceMs: null } : decideReturn(alert, own, nowMs);
}
