/**
 * Decides whether an alert is held back because the locations where its check fails can't reach their targets. Pure. It is held while nothing
 * else shows the failure, and for minutes at most where nothing else sees the target.
 */
import { MINUTE_MS } from "@svc/contract";
import { afterRecovery, type HeldAlert, type HoldDecision } from "./decide-hold.ts";
import { recentMs } from "./reach.ts";

/** Longest time for which an alert is held when no other location sees its check succeed. */
export const UNSEEN_MS = 10 * MINUTE_MS;
/** Time within which the incident of the location is opened, and its outage known. */
export const OPENING_MS = MINUTE_MS;

/** An alert that is held back because of locations. */
export interface LocationHeldAlert extends Omit<HeldAlert, "causeId"> {
  /** Keys of the locations where its check failed as it began. */
  locationKeys: readonly number[];
  /** False until the incident of the location lists it. */
  isInIncident: boolean;
  isMuted: boolean;
}

/** State of the alert's check, and of the team's locations. */
export interface LocationSight {
  /** Keys of the team's locations that can't reach their targets. */
  cutOffKeys: readonly number[];
  /** Newest result of the check at each of its locations. Slots are Unix ms. */
  newest: readonly { locationKey: number; slotMs: number; isFailing: boolean }[];
}

/** Returns the decision on the alert at this instant, Unix ms; it stands under no other alert. */
export function decideLocationHold(
  alert: LocationHeldAlert,
  { cutOffKeys, newest }: LocationSight,
  nowMs: number,
): Exclude<HoldDecision, { kind: "hold" }> {
  const isYoung = nowMs - alert.startedAtMs < OPENING_MS;
  const isOpening = !alert.isInIncident && isYoung;
  // Nobody would hear of it: its incident should list it by now. One that is muted is listed when the mute ends.
  if (!alert.isInIncident && !alert.isMuted && !isYoung) return { kind: "release" };
  const cutOff = new Set(isOpening ? [...cutOffKeys, ...alert.locationKeys] : cutOffKeys);
  const isOwn = (locationKey: number) => alert.locationKeys.includes(locationKey);
  const others = newest.filter(({ locationKey }) => !cutOff.has(locationKey) && !isOwn(locationKey));
  if (others.some(({ isFailing }) => isFailing)) return { kind: "release" };
  const isSeen = others.some(({ slotMs }) => nowMs - slotMs <= recentMs(alert.frequencySeconds));
  if (!isSeen && nowMs - alert.startedAtMs >= UNSEEN_MS) return { kind: "release" };
  const failing = newest.flatMap(({ isFailing, locationKey }) => (isFailing ? [locationKey] : []));
  // Where it began, and which is cut off no longer: a failure there is soon one of the target's own, whatever the other locations do.
  if (failing.some((key) => isOwn(key) && !cutOff.has(key))) return afterRecovery(alert, nowMs);
  return [...alert.locationKeys, ...failing].some((key) => cutOff.has(key))
    ? { kind: "wait", freeSinceMs: null }
    : afterRecovery(alert, nowMs);
}
