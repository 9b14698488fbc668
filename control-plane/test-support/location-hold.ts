/** Alerts that are held because of a location, and results beside them, as the decision about them takes these. */
import type { LocationHeldAlert } from "../src/alerting/holds/decide-location-hold.ts";

/** Instant at which a held alert begins unless a test says otherwise, Unix ms. */
export const START = 10_000_000;
/** Key of the location where a held alert begins. */
export const HERE = 1;
/** Key of another location. */
export const THERE = 2;

/** Returns an alert that began at {@link HERE} and is listed in the location's incident. */
export const held = (overrides: Partial<LocationHeldAlert> = {}): LocationHeldAlert => ({
  startedAtMs: START,
  frequencySeconds: 60,
  freeSinceMs: null,
  locationKeys: [HERE],
  isInIncident: true,
  isMuted: false,
  ...overrides,
});

/** Returns the newest result of a check at a location. */
export const at = (locationKey: number, slotMs: number, isFailing: boolean) => ({
  locationKey,
  slotMs,
  isFailing,
});
