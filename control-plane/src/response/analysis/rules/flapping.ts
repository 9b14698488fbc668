/** It keeps changing between success and failure. */
import { counted, listed } from "@svc/contract";
import type { PlaceEvidence } from "../facts.ts";
import { type AnalysisRule, at, targetOf } from "../finding.ts";

/** Results of a location that are looked at. */
const WINDOW = 20;
const CHANGES_MIN = 4;

export const flapping: AnalysisRule = (facts) => {
  const unsteady = facts.places.filter((place) => changesOf(place) >= CHANGES_MIN);
  if (unsteady.length === 0) return undefined;
  const most = Math.max(...unsteady.map(changesOf));
  return {
    type: "flapping",
    severity: "warning",
    confidence: Math.min(0.92, 0.78 + 0.02 * most),
    summary: `${targetOf(facts)} is flapping as seen from ${listed(unsteady.map(({ locationId }) => locationId))}: ${counted(most, "change")} between success and failure in the last ${WINDOW} results.`,
    evidence: unsteady.map((place) => {
      const window = place.samples.slice(0, WINDOW);
      const failed = window.filter(({ isSuccess }) => !isSuccess).length;
      return `${place.locationId}: ${failed} of ${counted(window.length, "result")} since ${at(window.at(-1)?.slotMs ?? 0)} failed, with ${counted(changesOf(place), "change")}`;
    }),
  };
};

function changesOf({ samples }: PlaceEvidence): number {
  const window = samples.slice(0, WINDOW);
  return window.filter(({ isSuccess }, i) => i > 0 && isSuccess !== window[i - 1]?.isSuccess).length;
}
