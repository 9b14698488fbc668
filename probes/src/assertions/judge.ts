/** Judges all assertions of a run. Never throws for what the target sent. */
import type { Assertion, AssertionResult } from "@svc/contract";
import { BodyUnreadable } from "../http/body.ts";
import type { JudgeContext, Measurement, Verdict } from "./define.ts";
import { ASSERTION_JUDGES } from "./registry.ts";

/** Whether any of them needs the body (so that it is worth decoding). */
export function readsBody(assertions: readonly Assertion[]): boolean {
  return assertions.some(({ type }) => ASSERTION_JUDGES.get(type)?.readsBody);
}

/** One result per assertion, in order; a failed one carries a message. */
export async function judgeAssertions(
  assertions: readonly Assertion[],
  measurement: Measurement,
  context: JudgeContext = {},
): Promise<AssertionResult[]> {
  const results: AssertionResult[] = [];
  for (const assertion of assertions) {
    const verdict = judgeOne(assertion, measurement, context);
    results.push(toResult(assertion, verdict instanceof Promise ? await verdict : verdict));
  }
  return results;
}

function judgeOne(
  assertion: Assertion,
  measurement: Measurement,
  context: JudgeContext,
): Verdict | Promise<Verdict> {
  const member = ASSERTION_JUDGES.get(assertion.type);
  if (!member)
    return failed(assertion, `this runner does not know the assertion ${assertion.type}; upgrade the runner`);
  try {
    const verdict = member.judge(assertion as never, measurement, context);
    return verdict instanceof Promise ? verdict.catch((error) => unreadable(assertion, error)) : verdict;
  } catch (error) {
    return unreadable(assertion, error);
  }
}

function unreadable(assertion: Assertion, error: unknown): Verdict {
  if (error instanceof BodyUnreadable) return failed(assertion, `the body ${error.message}`);
  throw error;
}

function failed(assertion: Assertion, message: string): Verdict {
  return { passed: false, expected: expectedOf(assertion), actual: null, message };
}

function expectedOf(assertion: Assertion): unknown {
  if ("value" in assertion) return assertion.value;
  return "pattern" in assertion ? assertion.pattern : null;
}

function toResult(assertion: Assertion, { passed, expected, actual, message }: Verdict): AssertionResult {
  const result: AssertionResult = {
    type: assertion.type,
    passed,
    expected: expected ?? null,
    actual: actual ?? null,
  };
  if (!passed) result.message = message ?? "the assertion does not hold";
  return result;
}
