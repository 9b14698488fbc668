/** Locations where a check keeps changing between success and failure. Pure. */
import type { LocationSamples, Sample } from "./input.ts";

/** Number of a location's newest results that are examined. */
export const UNSTEADY_WINDOW = 20;
const TURNS_MIN = 4;

/** Returns the location's newest results that are examined. */
export function windowOf({ samples }: LocationSamples): readonly Sample[] {
  return samples.slice(0, UNSTEADY_WINDOW);
}

/** Returns how often the location's newest results turn from success to failure or back. */
export function turnsOf(location: LocationSamples): number {
  const window = windowOf(location);
  return window.filter(({ isSuccess }, i) => i > 0 && isSuccess !== window[i - 1]?.isSuccess).length;
}

/** True when the location's newest results change often between success and failure. */
export function isUnsteady(location: LocationSamples): boolean {
  return turnsOf(location) >= TURNS_MIN;
}
