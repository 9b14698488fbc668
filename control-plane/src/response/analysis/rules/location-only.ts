/** It fails from some locations and is fine from others. */
import { listed } from "@svc/contract";
import { failingPlaces, seenPlaces } from "../facts.ts";
import { type AnalysisRule, failureLine, targetOf } from "../finding.ts";

export const locationOnly: AnalysisRule = (facts) => {
  const failing = failingPlaces(facts);
  const fine = seenPlaces(facts).filter(({ samples }) => samples[0]?.isSuccess);
  if (failing.length === 0 || fine.length === 0) return undefined;
  const names = listed(failing.map(({ locationId }) => locationId));
  // One bad result may be chance; a run of them beside successes elsewhere is not.
  const repeats = failing.every(({ streak }) => streak > 1) ? 0.2 : 0;
  const minority = failing.length < fine.length ? 0.1 : 0;
  return {
    type: "location_only",
    severity: "warning",
    confidence: 0.55 + repeats + minority,
    summary: `${targetOf(facts)} fails only from ${names}, and works from ${listed(fine.map(({ locationId }) => locationId))}: a network path, a firewall or an instance near there is the likely cause.`,
    evidence: [
      ...failing.map(failureLine),
      ...fine.map(({ locationId }) => `${locationId}: the newest result is a success`),
    ],
  };
};
