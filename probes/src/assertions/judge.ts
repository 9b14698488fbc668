/** Judges all assertions of an attempt. Never throws for anything the target sent. */
import type { Assertion, AssertionResult } from "@svc/contract";
import { BodyUnreadable } from "../http/body.ts";
import type {
  AssertionJudge,
  AssertionJudgement,
  JudgeContext,
  JudgeSurroundings,
  Measurement,
} from "./define.ts";
import { assertionJudges } from "./registry.ts";

/** True when one of the assertions reads the body, so that it must be decoded. */
export function readsBody(assertions: readonly Assertion[]): boolean {
  return assertions.some(({ type }) => assertionJudges.find(type)?.readsBody);
}

/**
 * Returns one result per assertion, in order. A failed one carries a message.
 * @throws RunnerFailure when an assertion could not be judged because of this runner
 */
export async function judgeAssertions(
  assertions: readonly Assertion[],
  measurement: Measurement,
  context: JudgeContext = {},
): Promise<AssertionResult[]> {
  const results: AssertionResult[] = [];
  if (assertions.length === 0) return results;
  const surroundings = { ...context, assertions };
  for (const assertion of assertions) {
    const judgement = judgeOne(assertion, measurement, surroundings);
    results.push(toResult(assertion, judgement instanceof Promise ? await judgement : judgement));
  }
  return results;
}

function judgeOne(
  assertion: Assertion,
  measurement: Measurement,
  surroundings: JudgeSurroundings,
): AssertionJudgement | Promise<AssertionJudgement> {
  const member = assertionJudges.find(assertion.type) as AssertionJudge | undefined;
  if (!member)
    return failed(
      writtenExpectation(assertion),
      `this runner does not know the assertion ${assertion.type}; upgrade the runner`,
    );
  const orUnreadable = (error: unknown): AssertionJudgement => {
    if (error instanceof BodyUnreadable)
      return failed(member.expectedOf(assertion), `the body ${error.message}`);
    throw error;
  };
  try {
    const judgement = member.judge(assertion, measurement, surroundings);
    return judgement instanceof Promise ? judgement.catch(orUnreadable) : judgement;
  } catch (error) {
    return orUnreadable(error);
  }
}

/** Returns the `value` or the `pattern` of an assertion that has no judge here, as most assertions expect one of these. */
function writtenExpectation(assertion: Assertion): unknown {
  if ("value" in assertion) return assertion.value;
  return "pattern" in assertion ? assertion.pattern : null;
}

function failed(expected: unknown, message: string): AssertionJudgement {
  return { passed: false, expected, actual: null, message };
}

function toResult(
  assertion: Assertion,
  { passed, expected, actual, message }: AssertionJudgement,
): AssertionResult {
  const result: AssertionResult = {
    type: assertion.type,
    passed,
    expected: expected ?? null,
    actual: actual ?? null,
  };
  if (!passed) result.message = message ?? "the assertion does not hold";
  return result;
}
