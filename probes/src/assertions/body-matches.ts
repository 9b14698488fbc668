import { matchDirectly } from "../base/regex-direct.ts";
import { MATCH_LIMIT_MS, type MatchOutcome, matchPattern, RegexPoolBusy } from "../base/regex-pool.ts";
import { textPreview } from "../base/storable-text.ts";
import { BodyUnreadable } from "../http/body.ts";
import { BODY_BYTES_MAX } from "../http/response.ts";
import { RunnerFailure } from "../run/failures.ts";
import { type AssertionJudgement, defineBodyAssertion } from "./define.ts";

/**
 * Passes when the pattern matches somewhere in the body. Patterns that could take long run in threads, within
 * `MATCH_LIMIT_MS`.
 */
export const bodyMatches = defineBodyAssertion("body_matches", {
  expectedOf: ({ pattern }) => pattern,
  judge: ({ pattern }, { body }) => {
    const text = body.text();
    // A pattern may refer to the end of the text, or to something that must not occur, so the beginning alone can't
    // be judged.
    if (body.wasCut)
      throw new BodyUnreadable(
        `is longer than ${BODY_BYTES_MAX} bytes, of which no more are read: it can't be matched`,
      );
    const found = matchDirectly(pattern, text);
    if (found === undefined) return matchInPool(pattern, text, body.team);
    return judgementOf(found === null ? { kind: "no_match" } : { kind: "match", text: found }, pattern, text);
  },
});

async function matchInPool(pattern: string, text: string, team: string): Promise<AssertionJudgement> {
  try {
    return judgementOf(await matchPattern(pattern, text, team), pattern, text);
  } catch (error) {
    if (error instanceof RegexPoolBusy) throw new RunnerFailure("capacity", error.message, { cause: error });
    throw error;
  }
}

function judgementOf(outcome: MatchOutcome, pattern: string, text: string): AssertionJudgement {
  const passed = outcome.kind === "match";
  return {
    passed,
    expected: pattern,
    actual: textPreview(passed ? outcome.text : text),
    message: passed ? undefined : messageOf(outcome, pattern),
  };
}

function messageOf(outcome: MatchOutcome, pattern: string): string {
  switch (outcome.kind) {
    case "invalid":
      return `invalid pattern: ${textPreview(outcome.message)}`;
    case "overrun":
      return `the pattern did not finish within ${MATCH_LIMIT_MS} ms; simplify it (nested repetition is the usual cause)`;
    default:
      return `the body does not match the pattern ${textPreview(pattern)}`;
  }
}
