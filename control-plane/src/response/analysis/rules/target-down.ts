/** Finds a target that no location gets a usable answer from: no answer at all, or the server reports its own failure. */
import { listed } from "@svc/contract";
import { type FailingLocation, failingEverywhere } from "../input.ts";
import { isDown } from "../is-down.ts";
import { defineAnalysisRule } from "./define-rule.ts";
import { confidenceOf, failureLine, mostMatch, targetOf } from "./words.ts";

/**
 * Applies when the newest result of every location fails. The confidence is low unless most fail by no answer or
 * by a 5xx.
 */
export const targetDown = defineAnalysisRule("target_down", (input) => {
  const failing = failingEverywhere(input);
  if (failing.length === 0) return undefined;
  return {
    severity: "critical",
    // Failures that have a rule of their own, or differ from location to location, leave little certainty.
    confidence: mostMatch(failing, isDown) ? confidenceOf(failing, 0.65) : 0.4,
    summary: `${targetOf(input)} is down: it ${symptomOf(failing)} from ${listed(failing.map(({ locationId }) => locationId))}.`,
    evidence: failing.map(failureLine),
  };
});

function symptomOf(failing: readonly FailingLocation[]): string {
  if (mostMatch(failing, ({ newest }) => newest.category === "timeout")) return "does not answer in time";
  if (mostMatch(failing, isCutShort)) return "breaks off its answers before their end";
  if (mostMatch(failing, ({ newest }) => newest.category === "connect")) return "accepts no connections";
  const code = failing.find(({ newest }) => (newest.httpStatusCode ?? 0) >= 500)?.newest.httpStatusCode;
  return code === undefined ? "gives no usable answer" : `answers ${code}`;
}

/** True when the connection broke after the answer had begun. */
function isCutShort({ newest: { category, httpStatusCode } }: FailingLocation): boolean {
  return category === "connect" && httpStatusCode !== null;
}
