/** Health of a private location, from its runners' heartbeats and the slots it missed. */
import type { Location } from "@svc/contract";
import { MINUTE_MS } from "@svc/contract";

/** A heartbeat younger than this counts as alive: twelve heartbeats. */
export const ACTIVE_HEARTBEAT_MS = MINUTE_MS;
/** A heartbeat younger than this, or slots missed within this time, is trouble and not yet absence. */
export const DEGRADED_HEARTBEAT_MS = 180_000;

/**
 * @param heartbeatAgeMs age of the newest heartbeat of any of the location's runners; undefined: there never was one
 * @param hasMissedSlots whether a slot due at the location in the last {@link DEGRADED_HEARTBEAT_MS} is known as missed
 */
export function locationHealth(
  heartbeatAgeMs: number | undefined,
  hasMissedSlots: boolean,
): Location["health"] {
  if (heartbeatAgeMs === undefined || heartbeatAgeMs >= DEGRADED_HEARTBEAT_MS) return "offline";
  return heartbeatAgeMs < ACTIVE_HEARTBEAT_MS && !hasMissedSlots ? "active" : "degraded";
}
