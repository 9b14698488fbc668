/** Finds a target that answers everywhere, but breaks an assertion, a step of the script or the protocol. */
import { failingEverywhere } from "../input.ts";
import { isDown } from "../is-down.ts";
import { defineAnalysisRule } from "./define-rule.ts";
import { confidenceOf, failureLine, messageOf, mostMatch, targetOf } from "./words.ts";

/** Error categories of results for which the target did answer. */
const ANSWERED = new Set(["assertion", "http", "script", "protocol"]);

/** Applies when every location fails although the target answered most of them. */
export const unexpectedAnswer = defineAnalysisRule("unexpected_answer", (input) => {
  const failing = failingEverywhere(input);
  const isUnexpected = mostMatch(
    failing,
    (location) =>
      !isDown(location) && location.newest.category !== null && ANSWERED.has(location.newest.category),
  );
  const first = failing[0];
  if (!isUnexpected || !first) return undefined;
  const { httpStatusCode, evidence } = first.newest;
  const pageError = evidence?.pageError;
  const answer = httpStatusCode === null ? "answers" : `answers ${httpStatusCode}`;
  return {
    severity: "critical",
    confidence: confidenceOf(failing, 0.65),
    summary: `${targetOf(input)} ${answer}, but not as expected${messageOf(failing)}${pageError ? `; an error in the page: ${pageError}` : ""}.`,
    evidence: failing.map(failureLine),
  };
});
