/** Nobody gets an answer, or the server itself says that it fails, from wherever it is asked. */
import { listed } from "@svc/contract";
import { type FailingPlace, failingEverywhere } from "../facts.ts";
import { type AnalysisRule, failureLine, mostly, sureness, targetOf } from "../finding.ts";

export const targetDown: AnalysisRule = (facts) => {
  const failing = failingEverywhere(facts);
  if (failing.length === 0) return undefined;
  return {
    type: "target_down",
    severity: "critical",
    // It fails everywhere in ways that have a rule of their own, or each place in another: then little is sure.
    confidence: mostly(failing, isDown) ? sureness(failing, 0.65) : 0.4,
    summary: `${targetOf(facts)} is down: it ${symptomOf(failing)} from ${listed(failing.map(({ locationId }) => locationId))}.`,
    evidence: failing.map(failureLine),
  };
};

export function isDown({ newest: { category, httpStatusCode } }: FailingPlace): boolean {
  return category === "connect" || category === "timeout" || (httpStatusCode ?? 0) >= 500;
}

function symptomOf(failing: readonly FailingPlace[]): string {
  if (mostly(failing, ({ newest }) => newest.category === "timeout")) return "does not answer in time";
  if (mostly(failing, ({ newest }) => newest.category === "connect")) return "accepts no connections";
  const code = failing.find(({ newest }) => (newest.httpStatusCode ?? 0) >= 500)?.newest.httpStatusCode;
  return code === undefined ? "gives no usable answer" : `answers ${code}`;
}
