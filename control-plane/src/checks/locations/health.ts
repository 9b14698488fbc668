import { type Location, MINUTE_MS } from "@svc/contract";

/** A heartbeat younger than this counts as alive: twelve heartbeats. */
export const ACTIVE_HEARTBEAT_MS = MINUTE_MS;
/** A heartbeat younger than this, or a slot missed within this time, means trouble and not yet absence. */
export const DEGRADED_HEARTBEAT_MS = 3 * MINUTE_MS;

/** Heartbeats of a private location's runners, and slots that it missed. */
interface SignsOfLife {
  /** Age of the newest heartbeat of any of the location's runners; undefined: there was none. */
  heartbeatAgeMs: number | undefined;
  /** Whether a slot due at the location in the last {@link DEGRADED_HEARTBEAT_MS} is known as missed. */
  hasMissedSlots: boolean;
}

/** Judges the health of a private location from its runners' heartbeats and the slots that it missed. */
export function locationHealth({ heartbeatAgeMs, hasMissedSlots }: SignsOfLife): Location["health"] {
  if (heartbeatAgeMs === undefined || heartbeatAgeMs >= DEGRADED_HEARTBEAT_MS) return "offline";
  return heartbeatAgeMs < ACTIVE_HEARTBEAT_MS && !hasMissedSlots ? "active" : "degraded";
}
