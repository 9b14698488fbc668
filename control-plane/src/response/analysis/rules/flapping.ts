/** Finds a check that keeps changing between success and failure. */
import { counted, listed } from "@svc/contract";
import type { LocationSamples } from "../input.ts";
import { defineAnalysisRule } from "./define-rule.ts";
import { readableTime, targetOf } from "./words.ts";

/** Number of a location's newest results that are examined. */
const WINDOW = 20;
const TURNS_MIN = 4;

/** Applies to locations whose newest results change often between success and failure. */
export const flapping = defineAnalysisRule("flapping", (input) => {
  const unsteady = input.locations.filter((location) => turnsOf(location) >= TURNS_MIN);
  if (unsteady.length === 0) return undefined;
  const most = Math.max(...unsteady.map(turnsOf));
  return {
    severity: "warning",
    confidence: Math.min(0.92, 0.78 + 0.02 * most),
    summary: `${targetOf(input)} is flapping as seen from ${listed(unsteady.map(({ locationId }) => locationId))}: ${counted(most, "change")} between success and failure in the last ${WINDOW} results.`,
    evidence: unsteady.map((location) => {
      const window = location.samples.slice(0, WINDOW);
      const failed = window.filter(({ isSuccess }) => !isSuccess).length;
      return `${location.locationId}: ${failed} of ${counted(window.length, "result")} since ${readableTime(window.at(-1)?.slotMs ?? 0)} failed, with ${counted(turnsOf(location), "change")}`;
    }),
  };
});

/** Returns how often the location's newest results turn from success to failure or back. */
function turnsOf({ samples }: LocationSamples): number {
  const window = samples.slice(0, WINDOW);
  return window.filter(({ isSuccess }, i) => i > 0 && isSuccess !== window[i - 1]?.isSuccess).length;
}
