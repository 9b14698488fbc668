/** It answers everywhere, and not with what is expected: an assertion, a script's step, the protocol. */
import { failingEverywhere } from "../facts.ts";
import { type AnalysisRule, failureLine, mostly, sureness, targetOf } from "../finding.ts";
import { isDown } from "./target-down.ts";

const ANSWERED = new Set(["assertion", "http", "script", "protocol"]);

export const unexpectedAnswer: AnalysisRule = (facts) => {
  const failing = failingEverywhere(facts);
  const isIt = mostly(
    failing,
    (place) => !isDown(place) && place.newest.category !== null && ANSWERED.has(place.newest.category),
  );
  const first = failing[0];
  if (!isIt || !first) return undefined;
  const { httpStatusCode, message } = first.newest;
  const answer = httpStatusCode === null ? "answers" : `answers ${httpStatusCode}`;
  return {
    type: "unexpected_answer",
    severity: "critical",
    confidence: sureness(failing, 0.65),
    summary: `${targetOf(facts)} ${answer}, but not as expected${message === null ? "" : `: ${message}`}.`,
    evidence: failing.map(failureLine),
  };
};
