/** What the probes that read answers have in common around their attempts. */
import type { ResultDetail } from "@svc/contract";
import type { RunContext } from "../http-attempt/attempt.ts";
import { type AttemptOutcome, attemptDetail } from "./attempts.ts";
import { BODY_ROOM_BYTES_DEFAULT, BodyRoom } from "./body-budget.ts";
import { RunnerFailure } from "./failures.ts";
import { monotonicUs } from "./phase-clock.ts";
import type { ProbeContext, ProbeOutcome, RunResult } from "./probe.ts";

const defaultRoom = new BodyRoom(BODY_ROOM_BYTES_DEFAULT);

/** Runs a check with its share of the room for bodies; this runner's own failure becomes a fault. */
export async function runClaimed(
  context: ProbeContext,
  run: (context: RunContext) => Promise<ProbeOutcome>,
): Promise<ProbeOutcome> {
  const bodyClaim = (context.bodyRoom ?? defaultRoom).claim();
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

/** The narrow part of a result: the last attempt's, begun with the first. @param startedUs by monotonicUs */
export function resultOfAttempts(
  attempts: readonly (AttemptOutcome & Pick<RunResult, "phases">)[],
  httpStatusCode: number | undefined,
  startedUs: number,
): RunResult {
  const [first] = attempts;
  const last = attempts.at(-1);
  if (!first || !last) throw new Error("a run has at least one attempt");
  return {
    kind: "result",
    status: last.status,
    ...(httpStatusCode === undefined ? {} : { httpStatusCode }),
    startedAtMs: first.startedAtMs,
    responseTimeUs: last.responseTimeUs,
    elapsedUs: Math.round(monotonicUs() - startedUs),
    phases: last.phases,
  };
}

/** What is told of a run that was tried again. */
export function retryDetail<Attempt extends AttemptOutcome>(
  attempts: readonly Attempt[],
  httpStatusCodeOf: (attempt: Attempt) => number | undefined,
): Pick<ResultDetail, "attempts" | "recoveredOnRetry"> {
  if (attempts.length < 2) return {};
  return {
    attempts: attempts.map((attempt) => attemptDetail(attempt, httpStatusCodeOf(attempt))),
    recoveredOnRetry: attempts.at(-1)?.status === "success",
  };
}
