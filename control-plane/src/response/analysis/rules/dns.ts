/** Finds that the target's name can't be resolved. */
import { listed } from "@svc/contract";
import { failingLocations } from "../input.ts";
import { defineAnalysisRule } from "./define-rule.ts";
import { confidenceOf, failureLine, messageOf, mostMatch, targetOf } from "./words.ts";

/** Applies when most locations fail, and most of these can't resolve the name. */
export const dns = defineAnalysisRule("dns", (input) => {
  const failing = failingLocations(input);
  // When only a minority of locations fails, their own resolvers are the likelier cause.
  const isWidespread = failing.length * 2 > input.locations.length;
  if (!isWidespread || !mostMatch(failing, ({ newest }) => newest.category === "dns")) return undefined;
  return {
    severity: "critical",
    confidence: confidenceOf(failing, 0.75),
    summary: `The name ${targetOf(input)} can't be resolved from ${listed(failing.map(({ locationId }) => locationId))}${messageOf(failing)}; look at its DNS records and name servers.`,
    evidence: failing.map(failureLine),
  };
});
