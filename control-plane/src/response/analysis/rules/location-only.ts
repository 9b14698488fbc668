/** Finds a check that fails from some locations and succeeds from others. */
import { listed } from "@svc/contract";
import { failingLocations, measuredLocations } from "../input.ts";
import { defineAnalysisRule } from "./define-rule.ts";
import { failureLine, targetOf } from "./words.ts";

/**
 * Applies when the newest results of some locations fail and those of others succeed. Repeated failures, and few
 * failing locations, raise the confidence.
 */
export const locationOnly = defineAnalysisRule("location_only", (input) => {
  const failing = failingLocations(input);
  const fine = measuredLocations(input).filter(({ samples }) => samples[0]?.isSuccess);
  if (failing.length === 0 || fine.length === 0) return undefined;
  const names = listed(failing.map(({ locationId }) => locationId));
  // One failure may be chance; several in a row, beside successes elsewhere, are not.
  const forRepetition = failing.every(({ streak }) => streak > 1) ? 0.2 : 0;
  const forMinority = failing.length < fine.length ? 0.1 : 0;
  return {
    severity: "warning",
    confidence: 0.55 + forRepetition + forMinority,
    summary: `${targetOf(input)} fails only from ${names}, and works from ${listed(fine.map(({ locationId }) => locationId))}: a network path, a firewall or an instance near there is the likely cause.`,
    evidence: [
      ...failing.map(failureLine),
      ...fine.map(({ locationId }) => `${locationId}: the newest result is a success`),
    ],
  };
});
