/** The name can't be resolved. */
import { listed } from "@svc/contract";
import { failingPlaces } from "../facts.ts";
import { type AnalysisRule, failureLine, mostly, sureness, targetOf } from "../finding.ts";

export const dns: AnalysisRule = (facts) => {
  const failing = failingPlaces(facts);
  // At one location of several it is the location's resolver that is in question.
  const isWidespread = failing.length * 2 > facts.places.length;
  if (!isWidespread || !mostly(failing, ({ newest }) => newest.category === "dns")) return undefined;
  return {
    type: "dns",
    severity: "critical",
    confidence: sureness(failing, 0.75),
    summary: `The name ${targetOf(facts)} can't be resolved from ${listed(failing.map(({ locationId }) => locationId))}: look at its DNS records and name servers.`,
    evidence: failing.map(failureLine),
  };
};
