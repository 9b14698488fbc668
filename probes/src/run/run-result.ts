/** Makes the outcome of a run out of its attempts, and holds the run's share of the body budget until then. */
import type { ResultDetail } from "@svc/contract";
import { BODY_BUDGET_BYTES_DEFAULT, BodyBudget, type BodyClaim } from "./body-budget.ts";
import { RunnerFailure } from "./failures.ts";
import { attemptDetail, type JudgedAttempt } from "./judged-attempt.ts";
import type { ProbeOutcome, RunResult } from "./outcome.ts";
import { monotonicUs } from "./phase-clock.ts";
import type { ProbeContext, RunContext } from "./probe.ts";

const defaultBudget = new BodyBudget(BODY_BUDGET_BYTES_DEFAULT);

/** Runs a check with a claim on the body budget and releases that afterwards. A RunnerFailure becomes a fault. */
export async function runWithBodyClaim(
  context: ProbeContext,
  run: (context: RunContext) => Promise<ProbeOutcome>,
): Promise<ProbeOutcome> {
  const bodyClaim = claimBodies(context);
  try {
    return await run({ ...context, bodyClaim });
  } catch (error) {
    if (error instanceof RunnerFailure)
      return { kind: "fault", reason: error.reason, message: error.message };
    throw error;
  } finally {
    bodyClaim.release();
  }
}

/** Returns a claim on the memory for bodies, which holds nothing at first. The caller releases it. */
export function claimBodies({ bodyBudget = defaultBudget, team }: ProbeContext): BodyClaim {
  return bodyBudget.claim(team);
}

/**
 * Returns the columns of a result, without its detail: the values of the last attempt, and the start of the first one.
 * @param startedUs start of the run, by monotonicUs
 */
export function resultOfAttempts(
  attempts: readonly (JudgedAttempt & Pick<RunResult, "phases">)[],
  httpStatusCode: number | undefined,
  startedUs: number,
): RunResult {
  const [first] = attempts;
  const last = attempts.at(-1);
  if (!first || !last) throw new Error("a run has at least one attempt");
  const result: RunResult = {
    kind: "result",
    status: last.status,
    startedAtMs: first.startedAtMs,
    responseTimeUs: last.responseTimeUs,
    elapsedUs: Math.round(monotonicUs() - startedUs),
    phases: last.phases,
  };
  if (httpStatusCode !== undefined) result.httpStatusCode = httpStatusCode;
  return result;
}

/** Returns the list of attempts for the detail of a run that was tried again; nothing for a run of one attempt. */
export function retryDetail<A extends JudgedAttempt>(
  attempts: readonly A[],
  httpStatusCodeOf: (attempt: A) => number | undefined,
): Pick<ResultDetail, "attempts" | "recoveredOnRetry"> {
  if (attempts.length < 2) return {};
  return {
    attempts: attempts.map((attempt) => attemptDetail(attempt, httpStatusCodeOf(attempt))),
    recoveredOnRetry: attempts.at(-1)?.status === "success",
  };
}
