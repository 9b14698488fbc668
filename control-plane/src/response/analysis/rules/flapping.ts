/** Finds a check that keeps changing between success and failure. */
import { counted, listed } from "@svc/contract";
import { isUnsteady, turnsOf, UNSTEADY_WINDOW, windowOf } from "../unsteady.ts";
import { defineAnalysisRule } from "./define-rule.ts";
import { readableTime, targetOf } from "./words.ts";

/** Applies to locations whose newest results change often between success and failure. */
export const flapping = defineAnalysisRule("flapping", (input) => {
  const unsteady = input.locations.filter(isUnsteady);
  if (unsteady.length === 0) return undefined;
  const most = Math.max(...unsteady.map(turnsOf));
  return {
    severity: "warning",
    confidence: Math.min(0.92, 0.78 + 0.02 * most),
    summary: `${targetOf(input)} is flapping as seen from ${listed(unsteady.map(({ locationId }) => locationId))}: ${counted(most, "change")} between success and failure in the last ${UNSTEADY_WINDOW} results.`,
    evidence: unsteady.map((location) => {
      const window = windowOf(location);
      const failed = window.filter(({ isSuccess }) => !isSuccess).length;
      return `${location.locationId}: ${failed} of ${counted(window.length, "result")} since ${readableTime(window.at(-1)?.slotMs ?? 0)} failed, with ${counted(turnsOf(location), "change")}`;
    }),
  };
});
